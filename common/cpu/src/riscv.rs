//! The features of a RISC-V CPU: the system tells extensions of one letter by `AT_HWCAP`, and others, since Linux 6.4, by `riscv_hwprobe`.

/// The system call `riscv_hwprobe`, and its key for extensions of application processors.
const HWPROBE: libc::c_long = 258;
const EXTENSIONS: i64 = 4;

/// The bits of that key (`asm/hwprobe.h`), by LLVM's names.
const BITS: [(&str, u32); 11] = [
    ("zba", 3),
    ("zbb", 4),
    ("zbs", 5),
    ("zbc", 7),
    ("zvbb", 17),
    ("zfh", 27),
    ("zfhmin", 28),
    ("zvfh", 30),
    ("zvfhmin", 31),
    ("zfa", 32),
    ("zicond", 35),
];

/// Whether this CPU has a feature; `None` if the name is not known here.
pub fn has(feature: &str) -> Option<bool> {
    if let [letter @ (b'm' | b'a' | b'f' | b'd' | b'c' | b'v')] = feature.as_bytes() {
        // SAFETY: reads a word that the system gave the process.
        let letters = unsafe { libc::getauxval(libc::AT_HWCAP) };
        return Some(letters >> (letter - b'a') & 1 != 0);
    }
    let (_, bit) = BITS.iter().find(|(name, _)| *name == feature)?;
    Some(extensions() >> bit & 1 != 0)
}

/// The extensions that the system knows of; none where it does not tell.
fn extensions() -> u64 {
    #[repr(C)]
    struct Pair {
        key: i64,
        value: u64,
    }
    let mut pair = Pair { key: EXTENSIONS, value: 0 };
    // SAFETY: one live pair, which the system fills in; no set of CPUs means all of them.
    let failed = unsafe { libc::syscall(HWPROBE, &raw mut pair, 1usize, 0usize, std::ptr::null::<u8>(), 0u32) };
    // An older system leaves the value alone, and one that does not know the key makes it -1.
    if failed == 0 && pair.key == EXTENSIONS { pair.value } else { 0 }
}
