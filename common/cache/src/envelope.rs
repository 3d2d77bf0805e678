//! Entries as shared stores have them: bytes that prove themselves.
//!
//! An entry is a head of five lines, the parts of its key, and its content:
//!
//! ```text
//! halyard-object 1
//! key HEX            the hash of the key
//! source HEX         the hash of the executable
//! checksum HEX       BLAKE3 of all other lines, the parts and the content
//! sizes PARTS CONTENT
//! ```
use crate::CacheKey;
use blake3::Hasher;
use std::fmt::Write;

/// Entries may be this large, in bytes; larger ones are neither sent nor read.
pub const LARGEST: usize = 64 << 20;

/// Changes with the lines.
const FIRST: &str = "halyard-object 1";
/// What a secret is derived for; another text would give other checksums.
const CONTEXT: &str = "halyard 2026 checksums of entries in shared stores";

/// How the checksums of entries are made.
#[derive(Clone, Default)]
pub(crate) struct Seal(Option<[u8; 32]>);

impl Seal {
    /// With a secret, only who has it can make entries that are taken.
    pub(crate) fn new(secret: Option<&str>) -> Self {
        Self(secret.map(|text| blake3::derive_key(CONTEXT, text.as_bytes())))
    }

    fn checksum(&self, head: &str, parts: &str, content: &[u8]) -> String {
        let mut hasher = self.0.as_ref().map_or_else(Hasher::new, Hasher::new_keyed);
        hasher.update(head.as_bytes()).update(parts.as_bytes()).update(content);
        hasher.finalize().to_hex().to_string()
    }

    /// The entry of a key.
    pub(crate) fn close(&self, key: &CacheKey, content: &[u8]) -> Vec<u8> {
        let (before, after, parts) = lines(key, content.len());
        let checksum = self.checksum(&format!("{before}{after}"), &parts, content);
        [format!("{before}checksum {checksum}\n{after}{parts}").as_bytes(), content].concat()
    }

    /// The content of an entry. Errors, as the end of a sentence that begins with the entry: it is not whole, of another key, or
    /// not made with the secret.
    pub(crate) fn open(&self, key: &CacheKey, entry: &[u8]) -> Result<Vec<u8>, String> {
        let mut rest = entry;
        let mut line = || -> Option<&str> {
            let end = rest.iter().take(160).position(|&b| b == b'\n')?;
            let line = std::str::from_utf8(&rest[..end]).ok()?;
            rest = &rest[end + 1..];
            Some(line)
        };
        match line() {
            Some(FIRST) => {}
            Some(first) if first.starts_with("halyard-object ") => return Err("is of another version".into()),
            _ => return Err("is no entry of Halyard's".into()),
        }
        let mut word =
            |name: &str| line().and_then(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(str::to_owned);
        let (found, source, checksum, sizes) = (word("key"), word("source"), word("checksum"), word("sizes"));
        let sizes = sizes.as_deref().and_then(|text| {
            let (parts, content) = text.split_once(' ')?;
            Some((parts.parse::<usize>().ok()?, content.parse::<usize>().ok()?))
        });
        let (Some(found), Some(source), Some(checksum), Some((parts, content))) = (found, source, checksum, sizes)
        else {
            return Err("has a damaged head".into());
        };
        if found != key.hash() || source != key.source() {
            return Err("is of another key".into());
        }
        if parts.checked_add(content) != Some(rest.len()) {
            return Err(format!("has {} bytes after its head in place of {parts} + {content}", rest.len()));
        }
        let (text, content) = rest.split_at(parts);
        let (before, after, expected) = lines(key, content.len());
        if text != expected.as_bytes() {
            return Err("has the parts of another key".into());
        }
        if checksum != self.checksum(&format!("{before}{after}"), &expected, content) {
            let secret =
                if self.0.is_some() { ", or was made without the secret" } else { ", or was made with a secret" };
            return Err(format!("does not have its checksum: it is damaged{secret}"));
        }
        Ok(content.to_vec())
    }
}

/// The lines before the checksum, those after it, and the parts.
fn lines(key: &CacheKey, content: usize) -> (String, String, String) {
    let parts = key.text();
    let mut after = String::new();
    let _ = writeln!(after, "sizes {} {content}", parts.len());
    (format!("{FIRST}\nkey {}\nsource {}\n", key.hash(), key.source()), after, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(name: &str) -> CacheKey {
        CacheKey::of(name).with("target", "cpu").with("libraries", "a\nb")
    }

    #[test]
    fn what_was_closed_opens_again() {
        let (open, secret) = (Seal::default(), Seal::new(Some("s")));
        let entry = open.close(&key("a"), b"content");
        assert_eq!(open.open(&key("a"), &entry).as_deref(), Ok(&b"content"[..]));
        assert_eq!(open.open(&key("b"), &entry), Err("is of another key".into()));
        assert!(secret.open(&key("a"), &entry).unwrap_err().contains("without the secret"));
        let sealed = secret.close(&key("a"), b"");
        assert_eq!(secret.open(&key("a"), &sealed).as_deref(), Ok(&b""[..]));
        assert!(Seal::new(Some("t")).open(&key("a"), &sealed).is_err() && open.open(&key("a"), &sealed).is_err());
    }

    #[test]
    fn versions_and_foreign_bytes_are_told() {
        let entry = String::from_utf8(Seal::default().close(&key("a"), b"x")).unwrap();
        let open = |text: &str| Seal::default().open(&key("a"), text.as_bytes()).unwrap_err();
        assert_eq!(open(&entry.replace("object 1", "object 2")), "is of another version");
        assert_eq!(open("<html>not found</html>"), "is no entry of Halyard's");
        assert_eq!(open(""), "is no entry of Halyard's");
        assert_eq!(open("halyard-object 1\nkey"), "has a damaged head");
    }

    proptest! {
        #[test]
        fn damage_is_found(content in proptest::collection::vec(any::<u8>(), 0..200), at in any::<usize>(), bit in 0..8, cut in any::<bool>()) {
            let entry = Seal::default().close(&key("a"), &content);
            let at = at % entry.len();
            let mut changed = entry.clone();
            if cut { changed.truncate(at) } else { changed[at] ^= 1_u8 << bit }
            prop_assert!(Seal::default().open(&key("a"), &changed).is_err());
        }
    }
}
