//! A content-addressed cache of translated executables.
//!
//! An entry is found by everything that reaches its code ([`CacheKey`]): the executable without names, the target, the options,
//! the builds of our tools and of LLVM. The store is one SQLite file ([`ObjectCache`]), safe under several writers and `kill -9`,
//! bounded in size; the least recently used entries go first. Each entry has a checksum. A cache that cannot be used costs time,
//! never a result.

mod args;
mod key;
mod libraries;
mod store;

pub use args::{CacheArgs, CacheChoice, CacheMode};
pub use key::CacheKey;
pub use libraries::library_builds;
pub use store::{CacheStatistics, CachedEntry, ObjectCache};

/// A hash of the sources that the code generator was built from, in hex digits.
pub const SOURCES: &str = env!("HALYARD_SOURCES");
