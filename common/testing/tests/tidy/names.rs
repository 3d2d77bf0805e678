//! Tests that the name of a public type says what it is without its module.
use crate::{is_rust, none, written};
use regex_lite::Regex;
use std::{collections::BTreeMap, path::Path};

/// Names that several public types may have, and why.
const SHARED: &[(&str, &str)] = &[];

/// The public structs, enums, traits and type aliases of a source text: their names and lines. Items that are indented,
/// such as associated types, do not count, nor do re-exports.
fn public_types(text: &str) -> Vec<(String, usize)> {
    let definition = Regex::new(r"^pub (?:unsafe )?(?:struct|enum|union|trait|type) (\w+)").unwrap();
    let name = |line| definition.captures(line).map(|c| c[1].to_owned());
    text.lines().enumerate().filter_map(|(i, line)| Some((name(line)?, i + 1))).collect()
}

/// Finds names that more than one place has, with these places.
fn shared_names<'t>(files: impl Iterator<Item = (&'t Path, &'t str)>) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in files {
        for (name, line) in public_types(text) {
            places.entry(name).or_default().push(format!("{}:{line}", path.display()));
        }
    }
    places.retain(|_, places| places.len() > 1);
    places
}

#[test]
fn no_two_public_types_share_a_name() {
    let files: Vec<_> = written().filter(|(p, _)| is_rust(p)).collect();
    let mut shared = shared_names(files.iter().map(|(p, t)| (p.as_path(), t.as_str())));
    let unneeded = SHARED.iter().filter(|(name, _)| shared.remove(*name).is_none());
    let mut findings: Vec<String> =
        unneeded.map(|(name, _)| format!("SHARED: {name} is not needed any more")).collect();
    findings.extend(shared.into_iter().map(|(name, places)| format!("{name}: {}", places.join(", "))));
    none(findings, "give each type a name that says what it is without its module");
}

#[test]
fn shared_names_are_found() {
    let one = "pub struct Options;\npub(crate) struct Kind;\n    pub type Item = u8;\n";
    let two = "pub enum Options {}\npub enum Kind {}\npub use one::Kind;\npub trait Item {}\n";
    let found = shared_names([(Path::new("one.rs"), one), (Path::new("two.rs"), two)].into_iter());
    assert_eq!(found, BTreeMap::from([("Options".to_owned(), vec!["one.rs:1".to_owned(), "two.rs:1".to_owned()])]));
}
