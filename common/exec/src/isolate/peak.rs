//! How much memory a piece of work takes at most.
//!
//! A limit of the address space alone says little in a fork: it has what its parent has freed, and may use that again. So
//! that is given back first, and the largest size of the process is looked at afterwards (`/proc` of Linux).
use std::fs;

/// The memory of this process before a piece of work, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before(u64);

impl Before {
    /// Gives back what is free and notes what is used; `None` where the system does not tell.
    pub(super) fn note() -> Option<Self> {
        // SAFETY: a function of the allocator; the process has one thread.
        #[cfg(target_env = "gnu")]
        unsafe {
            libc::malloc_trim(0);
        }
        // "5" resets the largest size.
        fs::write("/proc/self/clear_refs", "5").ok()?;
        Some(Self(read()?.of_its_own))
    }

    /// How much more was used at once since then. Pages of files, such as code, do not count.
    pub(super) fn most_since(self) -> Option<u64> {
        let now = read()?;
        Some(now.largest.saturating_sub(now.of_files).saturating_sub(self.0))
    }
}

struct Sizes {
    largest: u64,
    of_its_own: u64,
    of_files: u64,
}

fn read() -> Option<Sizes> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
    };
    let of_files = field("RssFile")? + field("RssShmem")?;
    Some(Sizes { largest: field("VmHWM")?, of_its_own: field("RssAnon")?, of_files })
}
