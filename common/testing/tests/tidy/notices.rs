//! The licences of the crates that packages contain.
use crate::none;
use halyard_testing::root;
use std::{collections::BTreeSet, process::Command};

/// What tools and libraries contain on this machine: `name version` of each crate of others.
fn contained() -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let tree = ["tree", "--workspace", "--edges=normal", "--prefix=none", "--format={p}", "--locked", "--offline"];
    let output = Command::new(cargo).args(tree).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    // Ours have their folder after the version: `hal-run v0.1.0 (/…)`.
    let others = lines.lines().filter(|line| !line.contains("(/"));
    others.map(|line| line.split_once(" (").map_or(line, |l| l.0).replacen(" v", " ", 1)).collect()
}

#[test]
fn the_licences_of_all_crates_are_in_the_packages() {
    let notices = std::fs::read_to_string(root().join("THIRD-PARTY.txt")).expect("a file with the licences");
    let named: BTreeSet<&str> = notices.lines().collect();
    let missing =
        contained().into_iter().filter(|c| !named.contains(&**c)).map(|c| format!("{c}: no licence")).collect();
    none(missing, "run `scripts/notices`, which writes THIRD-PARTY.txt anew");
    let jemalloc = "Copyright (C) 2002-present Jason Evans <jasone@canonware.com>.";
    assert!(named.contains(jemalloc), "the licence of what a crate contains is as important as its own");
}
