//! Loads linked programs: one set of flags ([`LoadArgs`]) and one loader ([`Loader`]) for all tools that run programs,
//! so that all of them accept the same programs and report the same errors.

mod args;
mod changed;
mod device;
mod load;
mod monitor;
mod size_argument;

pub use args::LoadArgs;
pub use device::{DeviceArgs, FallbackDevice, list_devices};
pub use load::{Loader, listed};
pub use monitor::monitored;
pub use size_argument::SizeArgument;
