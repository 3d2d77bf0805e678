//! A worker process, as its parent sees it.
use super::{
    How, Loss,
    child::{self, EXIT_GAVE_UP, EXIT_MEMORY, EXIT_PANIC, EXIT_STACK},
    frame,
};
use crate::Slot;
use std::{
    fs::File,
    io::{self, Read},
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
    time::{Duration, Instant},
};

/// The most bytes of a worker's output that are kept.
const SAID: usize = 64 << 10;

/// A worker process.
#[derive(Debug)]
pub(super) struct Process {
    pid: i32,
    jobs: File,
    pub(super) results: File,
    pub(super) stderr: File,
    arrived: Vec<u8>,
    said: Vec<u8>,
    pub(super) task: Option<Task>,
}

/// The item that a worker is busy with.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) item: usize,
    pub(super) deadline: Option<Instant>,
    begun: Instant,
    /// The time after which it is reported as slow next.
    pub(super) slow_after: Option<Duration>,
    /// Released with the result.
    _slot: Slot,
}

impl Task {
    /// Begins now.
    pub(super) fn new(item: usize, limit: Option<Duration>, slow_after: Option<Duration>, slot: Slot) -> Self {
        let begun = Instant::now();
        Self { item, deadline: limit.map(|limit| begun + limit), begun, slow_after, _slot: slot }
    }

    /// The moment at which it is reported as slow.
    pub(super) fn slow_at(&self) -> Option<Instant> {
        self.slow_after.map(|after| self.begun + after)
    }
}

/// The result of reading a worker's pipe.
pub(super) enum News {
    /// Nothing complete yet.
    None,
    /// A result, and what was said meanwhile.
    Result(Vec<u8>, String),
    /// The worker ended, or sent invalid data.
    Gone,
}

impl Process {
    /// Forks. `others` are the workers that there are, whose pipes the new one must not keep open.
    pub(super) fn fork(
        others: &[Self],
        memory: Option<u64>,
        work: &mut dyn FnMut(usize) -> Vec<u8>,
    ) -> io::Result<Self> {
        let (jobs_read, jobs) = pipe()?;
        let (results, results_write) = pipe()?;
        let (stderr, stderr_write) = pipe()?;
        let ours = [jobs.as_raw_fd(), results.as_raw_fd(), stderr.as_raw_fd()];
        let foreign: Vec<RawFd> = others.iter().flat_map(Self::descriptors).chain(ours).collect();
        let parent = std::process::id().cast_signed();
        let still = halyard_diag::still();
        // SAFETY: see the module: the child goes on with one thread and never returns from here.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(still);
                // The numbers are closed in there; these handles must not close them again.
                let pipes = child::Pipes { jobs: jobs_read, results: results_write, said: stderr_write, foreign };
                std::mem::forget((jobs, results, stderr));
                child::run(parent, pipes, memory, work)
            }
            pid => {
                nonblocking(&results);
                nonblocking(&stderr);
                let (jobs, results, stderr) = (File::from(jobs), File::from(results), File::from(stderr));
                Ok(Self { pid, jobs, results, stderr, arrived: Vec::new(), said: Vec::new(), task: None })
            }
        }
    }

    fn descriptors(&self) -> [RawFd; 3] {
        [self.jobs.as_raw_fd(), self.results.as_raw_fd(), self.stderr.as_raw_fd()]
    }

    /// Sends a task; returns false if the worker has ended.
    pub(super) fn begin(&mut self, task: Task) -> bool {
        let sent = frame::write(&mut self.jobs, &(task.item as u64).to_le_bytes()).is_ok();
        self.task = Some(task);
        sent
    }

    /// Reads what the worker wrote.
    pub(super) fn listen(&mut self) -> News {
        let open = drain(&mut self.results, &mut self.arrived);
        self.hear();
        match frame::take(&mut self.arrived) {
            Ok(Some(result)) => News::Result(result, text(std::mem::take(&mut self.said))),
            Ok(None) if open => News::None,
            Ok(None) | Err(()) => News::Gone,
        }
    }

    /// Reads the worker's output; only the end is kept.
    pub(super) fn hear(&mut self) {
        drain(&mut self.stderr, &mut self.said);
        if self.said.len() > 2 * SAID {
            self.said.drain(..self.said.len() - SAID);
        }
    }

    /// Ends it and says what happened to it; `given` is what happened as far as the caller knows.
    pub(super) fn end(mut self, given: Option<How>, memory: Option<u64>) -> Loss {
        // One that is gone already keeps its status; one that talks nonsense is ended.
        let status = self.reap();
        self.hear();
        let said = text(std::mem::take(&mut self.said));
        let words = said.to_lowercase();
        let starved = ["out of memory", "bad_alloc", "cannot allocate memory"].iter().any(|w| words.contains(w))
            || (words.contains("memory allocation of") && words.contains("failed"));
        let how = given.unwrap_or_else(|| {
            if libc::WIFSIGNALED(status) {
                match libc::WTERMSIG(status) {
                    libc::SIGABRT if starved => How::OutOfMemory(memory),
                    // The handler of the crash got stuck.
                    libc::SIGALRM => How::Signal(libc::SIGSEGV),
                    signal => How::Signal(signal),
                }
            } else {
                match libc::WEXITSTATUS(status) {
                    EXIT_MEMORY => How::OutOfMemory(memory),
                    EXIT_GAVE_UP if starved => How::OutOfMemory(memory),
                    EXIT_GAVE_UP => How::GaveUp,
                    EXIT_STACK => How::StackOverflow,
                    EXIT_PANIC => How::Panicked,
                    code => How::NoResult(code),
                }
            }
        });
        Loss { how, said }
    }

    /// Ends idle workers, which have nothing to lose. Taking a process down that has mapped as much as these takes the
    /// system some milliseconds; nobody waits for that.
    pub(super) fn dismiss(workers: Vec<Self>) {
        let pids: Vec<i32> = workers.iter().map(|w| w.pid).collect();
        if pids.is_empty() {
            return;
        }
        for &pid in &pids {
            // SAFETY: a system call on the number of our child, which has not been waited for.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        let collect = {
            let pids = pids.clone();
            move || wait_for_all(&pids)
        };
        if std::thread::Builder::new().name("reaper".into()).stack_size(512 << 10).spawn(collect).is_err() {
            wait_for_all(&pids);
        }
    }

    fn reap(&self) -> i32 {
        // The report of a crash takes a moment to arrive: a process that is ending may continue.
        if self.is_open() {
            // SAFETY: a system call on the number of our child, which has not been waited for.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
        }
        wait(self.pid)
    }

    /// Whether the worker still has its end of the result pipe open.
    fn is_open(&self) -> bool {
        let mut poll = libc::pollfd { fd: self.results.as_raw_fd(), events: 0, revents: 0 };
        // SAFETY: one live structure.
        unsafe { libc::poll(&raw mut poll, 1, 0) };
        poll.revents & libc::POLLHUP == 0
    }
}

fn wait_for_all(pids: &[i32]) {
    for &pid in pids {
        wait(pid);
    }
}

/// Waits for the end of a child; gives its status.
fn wait(pid: i32) -> i32 {
    let mut status = 0;
    // SAFETY: a system call on the number of our child, which no other code waits for.
    unsafe { while libc::waitpid(pid, &raw mut status, 0) == -1 && *libc::__errno_location() == libc::EINTR {} }
    status
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads what there is; false at the end of the pipe.
fn drain(from: &mut File, into: &mut Vec<u8>) -> bool {
    let mut chunk = [0; 65536];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return false,
            Ok(n) => into.extend_from_slice(&chunk[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return e.kind() == io::ErrorKind::WouldBlock,
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: the array takes two descriptors, which are ours from then on.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

fn nonblocking(fd: &OwnedFd) {
    // SAFETY: system calls on a descriptor of ours.
    unsafe {
        let flags = libc::fcntl(fd.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK);
    }
}
