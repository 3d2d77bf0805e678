//! Host functions: external functions that the host program calls.
//!
//! [`Modules`] holds the available functions: of libraries (`include/halyard/module.h`), of a C application, of Rust.
//! Loading a program binds those that it needs ([`Modules::bind`]); the interpreter calls them through a [`HostCall`].
mod bind;
mod call;
mod ffi;
mod modules;
mod run;
mod signature;

pub(crate) use bind::Bound;
pub use call::{HostCall, HostTensor};
pub use ffi::{CCall, CFunction, CHostFunction, CHostTensor, CModule, MODULE_ABI};
pub use modules::Modules;
