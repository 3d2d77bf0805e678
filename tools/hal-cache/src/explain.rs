//! `hal-cache explain KEY`: what the key of an entry is made of, and how the nearest other entry differs.
use halyard_cache::{CachedEntry, ObjectCache};
use halyard_diag::{Error, Result};

/// The report on the entries whose key begins with some hex digits. Errors: there is none, the cache cannot be read.
pub(crate) fn explain(cache: &ObjectCache, key: &str) -> Result<String> {
    let all = cache.entries("")?;
    let entries: Vec<&CachedEntry> = all.iter().filter(|e| e.key.starts_with(key)).collect();
    if entries.is_empty() {
        return Err(Error::input(format!("no entry has a key that begins with `{key}`"))
            .hint("`hal-cache list` prints the keys; `hal-translate --explain` says why an executable was not there"));
    }
    Ok(entries.into_iter().map(|entry| one(entry, &all)).collect())
}

fn one(entry: &CachedEntry, all: &[CachedEntry]) -> String {
    let mut text = format!("{} of source {}\n", entry.key, &entry.source[..16]);
    let differing = |other: &CachedEntry| -> Vec<String> {
        let lines: Vec<&str> = other.parts.lines().collect();
        let own = entry.parts.lines();
        own.filter(|line| !lines.contains(line)).map(str::to_owned).collect()
    };
    let others = all.iter().filter(|other| other.source == entry.source && other.key != entry.key);
    match others.min_by_key(|other| differing(other).len()) {
        None => {
            text += match entry.kind() {
                "import" => "  no other import is of a model of this name\n",
                "reply" => "  no other reply is of this command\n",
                _ => "  no other entry has this source: whatever changed, changed what the executable computes\n",
            };
            entry.parts.lines().for_each(|line| text += &format!("  {line}\n"));
        }
        Some(near) => {
            text += &format!("  the nearest entry is {}, which differs in\n", &near.key[..16]);
            for line in differing(near) {
                let name = line.split(" = ").next().unwrap_or_default();
                let other =
                    near.parts.lines().find(|l| l.split(" = ").next() == Some(name)).unwrap_or("nothing of that name");
                text += &format!("    {line}\n    not {}\n", other.split_once(" = ").map_or(other, |(_, value)| value));
            }
        }
    }
    text
}
