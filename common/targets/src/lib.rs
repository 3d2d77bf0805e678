//! What code is generated for: `--target`, and what LLVM knows of a CPU.

mod cpu;
mod messages;
mod parse;
mod subtarget;

pub use cpu::CpuTarget;
pub use messages::{collect_messages, take_messages};
pub use parse::parse_targets;
pub use subtarget::{initialize, normalize};
