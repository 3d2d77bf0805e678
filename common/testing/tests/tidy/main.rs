//! The rules of the source tree that can be checked automatically.
mod contents;
mod crates;
mod cycles;
mod files;
mod links;
mod modules;
mod names;
mod notices;
mod targets;

use halyard_testing::{files, text};
use std::path::{Path, PathBuf};

/// Fails with all findings and what to do about them.
fn none(findings: Vec<String>, what_to_do: &str) {
    assert!(findings.is_empty(), "\n{}\n{what_to_do}\n", findings.join("\n"));
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "rs")
}

fn is_source(path: &Path) -> bool {
    is_rust(path) || path.extension().is_some_and(|e| e == "py" || e == "c" || e == "h" || e == "cpp")
}

/// Files that people write: with their text.
fn written() -> impl Iterator<Item = (PathBuf, String)> {
    // Small ONNX models can happen to be valid UTF-8.
    let by_tools = |p: &Path| p.extension().is_some_and(|e| e == "snap" || e == "onnx");
    let generated = move |p: &Path| p == Path::new("Cargo.lock") || p == Path::new("THIRD-PARTY.txt") || by_tools(p);
    files().into_iter().filter(move |p| !generated(p)).filter_map(|p| text(&p).map(|t| (p, t)))
}
