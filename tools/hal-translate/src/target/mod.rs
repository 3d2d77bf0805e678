//! What to generate code for.

mod cpu;
mod nearest;
mod parse;

pub use cpu::CpuTarget;
pub(crate) use nearest::{either, nearest};
pub use parse::parse_targets;
