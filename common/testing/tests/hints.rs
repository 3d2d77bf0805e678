//! Tests that every flag that a message names exists.
use halyard_testing::{TOOLS, flags_in_messages, root, run};
use std::{collections::BTreeSet, path::Path};

/// Whether a tool's parser knows a flag, or flags with that prefix.
fn knows(tool: &str, help: &str, flag: &str) -> bool {
    let listed = |end: &str| help.contains(&format!("{flag}{end}"));
    if flag.ends_with('-') || [" ", "=", "\n", "[", ","].iter().any(|end| listed(end)) {
        return listed("");
    }
    // Aliases are in no help.
    !String::from_utf8_lossy(&run(tool, &[flag, "--help"]).stderr).contains("unexpected argument")
}

fn wrong(folder: &Path, tools: &[&str]) -> Vec<String> {
    let helps: Vec<(&str, String)> =
        tools.iter().map(|t| (*t, String::from_utf8(run(t, &["--help"]).stdout).expect("help is UTF-8"))).collect();
    let found: BTreeSet<_> = flags_in_messages(folder).into_iter().collect();
    let known = |flag: &str| helps.iter().any(|(tool, help)| knows(tool, help, flag));
    found.iter().filter(|(_, flag)| !known(flag)).map(|(file, flag)| format!("{}: `{flag}`", file.display())).collect()
}

#[test]
fn messages_of_a_tool_name_its_flags() {
    for tool in TOOLS {
        // Names of the driver in messages of other tools.
        let wrong = wrong(&root().join("tools").join(tool).join("src"), &[tool, "hal-compile"]);
        assert!(wrong.is_empty(), "`{tool}` has no such flags:\n{}", wrong.join("\n"));
    }
}

#[test]
fn messages_of_common_parts_name_flags_of_a_tool() {
    let wrong = wrong(&root().join("common"), TOOLS);
    assert!(wrong.is_empty(), "no tool has such flags:\n{}", wrong.join("\n"));
}
