//! What is particular to a kind of GPU stands in its folders.
use super::{none, written};
use regex_lite::Regex;
use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

/// Folders and files of one kind of device.
const OWN: [&str; 9] = ["vulkan", "cuda", "hip", "spirv", "spirv.rs", "vulkan.rs", "cuda.rs", "ptx.rs", "nvptx.rs"];

/// Files of each crate that name a GPU's interface outside such folders. A number may only fall.
const LEFT: [(&str, usize); 16] = [
    ("diag", 2),
    ("exec", 1),
    // Three of them are the words of another compiler.
    ("hal-compile", 4),
    ("hal-extract", 8),
    ("hal-import", 1),
    ("hal-link", 1),
    ("hal-run", 1),
    ("hal-substitute", 2),
    ("hal-translate", 1),
    ("ir", 1),
    ("kernel", 1),
    ("objects", 3),
    ("preprocess", 1),
    ("runtime", 4),
    ("stages", 1),
    ("targets", 2),
];

/// Whether a line of code, not of comments, has a word of a GPU's interface.
fn names_a_gpu(text: &str, words: &Regex) -> bool {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().any(|line| {
        let line = line.split("//").next().unwrap_or_default();
        words.is_match(line)
    })
}

fn is_own(path: &Path) -> bool {
    path.components().any(|part| matches!(part, Component::Normal(name) if OWN.iter().any(|own| name == *own)))
}

#[test]
fn what_is_of_one_gpu_stands_in_its_folder() {
    let words = Regex::new("(?i)cuda|ptx|nvvm|nvidia|vulkan|spir-?v|rocdl|amdgpu").expect("a pattern");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in written() {
        let parts: Vec<_> = path.iter().map(|p| p.to_string_lossy()).collect();
        let [group, package, src, ..] = parts.as_slice() else { continue };
        let counts =
            ["common", "tools"].contains(&&**group) && src == "src" && path.extension().is_some_and(|e| e == "rs");
        if counts && !is_own(&path) && !path.ends_with("tests.rs") && names_a_gpu(&text, &words) {
            found.entry(package.to_string()).or_default().push(path.display().to_string());
        }
    }
    let allowed: BTreeMap<&str, usize> = LEFT.into_iter().collect();
    let packages = found.keys().map(String::as_str).chain(allowed.keys().copied());
    let mut findings = Vec::new();
    for package in packages.collect::<std::collections::BTreeSet<_>>() {
        let files = found.get(package).map_or(&[][..], Vec::as_slice);
        let most = allowed.get(package).copied().unwrap_or(0);
        if files.len() > most {
            findings.push(format!("{package} has {} such files, not {most}:\n  {}", files.len(), files.join("\n  ")));
        } else if files.len() < most {
            findings.push(format!("{package} has {} such files: write that instead of {most}", files.len()));
        }
    }
    none(
        findings,
        "ask the target by its trait (`common/targets/src/device.rs`, `hal-translate/src/targets/mod.rs`) instead",
    );
}
