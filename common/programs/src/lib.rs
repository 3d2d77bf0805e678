//! How tools that run linked programs load them: one set of flags ([`LoadArgs`]), and one way from them to programs
//! ([`Loader`]), so that a program that one tool loads, all load, with the same words.

mod args;
mod device;
mod load;
mod monitor;
mod size_argument;

pub use args::LoadArgs;
pub use device::{DeviceArgs, FallbackDevice, list_devices};
pub use load::{Loader, listed};
pub use monitor::monitored;
pub use size_argument::SizeArgument;
