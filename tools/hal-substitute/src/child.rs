//! Runs work that may crash in a separate child process.
use std::{
    fs::File,
    io::{Read, Write},
    os::fd::{AsRawFd, FromRawFd},
    sync::atomic::{AtomicI32, Ordering},
};

/// The time limit in seconds: LLVM never needs that long, so that only an endless loop exceeds it.
const SECONDS: u64 = 300;

/// In the child, the descriptor that it writes to.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Ends the child with an error, from where nothing can be returned.
pub(crate) fn fail(text: &str) -> ! {
    let said = format!("-{text}");
    // SAFETY: the descriptor is the child's end of the pipe, or -1 outside of a child, where writing fails; the process
    // ends at once.
    unsafe {
        libc::write(PIPE.load(Ordering::Relaxed), said.as_ptr().cast(), said.len());
        libc::_exit(1)
    }
}

/// Runs a function in a copy of this process, and gives what it returned. Errors: how the child ended, as a verb: it
/// crashed, for example.
///
/// The function must not print, and must not need other threads: a copy has none.
pub(crate) fn run(work: impl FnOnce() -> Result<Vec<u8>, String>) -> Result<Result<Vec<u8>, String>, String> {
    let mut ends = [0; 2];
    // SAFETY: the array takes two descriptors, which become files below, each once.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err("could not be started (no pipe)".into());
    }
    let still = halyard_diag::still();
    // SAFETY: the child runs `work`, which is Rust and LLVM without locks that another thread of ours could hold, writes
    // to its pipe and ends without running destructors or exit handlers.
    let child = unsafe { libc::fork() };
    drop(still);
    if child < 0 {
        return Err("could not be started (no process)".into());
    }
    // SAFETY: the descriptors are open, and no other code owns them.
    let (mut read, mut write) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
    if child == 0 {
        limit();
        PIPE.store(write.as_raw_fd(), Ordering::Relaxed);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let done = match result {
            Ok(Ok(bytes)) => write.write_all(b"+").and_then(|()| write.write_all(&bytes)),
            Ok(Err(text)) => write.write_all(b"-").and_then(|()| write.write_all(text.as_bytes())),
            Err(_) => Ok(()),
        };
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(i32::from(done.is_err())) }
    }
    drop(write);
    let mut said = Vec::new();
    let read = read.read_to_end(&mut said);
    let mut status = 0;
    // SAFETY: the child is ours and has not been waited for.
    while unsafe { libc::waitpid(child, &raw mut status, 0) } < 0
        && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
    {}
    if libc::WIFSIGNALED(status) {
        return Err(match libc::WTERMSIG(status) {
            libc::SIGXCPU | libc::SIGKILL => format!("was ended (it took more than {SECONDS} s, or memory ran out)"),
            signal => format!("crashed (signal {signal})"),
        });
    }
    match (read, said.split_first()) {
        (Ok(_), Some((b'+', bytes))) => Ok(Ok(bytes.to_vec())),
        (Ok(_), Some((b'-', text))) => Ok(Err(String::from_utf8_lossy(text).into_owned())),
        _ => Err("gave up".into()),
    }
}

/// Sets the limits of the child: its time, no core files, and death with its parent. LLVM's own output is discarded.
fn limit() {
    let set = |resource, value| {
        let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
        // SAFETY: the structure is complete.
        unsafe { libc::setrlimit(resource, &raw const limit) };
    };
    set(libc::RLIMIT_CPU, SECONDS);
    set(libc::RLIMIT_CORE, 0);
    // SAFETY: plain calls on our own process; /dev/null stays open as standard error.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // Our parent's handlers, and those of Rust, mean nothing here.
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGSEGV, libc::SIGBUS] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if null >= 0 {
            libc::dup2(null, 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back() {
        assert_eq!(run(|| Ok(vec![7; 100_000])), Ok(Ok(vec![7; 100_000])));
        assert_eq!(run(|| Err("no".into())), Ok(Err("no".into())));
    }

    #[test]
    fn crashes_are_survived() {
        // SAFETY: the child ends by a signal, on purpose.
        let crashed = run(|| unsafe {
            libc::raise(libc::SIGSEGV);
            Ok(Vec::new())
        });
        assert_eq!(crashed, Err("crashed (signal 11)".into()));
    }
}
