//! The code that a guardian runs: a fork of this process that starts the command and then only watches it.
//!
//! A fork of a process with threads may only make system calls: this code allocates no memory and takes no locks.
use super::{DONE, EXITED, Note, STARTED, STOPPED};
use libc::{c_char, c_int, c_void, pid_t};
use std::{ffi::CString, io, os::fd::RawFd, ptr};

/// Time for processes that are killed to disappear, in milliseconds.
const PATIENCE_MS: u64 = 2000;

/// Everything that the fork needs, allocated before it.
pub(super) struct Start {
    pub(super) program: CString,
    pub(super) words: Vec<CString>,
    pub(super) environment: Vec<CString>,
    /// Bytes of address space, for each process.
    pub(super) memory: Option<u64>,
    /// The guardian's end of the socket.
    pub(super) control: RawFd,
}

/// Pointers to strings, with a null at the end.
struct Words(Vec<*const c_char>);

impl Words {
    fn of(words: &[CString]) -> Self {
        Self(words.iter().map(|w| w.as_ptr()).chain([ptr::null()]).collect())
    }
}

/// A start with the arrays that the system wants.
pub(super) struct Ready {
    start: Start,
    words: Words,
    environment: Words,
    stack: Vec<u128>,
}

// SAFETY: the pointers are to the strings of `start`, which moves along with them.
unsafe impl Send for Ready {}
// SAFETY: as above; nothing changes them.
unsafe impl Sync for Ready {}

/// Input of the command's first process, which shares the guardian's memory until it runs the program.
struct Child<'a> {
    ready: &'a Ready,
    guardian: pid_t,
    errno: c_int,
}

impl Ready {
    pub(super) fn new(start: Start) -> Self {
        let (words, environment) = (Words::of(&start.words), Words::of(&start.environment));
        Self { start, words, environment, stack: vec![0; 64 << 10 >> 4] }
    }

    /// Starts the command and watches over it until the socket ends. Returns only if it cannot be started.
    ///
    /// # Safety
    /// The process is a fork that has one thread and nothing else to do.
    pub(super) unsafe fn guard(&self) -> io::Error {
        // SAFETY: system calls on numbers and on structures that live through them.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::sigprocmask(libc::SIG_BLOCK, &raw const all, ptr::null_mut());
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
            libc::prctl(libc::PR_SET_NAME, c"halyard-guard".as_ptr());
            let mut children: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut children);
            libc::sigaddset(&raw mut children, libc::SIGCHLD);
            let signals = libc::signalfd(-1, &raw const children, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
            if signals < 0 {
                return io::Error::last_os_error();
            }
            let mut child = Child { ready: self, guardian: libc::getpid(), errno: 0 };
            // As `posix_spawn` does it: nothing is copied, and we wait until the program runs.
            let top = self.stack.as_ptr_range().end.cast_mut().cast::<c_void>();
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let pid = libc::clone(become_command, top, flags, (&raw mut child).cast());
            if pid < 0 {
                return io::Error::last_os_error();
            }
            if ptr::read_volatile(&raw const child.errno) != 0 {
                return io::Error::from_raw_os_error(child.errno);
            }
            send(self.start.control, [STARTED, pid, 0]);
            // Only now: our parent goes on when it sees the last descriptor of the fork closed.
            close_all_but(self.start.control, signals);
            let watch = Watch { control: self.start.control, signals, command: pid, stopped: 0, exited: false };
            watch.run()
        }
    }
}

/// Runs as the command's first process, on its own stack, in the guardian's memory.
extern "C" fn become_command(given: *mut c_void) -> c_int {
    // SAFETY: it is the `Child` of our parent, which waits for us; else system calls on numbers and structures.
    unsafe {
        let child = given.cast::<Child>();
        let ready = (*child).ready;
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != (*child).guardian {
            libc::_exit(127);
        }
        if let Some(bytes) = ready.start.memory {
            let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
            if libc::setrlimit(libc::RLIMIT_AS, &raw const limit) != 0 {
                ptr::write_volatile(&raw mut (*child).errno, *libc::__errno_location());
                libc::_exit(127);
            }
        }
        // Handlers are our tool's; what is ignored stays so.
        for signal in 1..=64 {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut action) == 0 && action.sa_sigaction != libc::SIG_IGN {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        libc::execve(ready.start.program.as_ptr(), ready.words.0.as_ptr(), ready.environment.0.as_ptr());
        ptr::write_volatile(&raw mut (*child).errno, *libc::__errno_location());
        libc::_exit(127)
    }
}

struct Watch {
    control: RawFd,
    signals: RawFd,
    command: pid_t,
    stopped: c_int,
    /// The command's first process has ended. It is not waited for until the end: nobody else gets its number.
    exited: bool,
}

impl Watch {
    fn run(mut self) -> ! {
        loop {
            let watch = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            let mut watched = [watch(self.control), watch(self.signals)];
            // SAFETY: the array lives through the call and its length is given.
            unsafe { libc::poll(watched.as_mut_ptr(), 2, -1) };
            if watched[1].revents != 0 {
                self.look();
            }
            // No data is ever sent to us: a readable socket means the end of this command or of the tool.
            if watched[0].revents != 0 {
                self.finish();
            }
        }
    }

    /// Reports the state of the command, and reaps orphans that have ended.
    fn look(&mut self) {
        drain(self.signals);
        // SAFETY: the structures are plain numbers and live through the calls.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            if libc::waitid(libc::P_PID, self.command.cast_unsigned(), &raw mut info, libc::WSTOPPED | libc::WNOHANG)
                == 0
                && info.si_pid() != 0
                && info.si_status() != self.stopped
            {
                self.stopped = info.si_status();
                send(self.control, [STOPPED, self.stopped, 0]);
            }
            while !self.exited {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
                match libc::waitid(libc::P_ALL, 0, &raw mut info, flags) {
                    0 if info.si_pid() != 0 => {}
                    // The signal is taken: nothing would make us look again.
                    -1 if *libc::__errno_location() == libc::EINTR => continue,
                    _ => return,
                }
                if info.si_pid() == self.command {
                    self.exited = true;
                    send(self.control, [EXITED, status(&info), 0]);
                } else {
                    libc::waitpid(info.si_pid(), ptr::null_mut(), libc::WNOHANG);
                }
            }
        }
    }

    /// Kills whatever is left below us, says how many there were and how many stay, and ends.
    fn finish(&mut self) -> ! {
        self.look();
        let deadline = now() + PATIENCE_MS;
        let mut ended = 0;
        // SAFETY: system calls on numbers.
        unsafe {
            libc::kill(-self.command, libc::SIGKILL);
            libc::kill(self.command, libc::SIGKILL);
            let staying = loop {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
                if libc::waitid(libc::P_ALL, 0, &raw mut info, flags) != 0 {
                    if *libc::__errno_location() == libc::EINTR {
                        continue;
                    }
                    // No child, so no process at all: what loses its parent becomes ours.
                    break 0;
                }
                let gone = info.si_pid();
                if gone != 0 {
                    if gone == self.command && !self.exited {
                        send(self.control, [EXITED, status(&info), 0]);
                    }
                    let killed = info.si_code == libc::CLD_KILLED && info.si_status() == libc::SIGKILL;
                    ended += i32::from(killed && libc::getpgid(gone) != self.command);
                    libc::waitpid(gone, ptr::null_mut(), libc::WNOHANG | libc::__WALL);
                    continue;
                }
                let (found, spared) = kill_children();
                // Processes of another user cannot be killed; where children cannot be listed, only the group was
                // killed.
                if now() > deadline || (found > 0 && found == spared) {
                    break found.max(1);
                }
                let mut watched = libc::pollfd { fd: self.signals, events: libc::POLLIN, revents: 0 };
                libc::poll(&raw mut watched, 1, 5);
                drain(self.signals);
            };
            send(self.control, [DONE, ended, staying]);
            libc::_exit(0)
        }
    }
}

/// Kills all children; how many there are, and how many of them may not be killed.
fn kill_children() -> (i32, i32) {
    let mut found = (0, 0);
    super::children::each(c"/proc/thread-self/children", |pid| {
        found.0 += 1;
        // SAFETY: a system call on the number of our child, which has not been waited for.
        unsafe {
            if libc::kill(pid, libc::SIGKILL) != 0 && *libc::__errno_location() == libc::EPERM {
                found.1 += 1;
            }
        }
    });
    found
}

/// Converts a status to the form that `waitpid` returns.
unsafe fn status(info: &libc::siginfo_t) -> c_int {
    // SAFETY: it is of a child that ended.
    let value = unsafe { info.si_status() };
    match info.si_code {
        libc::CLD_EXITED => (value & 0xff) << 8,
        libc::CLD_DUMPED => value | 0x80,
        _ => value,
    }
}

fn send(control: RawFd, note: Note) {
    // SAFETY: the array lives through the call. A tool that is gone need not be told.
    unsafe {
        while libc::send(control, note.as_ptr().cast(), size_of::<Note>(), libc::MSG_NOSIGNAL) < 0
            && *libc::__errno_location() == libc::EINTR
        {}
    }
}

fn drain(signals: RawFd) {
    let mut buffer = [0_u8; 1024];
    // SAFETY: the buffer lives through the call; the descriptor does not block.
    while unsafe { libc::read(signals, buffer.as_mut_ptr().cast(), buffer.len()) } > 0 {}
}

/// Milliseconds of a clock that never goes back.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives through the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1000 + time.tv_nsec.cast_unsigned() / 1_000_000
}

/// Closes all descriptors except two.
fn close_all_but(a: RawFd, b: RawFd) {
    let (a, b) = (a.min(b), a.max(b));
    for (first, last) in [(0, a - 1), (a + 1, b - 1), (b + 1, RawFd::MAX)] {
        // SAFETY: the descriptors of a fork that only watches.
        unsafe {
            if first <= last && libc::syscall(libc::SYS_close_range, first, last, 0) != 0 {
                for fd in first..=last.min(1 << 16) {
                    libc::close(fd);
                }
            }
        }
    }
}
