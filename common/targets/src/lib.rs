//! What code is generated for: `--target`, and what LLVM knows of a CPU.

mod cpu;
mod parse;
mod subtarget;

pub use cpu::CpuTarget;
pub use parse::parse_targets;
pub use subtarget::{initialize, normalize};
