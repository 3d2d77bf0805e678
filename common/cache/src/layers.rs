//! The stores of a run, one behind the other: the file of this machine, then the store that is shared.
use crate::{CacheChoice, CacheKey, CacheMode, EntryStore, ObjectCache, SharedStore};
use halyard_diag::{Diagnostic, Error, Result, Severity};

/// All stores that a translation uses. One that cannot be used costs time, never a result; [`EntryLayers::warnings`] says what
/// went wrong.
#[derive(Debug)]
pub struct EntryLayers {
    local: Option<ObjectCache>,
    shared: Option<SharedStore>,
    adds: bool,
    /// Whether somebody named the folder of the local store.
    named: bool,
    failed: Vec<Diagnostic>,
    /// What the shared store gave, and the local one lacks.
    copied: Vec<(CacheKey, Vec<u8>)>,
}

impl EntryLayers {
    /// Opens the stores of a choice.
    pub fn open(choice: &CacheChoice) -> Self {
        let adds = choice.mode != CacheMode::Read;
        let shared = choice.shared.clone().map(SharedStore::new);
        let mut opened =
            Self { local: None, shared, adds, named: choice.named, failed: Vec::new(), copied: Vec::new() };
        let file = choice.file.as_ref().filter(|file| adds || halyard_diag::may_exist(file));
        match file.map(|file| ObjectCache::open(file)).transpose() {
            Ok(local) => opened.local = local.map(|local| local.bounded(choice.bound)),
            Err(error) => opened.fail(error),
        }
        opened
    }

    /// Whether there is no store that could have an entry.
    pub fn is_empty(&self) -> bool {
        self.local.is_none() && self.shared.is_none()
    }

    /// The entries of keys, as `read` makes them from the number of a key and a content. What `read` refuses is as if it were
    /// not there.
    pub fn find<T>(
        &mut self,
        keys: &[Option<CacheKey>],
        mut read: impl FnMut(usize, &[u8]) -> Result<T>,
    ) -> Vec<Option<T>> {
        let mut found: Vec<Option<T>> = keys.iter().map(|_| None).collect();
        let wanted: Vec<(usize, &CacheKey)> =
            keys.iter().enumerate().filter_map(|(i, k)| Some((i, k.as_ref()?))).collect();
        if let Some(local) = &mut self.local {
            match local.get_all(&wanted.iter().map(|(_, key)| *key).collect::<Vec<_>>()) {
                Ok(contents) => {
                    for ((i, _), content) in wanted.iter().zip(contents) {
                        found[*i] = content.and_then(|bytes| read(*i, &bytes).ok());
                    }
                }
                Err(error) => {
                    self.local = None;
                    self.fail(error);
                }
            }
        }
        let missing: Vec<(usize, &CacheKey)> = wanted.into_iter().filter(|(i, _)| found[*i].is_none()).collect();
        if let Some(shared) = self.shared.as_mut().filter(|_| !missing.is_empty()) {
            let contents = shared.get_all(&missing.iter().map(|(_, key)| *key).collect::<Vec<_>>());
            for ((i, key), content) in missing.into_iter().zip(contents.unwrap_or_default()) {
                let Some(content) = content else { continue };
                match read(i, &content) {
                    Ok(entry) => {
                        found[i] = Some(entry);
                        self.copied.push((key.clone(), content));
                    }
                    Err(error) => {
                        let why = error.diagnostics.first().map_or("", |d| &d.message);
                        shared.refuse(key, &format!("its content cannot be used: {why}"));
                    }
                }
            }
        }
        found
    }

    /// Adds entries to all stores, unless they are only read.
    pub fn add(&mut self, fresh: Vec<(CacheKey, Vec<u8>)>) {
        if !self.adds {
            return;
        }
        if let Some(shared) = self.shared.as_mut().filter(|_| !fresh.is_empty()) {
            let _ = shared.put(&fresh);
        }
        let all: Vec<_> = fresh.into_iter().chain(std::mem::take(&mut self.copied)).collect();
        if let Some(Err(error)) = self.local.as_mut().filter(|_| !all.is_empty()).map(|local| local.put(&all)) {
            self.fail(error);
        }
    }

    /// Why the entry of a key is not there, for people.
    pub fn missed(&self, key: &CacheKey) -> String {
        let entries = self.local.as_ref().and_then(|local| local.entries(&key.source()).ok()).unwrap_or_default();
        key.missed(entries.iter().map(|e| &*e.parts))
    }

    /// A warning for each store that failed. The local one may fail unnoticed where nobody named it.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.failed.iter().cloned().chain(self.shared.as_ref().and_then(SharedStore::warning)).collect()
    }

    /// Each failure of the shared store.
    pub fn troubles(&self) -> &[String] {
        self.shared.as_ref().map_or(&[], SharedStore::troubles)
    }

    fn fail(&mut self, error: Error) {
        if self.named {
            self.failed.extend(error.diagnostics.into_iter().map(|d| Diagnostic { severity: Severity::Warning, ..d }));
        }
    }
}
