//! LLVM: from LLVM IR to an object.

mod emit;
mod fatal;
mod half;
mod passes;

pub(crate) use emit::{Backend, Code, defined, undefined};
pub(crate) use fatal::set_subject;
pub(crate) use passes::Shape;
