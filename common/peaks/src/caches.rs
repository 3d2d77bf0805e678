//! The data caches of a core, as Linux reports them.
use std::fs;

/// A data cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DataCache {
    pub(crate) level: u32,
    pub(crate) bytes: u64,
    /// The number of logical processors that share it.
    pub(crate) shared_by: usize,
}

impl DataCache {
    /// Returns the capacity that this many threads have together, each on its own core.
    pub(crate) fn capacity(self, threads: usize) -> u64 {
        self.bytes * threads.div_ceil(self.shared_by.max(1)) as u64
    }

    /// Whether only one core, with its hardware threads, uses it.
    pub(crate) fn is_own(self) -> bool {
        self.level < 3 && self.shared_by <= 2
    }

    /// Returns the share of each of this many threads.
    pub(crate) fn each(self, threads: usize) -> u64 {
        self.capacity(threads) / threads as u64
    }
}

/// The data caches of the first core, the nearest first. Where the system says nothing, sizes that most processors have.
pub(crate) fn data_caches() -> Vec<DataCache> {
    let mut found: Vec<DataCache> = (0..16).map_while(read).flatten().collect();
    found.sort_by_key(|cache| cache.level);
    if found.is_empty() {
        let usual = [(1, 32 << 10, 1), (2, 256 << 10, 1)];
        found = usual.map(|(level, bytes, shared_by)| DataCache { level, bytes, shared_by }).into();
    }
    found
}

/// Cache number `index`: `None` if there is none, `Some(None)` if it holds no data.
fn read(index: usize) -> Option<Option<DataCache>> {
    let value = |name: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
        fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    };
    let kind = value("type")?;
    let cache = || {
        Some(DataCache {
            level: value("level")?.parse().ok()?,
            bytes: size(&value("size")?)?,
            shared_by: value("shared_cpu_list").and_then(|list| count(&list)).unwrap_or(1),
        })
    };
    Some(if kind == "Instruction" { None } else { cache() })
}

/// Parses a size such as `32K` or `1M`.
fn size(text: &str) -> Option<u64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok().filter(|n| *n > 0).map(|n| n * factor)
}

/// Counts the processors in a list such as `0-3,8`.
fn count(list: &str) -> Option<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        (last + 1).checked_sub(first)
    };
    list.split(',').map(range).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_writes_is_read() {
        assert_eq!(
            [size("32K"), size("2M"), size("512"), size("0K"), size("")],
            [Some(32 << 10), Some(2 << 20), Some(512), None, None]
        );
        assert_eq!([count("0"), count("0-3,8"), count("0-1,4-5"), count("x")], [Some(1), Some(5), Some(4), None]);
    }

    #[test]
    fn threads_share_what_they_must() {
        let cache = DataCache { level: 3, bytes: 32 << 20, shared_by: 8 };
        assert_eq!((cache.capacity(2), cache.each(2)), (32 << 20, 16 << 20));
        assert_eq!((cache.capacity(16), cache.each(16)), (64 << 20, 4 << 20));
        let own = DataCache { level: 1, bytes: 32 << 10, shared_by: 1 };
        assert_eq!((own.capacity(4), own.each(4)), (128 << 10, 32 << 10));
    }

    #[test]
    fn this_machine_has_caches_that_grow() {
        let caches = data_caches();
        assert!(caches.windows(2).all(|w| w[0].level < w[1].level && w[0].bytes <= w[1].bytes), "{caches:?}");
    }
}
