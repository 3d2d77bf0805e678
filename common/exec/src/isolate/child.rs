//! The code that a worker runs.
use super::{crash, frame, peak};
use std::{
    fs::File,
    os::fd::{AsRawFd, OwnedFd, RawFd},
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The exit code of a worker that has no more memory; for handlers that libraries call.
pub const EXIT_MEMORY: i32 = 112;
/// The exit code of a worker whose library gave up; for handlers that libraries call after saying why.
pub const EXIT_GAVE_UP: i32 = 113;
/// The exit code of a worker whose stack overflowed.
pub(super) const EXIT_STACK: i32 = 114;
/// The exit code of a worker that panicked.
pub(super) const EXIT_PANIC: i32 = 101;

/// MLIR and LLVM recurse deeply on large functions.
const STACK: usize = 256 << 20;

/// The pipes between a worker and its parent.
pub(super) struct Pipes {
    /// Item numbers, from the parent.
    pub(super) jobs: OwnedFd,
    /// Results, to the parent.
    pub(super) results: OwnedFd,
    /// The worker's standard output and standard error.
    pub(super) said: OwnedFd,
    /// Descriptors of the parent's, for other workers.
    pub(super) foreign: Vec<RawFd>,
}

/// Runs the worker: handles items until the pipe ends.
pub(super) fn run(parent: i32, pipes: Pipes, memory: Option<u64>, work: &mut dyn FnMut(usize) -> Vec<u8>) -> ! {
    settle(parent, &pipes);
    let mut jobs = File::from(pipes.jobs);
    let mut results = File::from(pipes.results);
    // Where there is little memory, a smaller stack is better than none.
    let Some(stack) = (0..4).map(|halvings| STACK >> halvings).find(|&bytes| has_room(bytes)) else {
        // SAFETY: as below.
        unsafe { libc::_exit(EXIT_MEMORY) }
    };
    let code = stacker::grow(stack, || {
        crash::set_stack(stack);
        crash::install_in_worker();
        limit_memory(memory);
        loop {
            let Some(item) = frame::read(&mut jobs).and_then(|f| Some(u64::from_le_bytes(f.try_into().ok()?))) else {
                return 0;
            };
            let before = memory.and_then(|_| peak::Before::note());
            match catch_unwind(AssertUnwindSafe(|| work(item as usize))) {
                Ok(bytes) => {
                    let most = before.and_then(peak::Before::most_since);
                    if memory.zip(most).is_some_and(|(limit, most)| most > limit) {
                        return EXIT_MEMORY;
                    }
                    if frame::write(&mut results, &bytes).is_err() {
                        return 0;
                    }
                }
                // The hook has said what there is to say.
                Err(_) => return EXIT_PANIC,
            }
        }
    });
    // SAFETY: ends the process at once. What is buffered, and what would run at exit, is the parent's.
    unsafe { libc::_exit(code) }
}

/// Whether the system would map so many bytes, and a little more.
pub(super) fn has_room(bytes: usize) -> bool {
    const MORE: usize = 16 << 20;
    // SAFETY: a new map, which goes at once.
    unsafe {
        let (protection, flags) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let map = libc::mmap(std::ptr::null_mut(), bytes + MORE, protection, flags, -1, 0);
        map != libc::MAP_FAILED && libc::munmap(map, bytes + MORE) == 0
    }
}

/// Closes what belongs to the parent, and makes the worker end with its parent.
fn settle(parent: i32, pipes: &Pipes) {
    // SAFETY: system calls on numbers; the descriptors closed here are copies that only the parent uses.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            libc::_exit(0);
        }
        // Ctrl-C reaches all of a terminal's group: the parent decides, and its end is ours.
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        for &fd in &pipes.foreign {
            libc::close(fd);
        }
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        libc::dup2(null, 0);
        libc::close(null);
        // Libraries that print to standard output would write into the result of the tool.
        libc::dup2(pipes.said.as_raw_fd(), 1);
        libc::dup2(pipes.said.as_raw_fd(), 2);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
    }
}

/// Limits the address space to its present size plus `memory` bytes.
fn limit_memory(memory: Option<u64>) {
    let Some(memory) = memory else { return };
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|s| s.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0);
    // SAFETY: system calls on numbers.
    unsafe {
        let page = u64::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096);
        let limit = pages.saturating_mul(page).saturating_add(memory);
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
    }
}
