//! What must be gone when a signal ends the process: children (their process groups) and scratch folders.
//!
//! Children run in groups of their own, so that a deadline ends their children, too; Ctrl-C therefore does not reach
//! them by itself. The first child or folder installs a thread that waits for SIGINT, SIGTERM and SIGHUP, ends what is
//! listed here and then lets the signal do what it does by default, so that shells see 128+n.
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, Once, PoisonError},
    time::Duration,
};

static LISTED: Mutex<Listed> = Mutex::new(Listed { groups: BTreeSet::new(), folders: BTreeSet::new() });

#[derive(Default)]
struct Listed {
    groups: BTreeSet<i32>,
    folders: BTreeSet<PathBuf>,
}

fn listed() -> MutexGuard<'static, Listed> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process group on the list; leaves it when dropped.
#[derive(Debug)]
pub(crate) struct Group(i32);

impl Group {
    /// Lists the group of a child that was started with a group of its own.
    pub(crate) fn new(pid: u32) -> Self {
        watch();
        let group = pid.cast_signed();
        listed().groups.insert(group);
        Self(group)
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

fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        // Where signals cannot be watched, they end the process as they always did.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                end();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

fn end() {
    let list = std::mem::take(&mut *listed());
    for &group in &list.groups {
        signal_group(group, libc::SIGTERM);
    }
    if !list.groups.is_empty() {
        std::thread::sleep(Duration::from_millis(200));
    }
    for &group in &list.groups {
        signal_group(group, libc::SIGKILL);
    }
    for folder in &list.folders {
        let _ = std::fs::remove_dir_all(folder);
    }
}
