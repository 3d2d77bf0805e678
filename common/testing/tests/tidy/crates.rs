//! The permitted dependencies between crates.
use crate::none;
use halyard_testing::root;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

/// For each crate of `common` and `bindings`, the crates of the workspace that it may use.
const COMMON: &[(&str, &[&str])] = &[
    ("halyard-allocator", &["halyard-exec"]),
    ("halyard-diag", &[]),
    ("halyard-budget", &["halyard-diag", "halyard-ir", "halyard-preprocess", "halyard-stages"]),
    ("halyard-builtins", &["halyard-diag", "halyard-runtime"]),
    ("halyard-cache", &["halyard-cli", "halyard-diag", "halyard-exec"]),
    ("halyard-capi", &["halyard-builtins", "halyard-diag", "halyard-runtime"]),
    ("halyard-cli", &["halyard-diag"]),
    ("halyard-cpu", &[]),
    ("halyard-evaluate", &["halyard-ir", "halyard-runtime", "halyard-scalars"]),
    ("halyard-exec", &["halyard-diag"]),
    ("halyard-grammar", &["halyard-diag"]),
    ("halyard-ir", &["halyard-diag", "halyard-objects"]),
    ("halyard-kernel", &["halyard-diag", "halyard-evaluate", "halyard-ir"]),
    ("halyard-manifest", &["halyard-cli", "halyard-diag", "halyard-grammar"]),
    ("halyard-objects", &["halyard-diag"]),
    ("halyard-peaks", &["halyard-cpu", "halyard-diag"]),
    (
        "halyard-plugins",
        &[
            "halyard-budget",
            "halyard-cli",
            "halyard-diag",
            "halyard-ir",
            "halyard-manifest",
            "halyard-preprocess",
            "halyard-stages",
        ],
    ),
    (
        "halyard-preprocess",
        &[
            "halyard-cache",
            "halyard-cli",
            "halyard-diag",
            "halyard-exec",
            "halyard-ir",
            "halyard-objects",
            "halyard-stages",
        ],
    ),
    ("halyard-programs", &["halyard-builtins", "halyard-cli", "halyard-diag", "halyard-manifest", "halyard-runtime"]),
    ("halyard-python", &["halyard-builtins", "halyard-diag", "halyard-runtime"]),
    ("halyard-runtime", &["halyard-cpu", "halyard-diag"]),
    ("halyard-scalars", &["halyard-ir", "halyard-runtime"]),
    ("halyard-stages", &["halyard-cli", "halyard-diag", "halyard-exec", "halyard-grammar", "halyard-ir"]),
    ("halyard-statistics", &[]),
    ("halyard-targets", &["halyard-diag", "halyard-exec", "halyard-ir", "halyard-objects"]),
    ("halyard-tensors", &["halyard-cli", "halyard-diag", "halyard-runtime"]),
    ("halyard-testing", &[]),
    ("halyard-tuning", &["halyard-cli", "halyard-diag", "halyard-runtime"]),
    (
        "halyard-verify",
        &[
            "halyard-cli",
            "halyard-cpu",
            "halyard-diag",
            "halyard-exec",
            "halyard-ir",
            "halyard-peaks",
            "halyard-runtime",
            "halyard-statistics",
            "halyard-targets",
        ],
    ),
];
/// Tools that use other tools' libraries.
const DRIVERS: &[&str] = &["hal-compile", "hal-tune"];
/// The crates that may use MLIR and LLVM directly.
const COMPILERS: &[(&str, &[&str])] = &[
    ("melior", &["halyard-ir"]),
    ("mlir-sys", &["halyard-ir", "halyard-kernel", "halyard-verify", "hal-translate"]),
    ("inkwell", &["halyard-targets", "halyard-verify", "hal-substitute", "hal-translate"]),
];
/// Our packages with the packages that they use (not those of their tests).
fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let name = |v: &Value| v["name"].as_str().expect("a name").to_owned();
    let list = |v: &Value| v.as_array().expect("a list").clone();
    let used = |p: &Value| list(&p["dependencies"]).iter().filter(|d| d["kind"].is_null()).map(name).collect();
    list(&metadata["packages"]).iter().map(|p| (name(p), used(p))).collect()
}

#[test]
fn crates_depend_downwards_only() {
    let packages = packages();
    let common: BTreeMap<_, _> = COMMON.iter().copied().collect();
    let mut findings = Vec::new();
    for (package, used) in &packages {
        for other in used.iter().filter(|u| packages.contains_key(*u)) {
            let allowed = match common.get(&**package) {
                Some(allowed) => allowed.contains(&&**other),
                None => (common.contains_key(&**other) && other != "halyard-testing") || DRIVERS.contains(&&**package),
            };
            if !allowed {
                findings.push(format!("{package} uses {other}"));
            }
        }
        for (compiler, users) in COMPILERS {
            if used.contains(*compiler) && !users.contains(&&**package) {
                findings.push(format!("{package} uses {compiler}"));
            }
        }
    }
    none(findings, "tools use common crates, never each other (but the drivers); MLIR is used through halyard-ir only");
}

#[test]
fn tools_that_use_mlir_have_its_allocator() {
    let mut findings = Vec::new();
    for (package, used) in packages().iter().filter(|(package, _)| package.starts_with("hal-")) {
        let mlir = used.contains("halyard-ir") || DRIVERS.contains(&&**package);
        let main = root().join("tools").join(package).join("src/main.rs");
        let linked =
            std::fs::read_to_string(&main).expect("a tool has a main.rs").contains("halyard_allocator::install();");
        if mlir != linked || mlir != used.contains("halyard-allocator") {
            findings.push(format!("{package}: {}", if mlir { "has none" } else { "has it, and no MLIR" }));
        }
    }
    none(findings, "`halyard_allocator::install();` in the main.rs of tools that use MLIR, and only there");
}
