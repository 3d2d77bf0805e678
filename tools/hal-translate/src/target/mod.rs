//! What to generate code for.

mod cpu;
mod parse;

pub use cpu::CpuTarget;
pub use parse::parse_targets;
