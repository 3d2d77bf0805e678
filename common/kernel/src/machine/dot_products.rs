//! Instructions that add several products of short numbers to a sum at once: which of them a CPU has.

/// The instructions of a CPU, by the kind of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct DotProducts {
    /// Four products of bytes.
    pub(crate) bytes: Option<Instruction>,
    /// Two products of 16-bit words.
    pub(crate) words: Option<Instruction>,
    /// Two products of bf16.
    pub(crate) halves: bool,
    /// Products of matrices of bytes, the first ones unsigned, in tile registers of 16 rows of 64 bytes: AMX.
    pub(crate) tiles: bool,
}

/// An instruction, or two that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// `vpdpbusd`: bytes, the first ones unsigned.
    Bytes,
    /// `sdot`: signed bytes.
    SignedBytes,
    /// `vpdpwssd`: words.
    Words,
    /// `pmaddwd` and an addition: words.
    WordsThenAdd,
    /// `vdpbf16ps`: bf16. Each product and sum is rounded, and numbers below the normal range count as zero.
    Halves,
    /// A fused multiply-add of f32, to which the numbers were made wider when they were copied.
    Wide,
}

impl DotProducts {
    /// The instruction for bytes that are packed when a program is linked: one of bytes, else one of words, which bytes become.
    pub(crate) fn of_packed_bytes(&self) -> Option<Instruction> {
        self.bytes.or(self.words)
    }

    /// How many packed bytes stand side by side for it.
    pub fn bytes_together(&self) -> Option<i64> {
        Some(match self.of_packed_bytes()? {
            Instruction::Words | Instruction::WordsThenAdd => 2,
            _ => 4,
        })
    }

    /// What a CPU with these features has for vectors of so many bits; `fast` lets sums of bf16 lose what is below the
    /// normal range.
    pub fn of(arch: &str, vector_bits: u32, fast: bool, has: impl Fn(&str) -> bool) -> Self {
        if arch == "aarch64" {
            return Self { bytes: has("dotprod").then_some(Instruction::SignedBytes), ..Self::default() };
        }
        if arch != "x86_64" {
            return Self::default();
        }
        let short = has("avx512vl") || vector_bits == 512;
        let vnni = has("avx512vnni") && short || has("avxvnni") && vector_bits < 512;
        let multiplies = match vector_bits {
            512 => has("avx512bw") && has("avx2"),
            256 => has("avx2"),
            _ => has("sse2"),
        };
        let words = multiplies.then_some(if vnni { Instruction::Words } else { Instruction::WordsThenAdd });
        Self {
            bytes: vnni.then_some(Instruction::Bytes),
            words,
            halves: fast && has("avx512bf16") && short,
            tiles: has("amx-int8") && vnni && vector_bits == 512,
        }
    }
}
