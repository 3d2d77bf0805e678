//! The modules of the crates, and their dependencies by `use` items.
use crate::{is_rust, written};
use regex_lite::Regex;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The path of a module: the folder of its crate, then the modules down to it.
pub(crate) type ModulePath = Vec<String>;

/// The paths of the `use` items of a module.
type Uses = Vec<UsePath>;

/// An item that is used: `use crate::a::Item as Name;`.
struct UsePath {
    path: Vec<String>,
    /// The local name.
    name: String,
}

/// The modules of all crates with what they use.
pub(crate) struct Modules(BTreeMap<ModulePath, Uses>);

/// The module that a source file holds; `None` for tests and for files of no crate.
fn module_of(file: &Path) -> Option<ModulePath> {
    let text = file.to_str()?;
    let (package, inside) = text.split_once("/src/")?;
    let mut path = vec![package.rsplit('/').next()?.to_owned()];
    path.extend(inside.strip_suffix(".rs")?.split('/').map(str::to_owned));
    if path.iter().any(|part| part == "tests")
        || !["bindings/", "common/", "tools/"].iter().any(|top| text.starts_with(top))
    {
        return None;
    }
    if path.last().is_some_and(|last| last == "mod") || (path.len() == 2 && (path[1] == "lib" || path[1] == "main")) {
        path.pop();
    }
    Some(path)
}

/// The paths in `text`, the rest of a tree of a `use` item, each after `before`. Returns what follows the tree.
fn read_tree<'t>(mut text: &'t str, before: &[String], found: &mut Uses) -> &'t str {
    let mut path = before.to_vec();
    loop {
        text = text.trim_start();
        if let Some(inner) = text.strip_prefix('{') {
            text = inner.trim_start();
            while !text.starts_with('}') {
                text = read_tree(text, &path, found).trim_start();
                text = text.strip_prefix(',').unwrap_or(text).trim_start();
            }
            return &text[1..];
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*').unwrap_or(text.len());
        path.push(text[..end].to_owned());
        text = text[end..].trim_start();
        if let Some(rest) = text.strip_prefix("::") {
            text = rest;
            continue;
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if let Some(rest) = text.strip_prefix("as ") {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            name = rest[..end].to_owned();
            text = &rest[end..];
        }
        if name == "self" {
            path.pop();
            name = path.last().cloned().unwrap_or_default();
        }
        found.push(UsePath { path, name });
        return text;
    }
}

/// The `use` items of a source text, without those of its unit tests.
fn uses_of(text: &str) -> Uses {
    let item = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);").unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Uses::new();
    for tree in item.captures_iter(code) {
        read_tree(&tree[1], &[], &mut found);
    }
    found
}

impl Modules {
    /// Reads the modules of the source tree.
    pub(crate) fn read() -> Self {
        Self::of(written().filter(|(p, _)| is_rust(p)))
    }

    /// Reads the modules of files with these texts.
    pub(crate) fn of<P: AsRef<Path>, T: AsRef<str>>(files: impl Iterator<Item = (P, T)>) -> Self {
        Self(files.filter_map(|(path, text)| Some((module_of(path.as_ref())?, uses_of(text.as_ref())))).collect())
    }

    /// The module that a path seen from `here` leads to: the one that defines the item, behind re-exports. `None` for
    /// other crates.
    fn target(&self, here: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let (first, mut rest) = path.split_first()?;
        let mut module = here.to_vec();
        match first.as_str() {
            "crate" => module.truncate(1),
            "self" => {}
            "super" => _ = module.pop(),
            child => {
                module.push(child.to_owned());
                self.0.get(&module)?;
            }
        }
        while let Some((next, others)) = rest.split_first() {
            let child: ModulePath = module.iter().chain([next]).cloned().collect();
            if next == "super" {
                module.pop();
            } else if self.0.contains_key(&child) {
                module = child;
            } else if next == "*" {
                return Some(module);
            } else {
                let again = self.0.get(&module)?.iter().find(|u| u.name == *next);
                let behind = again.filter(|_| depth > 0).and_then(|u| self.target(&module, &u.path, depth - 1));
                return Some(behind.unwrap_or(module));
            }
            rest = others;
        }
        Some(module)
    }

    /// Returns for each module those that it uses, without its ancestors and descendants.
    pub(crate) fn arrows(&self) -> BTreeMap<String, BTreeSet<String>> {
        let arrows = self.0.iter().map(|(here, uses)| {
            let targets = uses.iter().filter_map(|u| self.target(here, &u.path, 8));
            let others = targets.filter(|t| !t.starts_with(here) && !here.starts_with(t));
            (here.join("::"), others.map(|t| t.join("::")).collect())
        });
        arrows.collect()
    }
}

#[test]
fn uses_lead_to_where_an_item_is_defined() {
    let files = [
        ("common/a/src/lib.rs", "mod one;\nmod two;\npub use one::{First, inner::{Deep as Depth, self}};\n"),
        ("common/a/src/one.rs", "mod inner;\npub(crate) use self::inner::Deep;\nuse std::fmt;\n"),
        (
            "common/a/src/one/inner.rs",
            "use super::super::two::*;\n#[cfg(test)]\nmod tests {\n    use crate::three;\n}\n",
        ),
        ("common/a/src/two.rs", "use crate::{\n    First,\n    one::Deep,\n};\n"),
        ("common/a/src/two/tests.rs", "use crate::one;\n"),
    ];
    let arrows = Modules::of(files.into_iter()).arrows();
    let of = |from: &str| arrows[from].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("a::one::inner"), ["a::two"]);
    assert_eq!(of("a::two"), ["a::one", "a::one::inner"]);
    assert_eq!(of("a"), [""; 0]);
    assert_eq!(arrows.len(), 4);
}
