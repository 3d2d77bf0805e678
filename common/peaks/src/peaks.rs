//! The peaks that were measured.
use serde::{Deserialize, Serialize};

/// The type of arithmetic.
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
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::F32, Self::F64, Self::I8];

    /// Returns the name: `f32`, `f64`, `i8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
        }
    }

    /// Returns the kind with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The peak of one kind of arithmetic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArithmeticPeak {
    /// The kind of arithmetic.
    pub kind: ArithmeticKind,
    /// The instructions that reach it: `avx512f`.
    pub by: String,
    /// Operations per second; a product and its sum are two.
    pub operations: f64,
}

/// A cache, or memory: the last level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryLevel {
    /// The level: `L1`, `L2`, `L3` or `memory`.
    pub name: String,
    /// The capacity for all threads together, in bytes; `None` for memory.
    pub capacity: Option<u64>,
    /// Bytes that all threads together read in a second.
    pub bandwidth: f64,
}

/// The peaks of a machine with a number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// The processor's model name.
    pub machine: String,
    /// The number of threads that were measured.
    pub threads: usize,
    /// The peak of each kind of arithmetic.
    pub arithmetic: Vec<ArithmeticPeak>,
    /// Bytes per second, the fastest level first.
    pub levels: Vec<MemoryLevel>,
    /// Whether other programs ran during the measurement: the figures may be too low.
    pub busy: bool,
}

impl Peaks {
    /// Returns the operations per second of a kind.
    pub fn operations(&self, kind: ArithmeticKind) -> Option<f64> {
        self.arithmetic.iter().find(|a| a.kind == kind).map(|a| a.operations)
    }
}
