//! Instructions of a CPU that look bytes up in registers.

/// How bytes are looked up in a table of 256 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteLookups {
    /// Not in registers: functions of bytes are computed.
    #[default]
    None,
    /// `vpermi2b` takes bytes from two registers.
    TwoRegisters,
    /// `pshufb` takes them from 16 bytes.
    SixteenBytes,
    /// `tbl` takes them from four registers of 16 bytes.
    FourRegisters,
}

impl ByteLookups {
    /// What a CPU with these features has for vectors of so many bits.
    pub fn of(arch: &str, vector_bits: u32, has: impl Fn(&str) -> bool) -> Self {
        let sixteen = match vector_bits {
            512 => "avx512bw",
            256 => "avx2",
            _ => "ssse3",
        };
        match arch {
            "x86_64" if has("avx512vbmi") && (vector_bits == 512 || has("avx512vl")) => Self::TwoRegisters,
            "x86_64" if has(sixteen) => Self::SixteenBytes,
            "aarch64" if vector_bits == 128 && has("neon") => Self::FourRegisters,
            _ => Self::None,
        }
    }

    /// How many instructions look up the bytes of one vector. `vpermi2b` counts as three, which it takes on Intel's CPUs, and `tbl` with four
    /// registers as four.
    pub(crate) fn operations(self, vector_bits: u32) -> Option<u32> {
        let registers = 256 * 8 / vector_bits;
        Some(match self {
            Self::None => return None,
            Self::TwoRegisters => 3 * registers / 2 + 2 * (registers / 2 - 1),
            Self::SixteenBytes => 4 * 16,
            Self::FourRegisters => 4 * 4 + 6,
        })
    }
}
