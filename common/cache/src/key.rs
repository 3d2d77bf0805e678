//! The keys of entries.
use blake3::{Hash, Hasher};

/// Changes when entries are written in another way.
const VERSION: &str = "1";

/// The kind of entries that translated executables are.
pub(crate) const EXECUTABLE: &str = "executable";
/// The name of the part of a key that is the kind of an entry; executables have none.
pub(crate) const KIND: &str = "kind";

/// Everything that reaches the code of an executable, as named parts: what it computes, and how it is translated. Entries of
/// other kinds have keys of the same form.
#[derive(Debug, Clone)]
pub struct CacheKey {
    /// What people call the entries of its kind.
    kind: &'static str,
    source: Hash,
    /// In order, with their names.
    parts: Vec<(&'static str, String)>,
}

impl CacheKey {
    /// The key of an executable, by its text without names.
    pub fn of(source: &str) -> Self {
        let parts = vec![("format", VERSION.to_owned())];
        Self { kind: EXECUTABLE, source: blake3::hash(source.as_bytes()), parts }
    }

    /// The key of an entry of another kind. `source` is what stays the same when the entry of a changed input replaces another:
    /// [`CacheKey::missed`] compares keys of one source.
    pub fn of_kind(kind: &'static str, source: &str) -> Self {
        let key = Self { kind, ..Self::of(&format!("{kind} {source}")) };
        key.with(KIND, kind)
    }

    /// Adds something that the code depends on. The name is for people.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parts.push((name, value.into()));
        self
    }

    /// The hash of the executable alone, in hex digits.
    pub fn source(&self) -> String {
        self.source.to_hex().to_string()
    }

    /// The hash of all, in hex digits.
    pub fn hash(&self) -> String {
        let mut hasher = Hasher::new();
        hasher.update(self.source.as_bytes());
        for (name, value) in &self.parts {
            for text in [name.as_bytes(), value.as_bytes()] {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text);
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The parts, a line each, as [`CacheKey::missed`] compares them.
    pub fn text(&self) -> String {
        self.parts.iter().map(|(name, value)| format!("{name} = {}\n", value.trim().replace('\n', ", "))).collect()
    }
}

impl CacheKey {
    /// Why an entry is missing, for people: how the nearest of those of the same executable differs. `entries` are their parts,
    /// the last used first.
    pub fn missed<'e>(&self, entries: impl Iterator<Item = &'e str>) -> String {
        let own = self.text();
        let differing =
            |text: &'e str| -> Vec<&'e str> { text.lines().filter(|line| !own.lines().any(|l| l == *line)).collect() };
        match entries.map(differing).min_by_key(Vec::len) {
            None => format!("not in the cache: no {} has the source {}", self.kind, &self.source()[..16]),
            Some(lines) => {
                format!("not in the cache: source {} is there with {}", &self.source()[..16], lines.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts() {
        let key = CacheKey::of("module {}").with("target", "a").with("options", "b");
        let others = [
            CacheKey::of("module { }").with("target", "a").with("options", "b"),
            CacheKey::of("module {}").with("target", "b").with("options", "b"),
            CacheKey::of("module {}").with("target", "ab").with("options", ""),
            CacheKey::of("module {}").with("target", "a"),
        ];
        assert_eq!(key.hash(), key.clone().hash());
        assert!(others.iter().all(|other| other.hash() != key.hash()));
        assert!(key.missed(std::iter::empty()).starts_with("not in the cache: no executable has the source "));
        let entries = ["format = 1\ntarget = c\noptions = d\n", "format = 1\ntarget = a\noptions = c\n"];
        assert!(key.missed(entries.into_iter()).ends_with(" is there with options = c"));
        assert_eq!(key.text(), "format = 1\ntarget = a\noptions = b\n");
        let import = CacheKey::of_kind("import", "module {}");
        assert!(import.source() != key.source() && import.text() == "format = 1\nkind = import\n");
        assert!(import.missed(std::iter::empty()).contains("no import has the source"));
    }
}
