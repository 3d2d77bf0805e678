//! What all stores of entries have in common.
use crate::{CacheKey, ObjectCache};
use halyard_diag::Result;

/// A store of entries: a file of this machine ([`ObjectCache`]), or one that is shared ([`crate::SharedStore`]).
pub trait EntryStore {
    /// The contents of entries, in the order of the keys; `None` where there is none that is sound. Errors: the store cannot be read.
    fn get_all(&mut self, keys: &[&CacheKey]) -> Result<Vec<Option<Vec<u8>>>>;

    /// Adds entries; those that are there already may stay. Errors: the store cannot be written.
    fn put(&mut self, entries: &[(CacheKey, Vec<u8>)]) -> Result<()>;
}

impl EntryStore for ObjectCache {
    fn get_all(&mut self, keys: &[&CacheKey]) -> Result<Vec<Option<Vec<u8>>>> {
        keys.iter().map(|key| self.get(key)).collect()
    }

    fn put(&mut self, entries: &[(CacheKey, Vec<u8>)]) -> Result<()> {
        self.add(entries)
    }
}
