//! The features of this CPU, by LLVM's names, as far as this process may use them.

/// The features beyond what every CPU of an architecture has that [`has`] can test, on one architecture or another.
pub const TESTED_FEATURES: &[&str] = &[
    "adx",
    "aes",
    "amx-bf16",
    "amx-int8",
    "amx-tile",
    "avx",
    "avx2",
    "avx512bf16",
    "avx512bitalg",
    "avx512bw",
    "avx512cd",
    "avx512dq",
    "avx512f",
    "avx512fp16",
    "avx512ifma",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512vl",
    "avx512vnni",
    "avx512vp2intersect",
    "avx512vpopcntdq",
    "avxvnni",
    "bf16",
    "bmi",
    "bmi2",
    "crc",
    "cx16",
    "dotprod",
    "f16c",
    "fma",
    "fullfp16",
    "gfni",
    "i8mm",
    "lse",
    "lzcnt",
    "movbe",
    "neon",
    "pclmul",
    "popcnt",
    "rcpc",
    "rdm",
    "rdrnd",
    "rdseed",
    "sha",
    "sha2",
    "sse3",
    "sse4.1",
    "sse4.2",
    "sse4a",
    "ssse3",
    "sve",
    "sve2",
    "vaes",
    "vpclmulqdq",
    "v",
    "xsave",
    "xsavec",
    "xsaveopt",
    "xsaves",
    "zba",
    "zbb",
    "zbc",
    "zbs",
    "zfa",
    "zfh",
    "zfhmin",
    "zicond",
    "zvbb",
    "zvfh",
    "zvfhmin",
];

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! has {
    ($detect:ident, $feature:expr, $($llvm:literal => $rust:tt),* $(,)?) => {
        match $feature { $($llvm => Some(std::arch::$detect!($rust)),)* _ => None }
    };
}

/// Whether this CPU has a feature; `None` if the name is not known here.
#[cfg(target_arch = "x86_64")]
pub fn has(feature: &str) -> Option<bool> {
    // LLVM has different names for these, or every 64-bit CPU has them.
    if matches!(feature, "64bit" | "cx8" | "mmx" | "x87" | "cmov" | "fxsr" | "sse" | "sse2") {
        return Some(true);
    }
    if let Some(has) = tile_registers::has(feature) {
        return Some(has);
    }
    has!(is_x86_feature_detected, feature,
        "adx" => "adx", "aes" => "aes", "avx" => "avx", "avx2" => "avx2", "avx512f" => "avx512f", "avx512cd" => "avx512cd",
        "avx512bw" => "avx512bw", "avx512dq" => "avx512dq", "avx512vl" => "avx512vl", "avx512vbmi" => "avx512vbmi",
        "avx512vbmi2" => "avx512vbmi2", "avx512vnni" => "avx512vnni", "avx512bitalg" => "avx512bitalg",
        "avx512vpopcntdq" => "avx512vpopcntdq", "avx512ifma" => "avx512ifma", "avx512bf16" => "avx512bf16",
        "avx512fp16" => "avx512fp16", "avx512vp2intersect" => "avx512vp2intersect", "avxvnni" => "avxvnni", "bmi" => "bmi1",
        "bmi2" => "bmi2", "cx16" => "cmpxchg16b", "f16c" => "f16c", "fma" => "fma", "gfni" => "gfni", "lzcnt" => "lzcnt",
        "movbe" => "movbe", "pclmul" => "pclmulqdq", "popcnt" => "popcnt", "rdrnd" => "rdrand", "rdseed" => "rdseed",
        "sha" => "sha", "sse3" => "sse3", "ssse3" => "ssse3", "sse4.1" => "sse4.1", "sse4.2" => "sse4.2", "sse4a" => "sse4a",
        "vaes" => "vaes", "vpclmulqdq" => "vpclmulqdq", "xsave" => "xsave", "xsavec" => "xsavec", "xsaveopt" => "xsaveopt",
        "xsaves" => "xsaves")
}

/// Whether this CPU has a feature; `None` if the name is not known here.
#[cfg(target_arch = "aarch64")]
pub fn has(feature: &str) -> Option<bool> {
    has!(is_aarch64_feature_detected, feature,
        "neon" => "neon", "fp-armv8" => "neon", "aes" => "aes", "sha2" => "sha2", "crc" => "crc", "lse" => "lse",
        "fullfp16" => "fp16", "dotprod" => "dotprod", "i8mm" => "i8mm", "bf16" => "bf16", "sve" => "sve", "sve2" => "sve2",
        "rdm" => "rdm", "rcpc" => "rcpc")
}

/// Prepares this process for code that uses whatever registers the CPU has.
pub fn permit_registers() {
    #[cfg(target_arch = "x86_64")]
    tile_registers::permitted();
}

#[cfg(target_arch = "riscv64")]
mod riscv;
#[cfg(target_arch = "x86_64")]
mod tile_registers;
#[cfg(target_arch = "riscv64")]
pub use riscv::has;

/// Whether this CPU has a feature; `None` if the name is not known here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
pub fn has(_feature: &str) -> Option<bool> {
    None
}
