//! Cleans up when a signal ends the process: commands, through their guardians ([`crate::guard`]), scratch folders,
//! and the tokens of the job server that this process holds.
//!
//! Commands run in process groups of their own, so that a deadline ends their children, too; Ctrl-C therefore does not
//! reach them directly. The first command or folder installs a thread that waits for SIGINT, SIGTERM, SIGHUP and
//! SIGQUIT, cleans up everything on the list, and then lets the signal take its default action, so that shells see
//! exit code 128+n.
use signal_hook::{
    consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    os::fd::RawFd,
    path::{Path, PathBuf},
    ptr,
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

/// Time for children to end after SIGTERM when this process is being ended itself.
const GRACE: Duration = Duration::from_millis(500);

/// Time for their guardians to end after that.
const PATIENCE: Duration = Duration::from_secs(3);

static LISTED: Mutex<Listed> = Mutex::new(Listed::new());
static ENDING: AtomicBool = AtomicBool::new(false);

struct Listed {
    /// Keyed by the guardian's process number: the group of its command, and our end of the socket.
    commands: BTreeMap<i32, (i32, RawFd)>,
    /// Guardians that are done and have not been waited for.
    done: Vec<i32>,
    folders: BTreeSet<PathBuf>,
    /// Each gives a token back when dropped.
    tokens: BTreeMap<u64, Box<dyn Send>>,
}

impl Listed {
    const fn new() -> Self {
        Self { commands: BTreeMap::new(), done: Vec::new(), folders: BTreeSet::new(), tokens: BTreeMap::new() }
    }

    /// Reaps guardians that have ended.
    fn reap(&mut self) {
        // SAFETY: a system call on the numbers of children that no other code waits for.
        self.done.retain(|&guardian| unsafe { libc::waitpid(guardian, ptr::null_mut(), libc::WNOHANG) == 0 });
    }
}

/// The list, for a change. Never returns once a signal ends the process: nothing new may start then, and no thread may
/// report the end of children that we ended ourselves, or finish the process before the signal does.
fn listed() -> MutexGuard<'static, Listed> {
    let guard = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    if ENDING.load(Ordering::SeqCst) {
        drop(guard);
        loop {
            std::thread::park();
        }
    }
    guard
}

/// Starts a command and lists it before a signal can miss it: `start` gives the number of its guardian, its group, and our
/// end of the socket.
pub(crate) fn list<T>(start: impl FnOnce() -> io::Result<(i32, (i32, RawFd), T)>) -> io::Result<T> {
    watch();
    let mut list = listed();
    list.reap();
    let (guardian, command, value) = start()?;
    list.commands.insert(guardian, command);
    Ok(value)
}

/// Removes a command that has ended from the list.
pub(crate) fn unlist(guardian: i32) {
    let mut list = listed();
    list.commands.remove(&guardian);
    list.done.push(guardian);
    list.reap();
}

/// Calls a function that can tell which processes are guardians; none comes meanwhile.
pub(crate) fn with_guardians(f: impl FnOnce(&dyn Fn(i32) -> bool)) {
    let list = listed();
    f(&|pid| list.commands.contains_key(&pid) || list.done.contains(&pid));
}

/// Adds a folder to the list.
pub(crate) fn add_folder(path: &Path) {
    watch();
    listed().folders.insert(path.to_owned());
}

/// Removes a folder from the list.
pub(crate) fn remove_folder(path: &Path) {
    listed().folders.remove(path);
}

/// Acquires something, and keeps it so that it is dropped before a signal ends the process. No signal is handled
/// meanwhile.
pub(crate) fn hold(take: impl FnOnce() -> Option<Box<dyn Send>>) -> Option<u64> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    watch();
    let mut list = listed();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    list.tokens.insert(id, take()?);
    Some(id)
}

/// Drops a value that [`hold`] keeps.
pub(crate) fn release(id: u64) {
    let mut list = listed();
    drop(list.tokens.remove(&id));
}

pub(crate) fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        // Where the end of children is ignored, the system forgets how they ended.
        if is_ignored(SIGCHLD) {
            // SAFETY: back to what a process has by default.
            unsafe { libc::signal(SIGCHLD, libc::SIG_DFL) };
        }
        // Descendants without a guardian become our children, see `guard::orphans`.
        // SAFETY: a system call on numbers.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
        // Where signals cannot be watched, they end the process as they always did.
        let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|&s| !is_ignored(s));
        let wanted: Vec<i32> = wanted.collect();
        // The thread first: without one nobody would act on signals that are caught.
        let (started, start) = mpsc::sync_channel::<()>(0);
        let watcher = std::thread::Builder::new().spawn(move || {
            let signals = Signals::new(wanted);
            drop(started);
            let Ok(mut signals) = signals else { return };
            for signal in signals.forever() {
                if crate::interrupt::takes(signal) {
                    continue;
                }
                end();
                let _ = emulate_default_handler(signal);
            }
        });
        if watcher.is_ok() {
            // Until they are caught.
            let _ = start.recv();
        }
    });
}

/// Whether our parent asked for a signal to be ignored, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: the structure is plain numbers and lives through the call, which only reads the disposition.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

fn end() {
    let mut list = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    ENDING.store(true, Ordering::SeqCst);
    let Listed { commands, folders, tokens, .. } = std::mem::replace(&mut *list, Listed::new());
    drop(list);
    for &(group, _) in commands.values() {
        // SAFETY: a system call on the number of a group that its guardian keeps.
        unsafe { libc::kill(-group, libc::SIGTERM) };
    }
    wait_for(commands.values().map(|&(group, _)| group), GRACE);
    for &(_, control) in commands.values() {
        // SAFETY: a system call on a descriptor that stays open: its owner must take the lock of the list, which ends
        // here.
        unsafe { libc::shutdown(control, libc::SHUT_WR) };
    }
    wait_for(commands.into_keys(), PATIENCE);
    for folder in &folders {
        crate::scratch::remove(folder);
    }
    drop(tokens);
}

/// Waits until processes have ended, or until the time is up. They need not be children of this process.
fn wait_for(processes: impl Iterator<Item = i32>, most: Duration) {
    let deadline = Instant::now() + most;
    for process in processes {
        // SAFETY: system calls on numbers, and on a structure that lives through it.
        unsafe {
            let fd = RawFd::try_from(libc::syscall(libc::SYS_pidfd_open, process, 0)).unwrap_or(-1);
            if fd < 0 {
                // It is gone already, or this is an old system.
                while *libc::__errno_location() == libc::ENOSYS
                    && libc::kill(process, 0) == 0
                    && Instant::now() < deadline
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now()).as_millis();
            let mut watched = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            libc::poll(&raw mut watched, 1, i32::try_from(left).unwrap_or(i32::MAX));
            libc::close(fd);
        }
    }
}
