//! Texts that files must not contain.
use crate::{is_source, none, written};
use halyard_testing::root;
use regex_lite::Regex;

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
