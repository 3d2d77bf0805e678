//! LLVM: what a target knows, and from LLVM IR to an object.

mod emit;
mod fatal;
mod half;
mod passes;
mod subtarget;

pub(crate) use emit::{Backend, Code, defined, undefined};
pub(crate) use fatal::set_subject;
pub(crate) use passes::Shape;
pub(crate) use subtarget::{cpus, features, host_cpu, host_features, host_triple, normalize};
