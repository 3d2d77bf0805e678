//! Properties of a device: load-time constants that kernels receive as arguments once their device is known.

use std::collections::BTreeMap;

/// Finds out a property, for an instance with that many threads.
type Find = fn(usize) -> i64;

/// The properties, by name. All are numbers; one that cannot be found out is 0.
const PROPERTIES: [(&str, Find); 12] = [
    ("device.threads", |threads| threads as i64),
    ("device.cores", |_| std::thread::available_parallelism().map_or(1, |n| n.get() as i64)),
    ("device.vector_bytes", |_| vector_bytes()),
    ("device.cache_line_bytes", |_| system(libc::_SC_LEVEL1_DCACHE_LINESIZE)),
    ("device.l1_bytes", |_| cache(1, libc::_SC_LEVEL1_DCACHE_SIZE)),
    ("device.l2_bytes", |_| cache(2, libc::_SC_LEVEL2_CACHE_SIZE)),
    ("device.l3_bytes", |_| cache(3, libc::_SC_LEVEL3_CACHE_SIZE)),
    ("device.page_bytes", |_| system(libc::_SC_PAGESIZE)),
    // A CPU workgroup is one thread, which shares memory with no other.
    ("device.workgroup_threads", |_| 1),
    ("device.subgroup_threads", |_| 1),
    ("device.shared_bytes", |_| 0),
    ("device.memory_bytes", |_| system(libc::_SC_PHYS_PAGES).saturating_mul(system(libc::_SC_PAGESIZE))),
];

/// Returns the names of all properties.
pub fn property_names() -> impl Iterator<Item = &'static str> {
    PROPERTIES.iter().map(|(name, _)| *name)
}

/// The prefix of user-defined constants.
pub const USER_PREFIX: &str = "user.";

/// Whether a load-time constant may have that name.
pub(crate) fn is_known(name: &str) -> bool {
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    property_names().any(|p| p == name) || name.strip_prefix(USER_PREFIX).is_some_and(word)
}

/// The value of a load-time constant: that of a property on this CPU, for an instance with that many threads, or one that
/// was given. `None` if there is no such property, or none was given.
pub fn property(name: &str, threads: usize, given: &BTreeMap<String, i64>) -> Option<i64> {
    if let Some(name) = name.strip_prefix(USER_PREFIX) {
        return given.get(name).copied();
    }
    PROPERTIES.iter().find(|(known, _)| *known == name).map(|(_, value)| value(threads))
}

fn system(what: libc::c_int) -> i64 {
    // SAFETY: it takes any number, and only gives one.
    unsafe { libc::sysconf(what) }.max(0)
}

/// The size of the data cache of a level: what the C library knows, else what the kernel tells (as on AArch64).
fn cache(level: u32, known: libc::c_int) -> i64 {
    let size = system(known);
    if size > 0 {
        return size;
    }
    let read = |i: u32, file: &str| {
        let text = std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{i}/{file}")).ok()?;
        Some(text.trim().to_owned())
    };
    let found = (0..8).find(|&i| {
        read(i, "level").is_some_and(|l| l == level.to_string()) && read(i, "type").is_some_and(|t| t != "Instruction")
    });
    found.and_then(|i| read(i, "size")).and_then(|text| bytes(&text)).unwrap_or(0)
}

/// Parses `48K`, `32M`.
fn bytes(text: &str) -> Option<i64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<i64>().ok()?.checked_mul(unit)
}

/// The widest vector that arithmetic on floats works on.
#[cfg(target_arch = "x86_64")]
fn vector_bytes() -> i64 {
    if is_x86_feature_detected!("avx512f") {
        64
    } else if is_x86_feature_detected!("avx") {
        32
    } else {
        16
    }
}

/// The widest vector that arithmetic on floats works on.
#[cfg(not(target_arch = "x86_64"))]
fn vector_bytes() -> i64 {
    16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_have_plausible_values() {
        let given = BTreeMap::from([("tile".to_owned(), 32)]);
        let property = |name, threads| property(name, threads, &given);
        assert_eq!(property("device.threads", 3), Some(3));
        assert_eq!(property("device.thread", 3), None);
        assert_eq!((property("user.tile", 3), property("user.tiles", 3)), (Some(32), None));
        assert!(is_known("user.tile") && !is_known("user.") && !is_known("tile"));
        assert!(property("device.cores", 1) >= Some(1));
        assert!(matches!(property("device.vector_bytes", 1), Some(16 | 32 | 64)));
        assert!(property("device.page_bytes", 1) >= Some(4096));
        assert!(property_names().all(|name| property(name, 1) >= Some(0)));
    }

    #[test]
    fn sizes_of_sysfs_are_read() {
        assert_eq!(
            (bytes("48K"), bytes("32M"), bytes("512"), bytes("x")),
            (Some(49152), Some(33_554_432), Some(512), None)
        );
    }
}
