//! Host functions that every tool and the C library bring along, for operators of models that no kernel can have: images are decoded
//! ([`images`]), numbers are written as text and read from it ([`numbers`]).
//!
//! A program calls them as module `halyard`; a module of that name that somebody gives goes before them.
mod images;
mod numbers;

pub use images::{Pixels, decode};

use halyard_diag::Result;
use halyard_runtime::{HostCall, Modules};

/// Adds the functions.
pub fn add(modules: &mut Modules) -> Result<()> {
    modules.add_builtin("halyard.decode_image", "(tensor<?xu8>, i64) -> tensor<?x?x?xu8>", images::call)?;
    modules.add_builtin("halyard.write_numbers", "(tensor<?xany>) -> (tensor<?xi64>, tensor<?xu8>)", numbers::write)?;
    modules.add_builtin("halyard.read_numbers", "(tensor<?xi64>, tensor<?xu8>) -> tensor<?xany>", numbers::read)
}

/// The one number of an argument.
fn number(call: &HostCall<'_>, input: usize) -> Result<i64, String> {
    let bytes = call.input(input).bytes.try_into().map_err(|_| format!("argument {input} is no number of 64 bits"))?;
    Ok(i64::from_le_bytes(bytes))
}
