//! How much of a cache is what.
use super::{CachedEntry, ObjectCache};
use crate::key::{EXECUTABLE, KIND};
use halyard_diag::Result;
use std::collections::BTreeMap;

/// The sum of the entries of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindStatistics {
    /// `executable`, or what the part `kind` of their keys says.
    pub kind: String,
    /// How many there are.
    pub entries: u64,
    /// The bytes of their contents.
    pub bytes: u64,
}

/// The kind of an entry, by the text of its key.
fn kind_of(parts: &str) -> &str {
    // It is the second part.
    let second = parts.lines().nth(1).and_then(|line| line.split_once(" = "));
    second.filter(|(name, _)| *name == KIND).map_or(EXECUTABLE, |(_, kind)| kind)
}

impl CachedEntry {
    /// What kind of entry it is: `executable`, or what the part `kind` of its key says.
    pub fn kind(&self) -> &str {
        kind_of(&self.parts)
    }
}

impl ObjectCache {
    /// The sums of the kinds of entries that there are, by name. Errors: the file cannot be read.
    pub fn kinds(&self) -> Result<Vec<KindStatistics>> {
        let sums: rusqlite::Result<BTreeMap<String, (u64, u64)>> = (|| {
            let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            let mut all = self.connection.prepare("SELECT substr(parts, 1, 200), size FROM entry")?;
            let mut rows = all.query([])?;
            while let Some(row) = rows.next()? {
                let (parts, size): (String, i64) = (row.get(0)?, row.get(1)?);
                let sum = sums.entry(kind_of(&parts).to_owned()).or_default();
                *sum = (sum.0 + 1, sum.1 + size as u64);
            }
            Ok(sums)
        })();
        let sums = sums.map_err(|e| self.failed(&e))?;
        Ok(sums.into_iter().map(|(kind, (entries, bytes))| KindStatistics { kind, entries, bytes }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CacheKey;

    #[test]
    fn kinds_are_told_by_keys() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = ObjectCache::open(&folder.path().join("objects.db")).unwrap();
        let executable = CacheKey::of("module {}").with("target", "kind = import");
        let import = CacheKey::of_kind("import", "m.onnx").with("options", "a");
        cache.add(&[(executable, vec![0; 3]), (import.clone(), vec![0; 5]), (import.with("x", "y"), vec![])]).unwrap();
        let kind = |kind: &str, entries, bytes| KindStatistics { kind: kind.into(), entries, bytes };
        assert_eq!(cache.kinds().unwrap(), [kind("executable", 1, 3), kind("import", 2, 5)]);
    }
}
