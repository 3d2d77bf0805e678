//! A content-addressed cache of translated executables, imported programs and replies of preprocessors.
//!
//! An entry is found by everything that reaches its code ([`CacheKey`]): the executable without names, the target, the options,
//! the builds of our tools and of LLVM. Stores have one interface ([`EntryStore`]): one SQLite file ([`ObjectCache`]), safe under
//! several writers and `kill -9`, bounded in size, where the least recently used entries go first; and one that others share
//! ([`SharedStore`]), through a process of its own. [`EntryLayers`] asks one after the other. Each entry has a checksum. A cache
//! that cannot be used costs time, never a result.

mod args;
mod digest;
mod envelope;
mod key;
mod layers;
mod libraries;
mod local;
mod shared;
mod store;

pub use args::{CacheArgs, CacheChoice, CacheMode, LocalCacheArgs};
pub use digest::{content_digest, file_digest};
pub use envelope::LARGEST;
pub use key::CacheKey;
pub use layers::EntryLayers;
pub use libraries::library_builds;
pub use local::{CacheStatistics, CachedEntry, KindStatistics, ObjectCache};
pub use shared::{SharedStore, StoreAddress, StoreGreeting, StoreReply, StoreRequest};
pub use store::EntryStore;

/// A hash of the sources that the code generator was built from, in hex digits.
pub const SOURCES: &str = env!("HALYARD_SOURCES");

/// A hash of the sources that the import was built from, in hex digits.
pub const IMPORT_SOURCES: &str = env!("HALYARD_IMPORT_SOURCES");

/// A hash of the sources that the linker of programs was built from, in hex digits.
pub const LINK_SOURCES: &str = env!("HALYARD_LINK_SOURCES");
