//! `--state`: inputs that the caller would only pass on from the call before become states of the program.
//!
//! [`rule`] reads what the command line says, [`pairs`] finds the inputs and results that it means, [`apply`] changes the
//! functions: a load takes the place of the input, a store that of the result.
mod apply;
mod pairs;
mod rule;

pub(crate) use apply::apply;
pub use rule::{StateArgs, StateRule};
