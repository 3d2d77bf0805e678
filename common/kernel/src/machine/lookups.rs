//! Instructions of a CPU that look bytes up in registers.

/// How a byte finds its place in a table of 256 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteLookups {
    /// One after the other, in memory.
    #[default]
    None,
    /// `vpermi2b`: in two registers.
    TwoRegisters,
    /// `pshufb`: in 16 bytes.
    SixteenBytes,
    /// `tbl`: in four registers of 16 bytes.
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

    /// The instructions that look up a vector of so many bits, counted in the code: those of Intel's `vpermi2b`, and of `tbl` with four
    /// registers, count as three and four.
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
