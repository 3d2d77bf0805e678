//! Tests that the files of a crate do not form dependency cycles, except between a module and those below it.
use crate::{modules::Modules, none};
use std::collections::{BTreeMap, BTreeSet};

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Whether a path leads from one module to another.
fn leads(arrows: &Arrows, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(here) = open.pop() {
        if here == to {
            return true;
        }
        open.extend(arrows.get(here).into_iter().flatten().map(String::as_str).filter(|next| seen.insert(next)));
    }
    false
}

/// Returns the arrows that are on a cycle.
fn cyclic(arrows: &Arrows) -> Vec<(&str, &str)> {
    let all = arrows.iter().flat_map(|(from, tos)| tos.iter().map(move |to| (from.as_str(), to.as_str())));
    all.filter(|(from, to)| leads(arrows, to, from)).collect()
}

#[test]
fn files_use_each_other_in_one_direction() {
    let arrows = Modules::read().arrows();
    let findings = cyclic(&arrows).into_iter().map(|(from, to)| format!("{from} -> {to} is part of a cycle")).collect();
    none(findings, "move what both files need to a file of its own, or below one of them");
}

#[test]
fn cycles_are_found() {
    let arrow = |from: &str, tos: &[&str]| (from.to_owned(), tos.iter().map(|t| (*t).to_owned()).collect());
    let arrows = Arrows::from([arrow("a", &["b"]), arrow("b", &["c", "d"]), arrow("c", &["a"])]);
    assert_eq!(cyclic(&arrows), [("a", "b"), ("b", "c"), ("c", "a")]);
}
