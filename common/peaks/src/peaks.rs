//! What was measured.
use serde::{Deserialize, Serialize};

/// What is computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArithmeticKind {
    /// Products and sums of 32-bit floats.
    F32,
    /// Products and sums of 64-bit floats.
    F64,
    /// Products of 8-bit integers, summed in 32 bits.
    I8,
}

impl ArithmeticKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::F32, Self::F64, Self::I8];

    /// `f32`, `f64`, `i8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
        }
    }

    /// The kind of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How fast a machine computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArithmeticPeak {
    /// With what.
    pub kind: ArithmeticKind,
    /// The instructions that reach it: `avx512f`.
    pub by: String,
    /// Operations per second; a product and its sum are two.
    pub operations: f64,
}

/// A cache, or memory: the last level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryLevel {
    /// `L1`, `L2`, `L3`, `memory`.
    pub name: String,
    /// What it holds for all threads together, in bytes; `None` is all that there is.
    pub capacity: Option<u64>,
    /// Bytes that all threads together read in a second.
    pub bandwidth: f64,
}

/// What a machine can do at most with a number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// What the processor calls itself.
    pub machine: String,
    /// How many threads were measured.
    pub threads: usize,
    /// Operations per second.
    pub arithmetic: Vec<ArithmeticPeak>,
    /// Bytes per second, the fastest level first.
    pub levels: Vec<MemoryLevel>,
    /// Whether other programs ran meanwhile: the figures may be too low.
    pub busy: bool,
}

impl Peaks {
    /// Operations per second.
    pub fn operations(&self, kind: ArithmeticKind) -> Option<f64> {
        self.arithmetic.iter().find(|a| a.kind == kind).map(|a| a.operations)
    }
}
