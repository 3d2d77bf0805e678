//! Host functions that every tool and the C library provide, for operators of models that no kernel can compute:
//! decoding images ([`images`]), and writing and reading numbers as text ([`numbers`]).
//!
//! Programs call them as module `halyard`. A module of that name that the caller adds takes precedence.
mod images;
mod numbers;

pub use images::{Pixels, decode};

use halyard_diag::Result;
use halyard_runtime::{HostCall, Modules};

/// Adds the built-in host functions to the modules of a program.
pub fn add(modules: &mut Modules) -> Result<()> {
    modules.add_builtin("halyard.decode_image", "(tensor<?xu8>, i64) -> tensor<?x?x?xu8>", images::call)?;
    modules.add_builtin("halyard.write_numbers", "(tensor<?xany>) -> (tensor<?xi64>, tensor<?xu8>)", numbers::write)?;
    modules.add_builtin("halyard.read_numbers", "(tensor<?xi64>, tensor<?xu8>) -> tensor<?xany>", numbers::read)
}

/// Returns the single integer that an argument holds.
fn number(call: &HostCall<'_>, input: usize) -> Result<i64, String> {
    let bytes = call.input(input).bytes.try_into().map_err(|_| format!("argument {input} is no number of 64 bits"))?;
    Ok(i64::from_le_bytes(bytes))
}
