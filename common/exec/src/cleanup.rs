//! What must be gone when a signal ends the process: children (their process groups, and what left those), scratch
//! folders, and the job server's tokens that we hold.
//!
//! Children run in groups of their own, so that a deadline ends their children, too; Ctrl-C therefore does not reach
//! them by itself. The first child or folder installs a thread that waits for SIGINT, SIGTERM, SIGHUP and SIGQUIT, ends
//! what is listed here and then lets the signal do what it does by default, so that shells see 128+n.
use signal_hook::{
    consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::{
        Mutex, MutexGuard, Once, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// How long children may take to end after SIGTERM when we are ended ourselves.
const GRACE: Duration = Duration::from_millis(500);

/// The variable of a child's environment that its children inherit and by which they are found.
pub(crate) const MARK: &str = "HALYARD_CALL";

static LISTED: Mutex<Listed> =
    Mutex::new(Listed { groups: BTreeSet::new(), folders: BTreeSet::new(), tokens: BTreeMap::new() });
static ENDING: AtomicBool = AtomicBool::new(false);

struct Listed {
    groups: BTreeSet<i32>,
    folders: BTreeSet<PathBuf>,
    /// Each gives a token back when dropped.
    tokens: BTreeMap<u64, Box<dyn Send>>,
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

/// A process group on the list; leaves it when dropped.
#[derive(Debug)]
pub(crate) struct Group(i32);

impl Group {
    /// Starts a child in a group of its own, and lists the group before a signal can miss it.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        watch();
        let mut list = listed();
        let child = command.process_group(0).spawn()?;
        let group = child.id().cast_signed();
        list.groups.insert(group);
        Ok((child, Self(group)))
    }

    /// Sends a signal to all of the group; those that are gone do not matter.
    pub(crate) fn signal(&self, signal: i32) {
        signal_group(self.0, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        listed().groups.remove(&self.0);
    }
}

fn signal_group(group: i32, signal: i32) {
    // SAFETY: a system call on numbers. Groups are positive: they are pids of our children.
    unsafe { libc::kill(-group, signal) };
}

/// Lists a folder.
pub(crate) fn add_folder(path: &Path) {
    watch();
    listed().folders.insert(path.to_owned());
}

/// Takes a folder off the list.
pub(crate) fn remove_folder(path: &Path) {
    listed().folders.remove(path);
}

/// Takes something, and holds it so that it is dropped before the process ends by a signal. No signal comes between.
pub(crate) fn hold(take: impl FnOnce() -> Option<Box<dyn Send>>) -> Option<u64> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    watch();
    let mut list = listed();
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    list.tokens.insert(id, take()?);
    Some(id)
}

/// Drops what [`hold`] holds.
pub(crate) fn release(id: u64) {
    let mut list = listed();
    drop(list.tokens.remove(&id));
}

/// The mark of one call in the environment of a child, by which processes that left its group are found.
#[derive(Debug)]
pub(crate) struct Mark {
    own: String,
}

impl Mark {
    /// A mark that no other call has.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { own: format!("{}.{}", process_mark(), NEXT.fetch_add(1, Ordering::Relaxed)) }
    }

    /// A mark for a child that outlives calls: [`end_left_behind`] spares it.
    pub(crate) fn lasting() -> Self {
        let call = Self::new();
        Self { own: call.own.replacen('.', "+", 1) }
    }

    /// The value for the child: after the mark that we carry ourselves, if any, so that whoever started us finds the
    /// child, too.
    pub(crate) fn value(&self) -> String {
        match std::env::var(MARK) {
            Ok(ours) if !ours.is_empty() => format!("{ours}:{}", self.own),
            _ => self.own.clone(),
        }
    }

    /// Kills every process that carries the mark.
    pub(crate) fn end_all(&self) {
        end_marked(|mark| mark == self.own);
    }
}

/// What the marks of all calls of this process begin with.
fn process_mark() -> &'static str {
    static OWN: OnceLock<String> = OnceLock::new();
    OWN.get_or_init(|| {
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        format!("{}-{:x}", std::process::id(), time.as_nanos())
    })
}

/// Kills processes by the marks in their environment, as far as the system shows it (`/proc` of Linux).
fn end_marked(is_ours: impl Fn(&str) -> bool) -> usize {
    let mut ended = BTreeSet::new();
    let own = std::process::id().cast_signed();
    // A process may start another one while we look.
    for _ in 0..5 {
        let mut found = false;
        let Ok(entries) = std::fs::read_dir("/proc") else { break };
        for pid in entries.flatten().filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok()).filter(|&p| p != own) {
            // Zombies have an empty environment, those of other people cannot be read.
            let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { continue };
            let variables = environment.split(|&b| b == 0).filter_map(|v| std::str::from_utf8(v).ok());
            let mut marks = variables.filter_map(|v| v.strip_prefix(MARK)?.strip_prefix('='));
            if marks.any(|m| m.split(':').any(&is_ours)) {
                found = true;
                ended.insert(pid);
                // SAFETY: a system call on numbers.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
        }
        if !found {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    ended.len()
}

/// Ends the processes that calls of this process left behind, whatever group they are in, and says how many there were.
/// For the end of a run.
pub fn end_left_behind() -> usize {
    let own = process_mark();
    end_marked(|mark| mark.strip_prefix(own).is_some_and(|rest| rest.starts_with('.')))
}

fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        // Where the end of children is ignored, the system forgets how they ended.
        if is_ignored(SIGCHLD) {
            // SAFETY: back to what a process has by default.
            unsafe { libc::signal(SIGCHLD, libc::SIG_DFL) };
        }
        // Where signals cannot be watched, they end the process as they always did.
        let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|&s| !is_ignored(s));
        let Ok(mut signals) = Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                end();
                let _ = emulate_default_handler(signal);
            }
        });
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
    let Listed { groups, folders, tokens } = std::mem::replace(
        &mut *list,
        Listed { groups: BTreeSet::new(), folders: BTreeSet::new(), tokens: BTreeMap::new() },
    );
    drop(list);
    for &group in &groups {
        signal_group(group, libc::SIGTERM);
    }
    let deadline = Instant::now() + GRACE;
    while groups.iter().any(|&group| lives(group)) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    for &group in &groups {
        signal_group(group, libc::SIGKILL);
    }
    if !groups.is_empty() {
        let own = process_mark();
        end_marked(|mark| mark.strip_prefix(own).is_some_and(|rest| rest.starts_with(['.', '+'])));
    }
    for folder in &folders {
        let _ = std::fs::remove_dir_all(folder);
    }
    drop(tokens);
}

/// Whether a child is still there and not a zombie.
fn lives(group: i32) -> bool {
    // SAFETY: the structure is plain numbers and lives through the call.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, group.cast_unsigned(), &raw mut info, flags) == 0 && info.si_pid() == 0
    }
}
