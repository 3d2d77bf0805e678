//! Measures the peak memory of a piece of work.
//!
//! A limit on the address space alone means little in a fork, which may reuse memory that its parent has freed. So
//! freed memory is returned to the system first, and the peak size of the process is read afterwards (`/proc` of
//! Linux).
use std::{fs, sync::OnceLock};

/// How the allocator of this process returns free memory to the system; that of the C library does unless another one is named.
static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Names the function that returns free memory to the system. An allocator that replaces that of the C library calls this.
pub fn set_memory_release(release: fn()) {
    let _ = RELEASE.set(release);
}

/// Returns free memory to the system.
fn release() {
    if let Some(release) = RELEASE.get() {
        return release();
    }
    // SAFETY: a function of the allocator; the process has one thread.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The memory of this process before a piece of work, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before(u64);

impl Before {
    /// Returns free memory to the system and records the memory in use; `None` if the system does not report it.
    pub(super) fn note() -> Option<Self> {
        release();
        // "5" resets the largest size.
        fs::write("/proc/self/clear_refs", "5").ok()?;
        Some(Self(read()?.of_its_own))
    }

    /// Returns the largest amount of memory used since then. Pages of files, such as code, do not count.
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
