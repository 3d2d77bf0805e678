//! The kernels that are measured. On x86-64 they use its vector instructions, selected by the features of the
//! processor; elsewhere they are loops over arrays, which the compiler vectorizes.
mod portable;
#[cfg(target_arch = "x86_64")]
mod tiles;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::ArithmeticKind;

/// A kernel that computes for a number of rounds; returns the number of operations.
pub(crate) type ArithmeticKernel = fn(u64) -> f64;
/// A kernel that reads an array once.
pub(crate) type ReadKernel = fn(&[u64]);

/// Kernels of a kind, each with the name of its instructions. The best of them is what the processor can do: a wide vector may slow
/// the clock down.
pub(crate) fn arithmetic(kind: ArithmeticKind) -> Vec<(&'static str, ArithmeticKernel)> {
    #[cfg(target_arch = "x86_64")]
    let mut all = x86::arithmetic(kind);
    #[cfg(not(target_arch = "x86_64"))]
    let mut all = Vec::new();
    if all.is_empty() {
        all.push(portable::arithmetic(kind));
    }
    all
}

/// Returns the kernels that read memory.
pub(crate) fn reads() -> Vec<ReadKernel> {
    #[cfg(target_arch = "x86_64")]
    let mut all = x86::reads();
    #[cfg(not(target_arch = "x86_64"))]
    let mut all = Vec::new();
    if all.is_empty() {
        all.push(portable::read as ReadKernel);
    }
    all
}
