//! `--state`: turns inputs that the caller would only pass on from the previous call into states of the program.
//!
//! [`rule`] parses the command line, [`pairs`] finds the inputs and results that it names, [`apply`] changes the
//! functions: a load replaces the input, a store the result.
mod apply;
mod pairs;
mod rule;

pub(crate) use apply::apply;
pub use rule::{StateArgs, StateRule};
