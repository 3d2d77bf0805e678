//! Snapshots of each tool's `--help`.
use halyard_testing::{TOOLS, run};

/// Standard output of a call that must succeed.
fn said(tool: &str, args: &[&str]) -> String {
    let output = run(tool, args);
    assert!(output.status.success(), "`{tool} {}`: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("help is UTF-8")
}

#[test]
fn help() {
    for tool in TOOLS {
        insta::assert_snapshot!(*tool, said(tool, &["--help"]));
    }
}

#[test]
fn every_help_has_examples_and_exit_codes() {
    for tool in TOOLS {
        let help = said(tool, &["--help"]);
        for heading in ["Usage:", "Examples:", "Exit status:", "Common options:", "See also:"] {
            assert!(help.contains(heading), "`{tool} --help` has no `{heading}`");
        }
    }
}

#[test]
fn short_help_fits_a_screen_and_has_examples() {
    for tool in TOOLS {
        let help = said(tool, &["-h"]);
        let lines = help.lines().count();
        assert!(lines <= 40, "`{tool} -h` has {lines} lines: name fewer flags in its `COMMON`");
        assert!(help.contains("Examples:") && help.contains("See `--help` for"), "{help}");
    }
}

#[test]
fn help_names_documents_and_tools_that_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for tool in TOOLS {
        let help = said(tool, &["--help"]);
        let (_, also) = help.split_once("See also:").expect("the last section");
        let words = also.split(|c: char| c.is_whitespace() || "(),`".contains(c));
        for word in words.clone().filter(|w| w.ends_with(".md")) {
            assert!(root.join(word).is_file(), "`{tool} --help` names `{word}`");
        }
        for word in words.filter(|w| w.starts_with("hal-")) {
            assert!(TOOLS.contains(&word), "`{tool} --help` names `{word}`");
        }
    }
}

#[test]
fn first_lines_of_help_are_fragments() {
    for tool in TOOLS {
        let help = said(tool, &["-h"]);
        let first = help.lines().next().unwrap_or_default();
        assert!(first.len() < 80 && !first.ends_with('.'), "`{tool} -h` begins with `{first}`");
    }
}

#[test]
fn version_names_tool_and_llvm() {
    for tool in TOOLS {
        let version = said(tool, &["--version"]);
        assert!(
            version.starts_with(&format!("{tool} ")) && version.contains("LLVM 22"),
            "`{tool} --version` says `{version}`"
        );
    }
}

#[test]
fn manual_and_completions() {
    for tool in TOOLS {
        assert!(said(tool, &["--man"]).contains(".SH NAME"), "{tool}");
        for shell in ["bash", "zsh", "fish"] {
            assert!(said(tool, &["--completions", shell]).contains("message-format"), "{tool} {shell}");
        }
    }
}
