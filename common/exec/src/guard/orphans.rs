//! Processes that this process adopts when a guardian is killed: those that the guardian had adopted.
use super::children;
use crate::cleanup;
use std::{collections::BTreeSet, ffi::CString, ptr, time::Duration};

/// The most passes over the list: a process may start another one during a pass.
const ROUNDS: usize = 100;

/// Kills the group of a command, and all children of ours that neither we started nor our forks are: those are in our own
/// group. How many there were beside the group.
pub(super) fn end(group: i32) -> usize {
    let mut ended = BTreeSet::new();
    for _ in 0..ROUNDS {
        let mut found = false;
        cleanup::with_guardians(|guardians| {
            // SAFETY: system calls on integers. Every process found is our child, and no other code waits for it.
            unsafe {
                libc::kill(-group, libc::SIGKILL);
                let own = libc::getpgrp();
                for_each_child(|pid| {
                    let its = libc::getpgid(pid);
                    if its == own || guardians(pid) {
                        return;
                    }
                    found = true;
                    if its != group {
                        ended.insert(pid);
                    }
                    libc::kill(pid, libc::SIGKILL);
                    libc::waitpid(pid, ptr::null_mut(), libc::WNOHANG);
                });
            }
        });
        if !found {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    ended.len()
}

/// Calls `f` with each child of each thread: an orphan becomes a child of any of them.
fn for_each_child(mut f: impl FnMut(i32)) {
    for thread in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let Some(name) = thread.file_name().to_str().map(str::to_owned) else { continue };
        if let Ok(file) = CString::new(format!("/proc/self/task/{name}/children")) {
            children::each(&file, &mut f);
        }
    }
}
