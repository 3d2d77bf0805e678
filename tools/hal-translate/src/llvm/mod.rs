//! LLVM: what a target knows, and from LLVM IR to an object.

mod emit;
mod half;
mod passes;
mod subtarget;

pub(crate) use emit::{Backend, Code, defined, undefined};
pub(crate) use passes::Shape;
pub(crate) use subtarget::{cpus, features, host_cpu, host_features, host_triple, normalize};
