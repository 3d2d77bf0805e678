//! Host functions: what a program calls that is not part of it.
//!
//! [`Modules`] holds what there is: functions of libraries (`include/halyard/module.h`), of a C application, of Rust.
//! Loading a program binds what it needs ([`Modules::bind`]); the interpreter calls it through a [`HostCall`].
mod call;
mod ffi;
mod modules;
mod run;
mod signature;

pub use call::{HostCall, HostTensor};
pub use ffi::{CCall, CFunction, CHostFunction, CModule, CTensor as CHostTensor, MODULE_ABI};
pub(crate) use modules::Bound;
pub use modules::Modules;
