//! Tests which files exist, where they are, and how long they are.
use crate::{is_rust, is_source, none, written};
use halyard_testing::files;
use std::{collections::BTreeSet, path::Path};

/// The entries of the root folder, besides dot-files.
const TOP: &[&str] = &[
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "THIRD-PARTY.txt",
    "bindings",
    "common",
    "docs",
    "lit.cfg.py",
    "plugins",
    "pyproject.toml",
    "rust-toolchain.toml",
    "scripts",
    "tests",
    "tools",
];
/// Lines of a source file: above the first it should be split, above the second it must be. Rust files are shorter than
/// others, where one file is often a whole program.
const LONG: usize = 300;
const TOO_LONG_RUST: usize = 400;
const TOO_LONG: usize = 600;
/// Half of the Rust files have fewer lines than this.
const MEDIAN_LINES: usize = 120;
const MAIN_LINES: usize = 25;

#[test]
fn the_top_level_is_as_designed() {
    let top: BTreeSet<_> = files().iter().filter_map(|p| p.iter().next()?.to_str().map(str::to_owned)).collect();
    let odd = top.into_iter().filter(|name| !name.starts_with('.') && !TOP.contains(&&**name)).collect();
    none(odd, "these do not belong at the top level");
}

#[test]
fn mains_are_thin() {
    let long = written().filter(|(p, t)| p.ends_with("src/main.rs") && t.lines().count() > MAIN_LINES);
    none(long.map(|(p, _)| p.display().to_string()).collect(), "the logic belongs into lib.rs and its modules");
}

#[test]
#[expect(clippy::print_stdout, reason = "a remark for those who look")]
fn files_are_short() {
    let mut findings = Vec::new();
    for (path, text) in written().filter(|(p, _)| is_source(p)) {
        let lines = text.lines().count();
        let too_long = if is_rust(&path) { TOO_LONG_RUST } else { TOO_LONG };
        if lines > too_long {
            findings.push(format!("{}: {lines} lines", path.display()));
        } else if lines > LONG {
            println!("{}: {lines} lines; is that one concept?", path.display());
        }
    }
    none(findings, "one concept per file: split it");
}

#[test]
fn most_rust_files_fit_on_two_screens() {
    let mut lines: Vec<usize> = written().filter(|(p, _)| is_rust(p)).map(|(_, text)| text.lines().count()).collect();
    lines.sort_unstable();
    let median = lines[lines.len() / 2];
    assert!(
        median < MEDIAN_LINES,
        "half of the Rust files have {median} lines or more: split some along their concepts"
    );
}

#[test]
fn every_tool_has_tests_of_what_users_type() {
    let files = files();
    let has_tests = |tool: &str| files.iter().any(|f| f.starts_with(Path::new("tests").join(tool)));
    let tools: BTreeSet<_> =
        files.iter().filter_map(|f| f.strip_prefix("tools").ok()?.iter().next()?.to_str().map(str::to_owned)).collect();
    let folder = |tool: &str| tool.trim_start_matches("hal-").to_owned();
    let untested = tools.into_iter().filter(|t| !has_tests(&folder(t))).map(|t| format!("tests/{}", folder(&t)));
    none(untested.collect(), "these folders with lit tests are missing");
}
