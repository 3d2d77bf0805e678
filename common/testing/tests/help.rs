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
        for heading in ["Usage:", "Examples:", "Exit status:", "Common options:"] {
            assert!(help.contains(heading), "`{tool} --help` has no `{heading}`");
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
