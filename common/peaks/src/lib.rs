//! The peaks of a machine: operations and bytes per second, measured once and stored; and the least time that work
//! takes there (the roofline).
//!
//! [`measure`] runs small kernels (`kernels`) on all threads and takes the best of many short bursts, so that other
//! programs and interrupts spoil a burst, not the result. [`Peaks::of_this_machine`] stores the result in the user's
//! cache. [`Roof`] is the bound: no kernel takes less time than its operations need at the peak, nor less than its
//! bytes need from the caches that can hold them.

mod burst;
mod caches;
mod evict;
mod kernels;
mod machine;
mod measure;
mod peaks;
mod roof;
mod store;

pub use evict::CacheEviction;
pub use machine::{busy_machine, cores};
pub use measure::measure;
pub use peaks::{ArithmeticKind, ArithmeticPeak, MemoryLevel, Peaks};
pub use roof::{CacheState, Roof, RoofLimit};
