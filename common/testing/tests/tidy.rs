//! The rules of the tree: what a review should not have to look for.
use halyard_testing::{files, root, text};
use regex_lite::Regex;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

/// What stands at the top, beside dot-files.
const TOP: &[&str] = &[
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "common",
    "docs",
    "lit.cfg.py",
    "plugins",
    "rust-toolchain.toml",
    "scripts",
    "tests",
    "tools",
];
/// Which of our crates a crate of `common` may use.
const COMMON: &[(&str, &[&str])] = &[
    ("halyard-diag", &[]),
    ("halyard-budget", &["halyard-diag", "halyard-ir", "halyard-preprocess", "halyard-stages"]),
    ("halyard-builtins", &["halyard-diag", "halyard-runtime"]),
    ("halyard-capi", &["halyard-builtins", "halyard-diag", "halyard-runtime"]),
    ("halyard-cli", &["halyard-diag"]),
    ("halyard-exec", &["halyard-diag"]),
    ("halyard-grammar", &["halyard-diag"]),
    ("halyard-ir", &["halyard-diag", "halyard-objects"]),
    ("halyard-kernel", &["halyard-diag", "halyard-ir"]),
    ("halyard-manifest", &["halyard-cli", "halyard-diag", "halyard-grammar"]),
    ("halyard-objects", &["halyard-diag"]),
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
        &["halyard-cli", "halyard-diag", "halyard-exec", "halyard-ir", "halyard-objects", "halyard-stages"],
    ),
    ("halyard-programs", &["halyard-builtins", "halyard-cli", "halyard-diag", "halyard-manifest", "halyard-runtime"]),
    ("halyard-runtime", &["halyard-diag"]),
    ("halyard-stages", &["halyard-cli", "halyard-diag", "halyard-exec", "halyard-grammar", "halyard-ir"]),
    ("halyard-targets", &["halyard-diag", "halyard-ir", "halyard-objects"]),
    ("halyard-tensors", &["halyard-cli", "halyard-diag", "halyard-runtime"]),
    ("halyard-testing", &[]),
    (
        "halyard-verify",
        &["halyard-cli", "halyard-diag", "halyard-exec", "halyard-ir", "halyard-runtime", "halyard-targets"],
    ),
];
/// Who may use MLIR and LLVM directly.
const COMPILERS: &[(&str, &[&str])] = &[
    ("melior", &["halyard-ir"]),
    ("mlir-sys", &["halyard-ir", "halyard-kernel", "halyard-verify", "hal-translate"]),
    ("inkwell", &["halyard-targets", "halyard-verify", "hal-substitute", "hal-translate"]),
];
/// Lines of a source file: above the first it should be split, above the second it must be.
const LONG: usize = 300;
const TOO_LONG: usize = 600;
const MAIN_LINES: usize = 25;

/// Fails with all findings and what to do about them.
fn none(findings: Vec<String>, what_to_do: &str) {
    assert!(findings.is_empty(), "\n{}\n{what_to_do}\n", findings.join("\n"));
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "rs" || e == "py" || e == "c" || e == "h" || e == "cpp")
}

/// Files that people write: with their text.
fn written() -> impl Iterator<Item = (PathBuf, String)> {
    // Small ONNX models can happen to be valid UTF-8.
    let by_tools = |p: &Path| p.extension().is_some_and(|e| e == "snap" || e == "onnx");
    let generated = move |p: &Path| p == Path::new("Cargo.lock") || by_tools(p);
    files().into_iter().filter(move |p| !generated(p)).filter_map(|p| text(&p).map(|t| (p, t)))
}

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
                None => (common.contains_key(&**other) && other != "halyard-testing") || package == "hal-compile",
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
    none(findings, "tools use common crates, never each other (but the driver); MLIR is used through halyard-ir only");
}

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
        if lines > TOO_LONG {
            findings.push(format!("{}: {lines} lines", path.display()));
        } else if lines > LONG {
            println!("{}: {lines} lines; is that one concept?", path.display());
        }
    }
    none(findings, "one concept per file: split it");
}

#[test]
fn only_the_command_line_layer_prints() {
    let prints = Regex::new(r"\b(e?print(ln)?|dbg)!\s*\(").unwrap();
    let mut findings = Vec::new();
    for (path, text) in written() {
        let name = path.to_string_lossy().into_owned();
        // Build scripts speak to cargo on standard output; tests, samples and examples are no tools.
        let exempt = name.starts_with("common/cli/")
            || name.contains("tests/")
            || name.contains("/examples/")
            || name.ends_with("/tests.rs")
            || name.ends_with("build.rs");
        if !name.ends_with(".rs") || exempt {
            continue;
        }
        let code = |line: &str| !line.trim_start().starts_with("//");
        let lines = text.lines().enumerate().filter(|(_, l)| code(l) && prints.is_match(l));
        findings.extend(lines.map(|(i, _)| format!("{name}:{}", i + 1)));
    }
    none(findings, "write through halyard_cli::Printer");
}

#[test]
fn no_paths_of_one_machine() {
    let roots = ["tmp", "work", "root", "home"].join("|");
    let path = Regex::new(&format!(r"(^|[^A-Za-z0-9_.$}}/])/({roots})/[A-Za-z]")).unwrap();
    let found = written().flat_map(|(p, text)| {
        let lines: Vec<_> = text.lines().enumerate().filter(|(_, l)| path.is_match(l)).map(|(i, _)| i + 1).collect();
        lines.into_iter().map(move |i| format!("{}:{i}", p.display()))
    });
    none(found.collect(), "use relative paths, or a folder below TMPDIR");
}

#[test]
fn lines_end_properly() {
    let bad =
        written().filter(|(_, t)| !t.is_empty() && (!t.ends_with('\n') || t.contains("\r\n") || t.ends_with("\n\n")));
    none(bad.map(|(p, _)| p.display().to_string()).collect(), "a text file ends with one newline, and lines with \\n");
}

#[test]
fn nothing_is_left_for_later() {
    let mark = Regex::new(concat!(r"\b(to", r"do|unim", r"plemented)!\s*\(|\bFIX", r"ME\b|\bTO", r"DO\b")).unwrap();
    let found = written().filter(|(p, _)| is_source(p)).flat_map(|(p, text)| {
        let lines: Vec<_> = text.lines().enumerate().filter(|(_, l)| mark.is_match(l)).map(|(i, _)| i + 1).collect();
        lines.into_iter().map(move |i| format!("{}:{i}", p.display()))
    });
    none(found.collect(), "finish it, or make it an error that says what is not supported");
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

#[test]
fn documents_name_files_that_exist() {
    let name = Regex::new(r"`((?:tools|common|tests|scripts|docs)/[A-Za-z0-9_./-]+)`").unwrap();
    let mut findings = Vec::new();
    for (path, text) in written().filter(|(p, _)| p.extension().is_some_and(|e| e == "md")) {
        for named in name.captures_iter(&text).map(|c| c[1].to_owned()).filter(|n| !root().join(n).exists()) {
            findings.push(format!("{}: {named}", path.display()));
        }
    }
    none(findings, "the file has moved, or the document is out of date");
}
