//! Test helpers: locate the source tree and its files, and run its tools. For development only.
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// All tools of the workspace.
pub const TOOLS: &[&str] = &[
    "hal-benchmark",
    "hal-tune",
    "hal-cache",
    "hal-compile",
    "hal-extract",
    "hal-import",
    "hal-link",
    "hal-opt",
    "hal-report",
    "hal-run",
    "hal-substitute",
    "hal-translate",
];

/// Returns the root of the source tree.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this package is common/testing").to_owned()
}

/// Returns all files of the tree, relative to the root, sorted: those that git tracks, or all files of a source
/// archive.
pub fn files() -> Vec<PathBuf> {
    let known = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).stderr(Stdio::null()).output();
    let mut files: Vec<PathBuf> = match known {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8(output.stdout).expect("names are UTF-8");
            names.split_terminator('\0').map(PathBuf::from).filter(|p| root().join(p).exists()).collect()
        }
        _ => {
            let mut found = Vec::new();
            walk(&root(), Path::new(""), &mut found);
            found
        }
    };
    files.sort();
    files
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).expect("the tree is readable").flatten() {
        let path = folder.join(entry.file_name());
        if path == Path::new("target") || path == Path::new(".venv") || path == Path::new(".git") {
            continue;
        }
        match entry.path().is_dir() {
            true => walk(root, &path, found),
            false => found.push(path),
        }
    }
}

/// The text of a file of the tree, unless it is binary.
pub fn text(file: &Path) -> Option<String> {
    String::from_utf8(fs::read(root().join(file)).ok()?).ok()
}

/// Runs a tool of the build that this test belongs to, with nothing on standard input and in no terminal.
pub fn run(tool: &str, args: &[&str]) -> Output {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.ancestors().nth(2).expect("tests are in target/PROFILE/deps");
    let path = folder.join(tool);
    assert!(path.exists(), "{tool} is not built: run `cargo build --workspace` first");
    let mut command = Command::new(path);
    command.args(args).stdin(Stdio::null()).env_remove("COLUMNS").env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
    command.output().expect("a built tool starts")
}

/// The flags that the texts of a folder of Rust files name, `` `--flag …` ``, with the file; not those that are said to be of
/// another tool.
pub fn flags_in_messages(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    walk(folder, Path::new(""), &mut files);
    let mut found = Vec::new();
    for file in files.into_iter().filter(|f| f.extension().is_some_and(|e| e == "rs")) {
        let code = fs::read_to_string(folder.join(&file)).unwrap_or_default();
        // Tests and comments contain no messages.
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
        for line in lines {
            let mut parts = line.split("`--");
            parts.next();
            for part in parts {
                let end = part.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
                let end = end.unwrap_or(part.len());
                if end > 0 && !part[end..].starts_with("` of `") {
                    found.push((file.clone(), format!("--{}", &part[..end])));
                }
            }
        }
    }
    found
}
