//! Tests that code specific to a kind of GPU is in its folders.
use super::{none, written};
use regex_lite::Regex;
use std::{
    collections::BTreeSet,
    path::{Component, Path},
};

/// Folders and files of one kind of device, or of one of their languages; and the words of another compiler.
const OWN: [&str; 12] = [
    "vulkan",
    "cuda",
    "hip",
    "opencl",
    "spirv",
    "iree",
    "spirv.rs",
    "vulkan.rs",
    "cuda.rs",
    "glsl.rs",
    "ptx.rs",
    "nvptx.rs",
];

/// Files that list all kinds: of devices, of files with code for them, of languages, of flags. Nothing else may name one.
const LISTS: [&str; 25] = [
    "common/diag/src/content.rs",
    "common/ir/src/form/device.rs",
    "common/kernel/src/machine/mod.rs",
    "common/objects/src/detect.rs",
    "common/objects/src/kind.rs",
    "common/objects/src/lib.rs",
    "common/objects/src/text.rs",
    "common/preprocess/src/gpu/mod.rs",
    "common/runtime/src/device/choose.rs",
    "common/runtime/src/device/mod.rs",
    "common/runtime/src/device/name.rs",
    "common/runtime/src/commands/code.rs",
    "common/stages/src/steps.rs",
    "common/targets/src/lib.rs",
    "common/targets/src/target.rs",
    "tools/hal-compile/src/flags.rs",
    "tools/hal-extract/src/args.rs",
    "tools/hal-extract/src/expression/helper.rs",
    "tools/hal-extract/src/expression/language.rs",
    "tools/hal-extract/src/gpu/mod.rs",
    "tools/hal-link/src/device/mod.rs",
    "tools/hal-run/src/args.rs",
    "tools/hal-substitute/src/suffix.rs",
    "tools/hal-translate/src/targets/mod.rs",
    "tools/hal-tune/src/args.rs",
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
    let mut found = BTreeSet::new();
    for (path, text) in written() {
        let parts: Vec<_> = path.iter().map(|p| p.to_string_lossy()).collect();
        let [group, _, src, ..] = parts.as_slice() else { continue };
        let counts =
            ["common", "tools"].contains(&&**group) && src == "src" && path.extension().is_some_and(|e| e == "rs");
        if counts && !is_own(&path) && !path.ends_with("tests.rs") && names_a_gpu(&text, &words) {
            found.insert(path.display().to_string());
        }
    }
    let lists: BTreeSet<String> = LISTS.map(str::to_owned).into();
    let mut findings: Vec<String> = found.difference(&lists).map(|f| format!("{f} names a GPU's interface")).collect();
    findings.extend(lists.difference(&found).map(|f| format!("{f} names none any more: strike it from the list")));
    none(
        findings,
        "ask the target by its trait (`common/targets/src/device.rs`, `hal-translate/src/targets/mod.rs`) instead",
    );
}
