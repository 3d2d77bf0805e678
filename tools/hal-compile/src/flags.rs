//! Renames flags in messages: the libraries of other tools name the flags of those tools.

/// Returns the driver's name of another tool's flag; if the driver has none, the flag together with its tool.
pub(crate) fn renamed(flag: &str) -> Option<&'static str> {
    Some(match flag {
        "--from" | "--sources-from" => "--substitute-executable-sources-from",
        "--objects-from" => "--substitute-executable-objects-from",
        "--workgroups" => "--substitute-executable-workgroups",
        "--workgroup-size" => "--substitute-executable-workgroup-size",
        "--shared-memory" => "--substitute-executable-shared-memory",
        "--arguments" => "--substitute-executable-arguments",
        "--spec-constant" => "--substitute-executable-spec-constant",
        "--object-path" | "--search-path" => "--executable-object-search-path",
        "--input" => "--dump-executable-benchmarks-input",
        "--size" => "--dump-executable-benchmarks-size",
        "--as" => "hal-extract --as",
        "--overwrite" => "hal-extract --overwrite",
        "--reference" => "hal-extract --reference",
        "--executable" => "hal-translate --executable",
        "--ptxas" => "hal-translate --ptxas",
        "--save-stages" => "--dump-executable-stages-to",
        "--save-code" => "hal-translate --save-code",
        "--strip-source" => "hal-translate --strip-source",
        "--weights-path" => "hal-link --weights-path",
        "--external-weights" | "--embed-weights" => "--weights-to",
        "--plugin-stages" => "hal-opt --plugin-stages",
        "--split-input-file" => "hal-opt --split-input-file",
        "--canonicalize" => "hal-opt --canonicalize",
        "--print-ir-after-all" => "hal-opt --print-ir-after-all",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompileArgs;
    use clap::CommandFactory;
    use std::{collections::BTreeSet, path::Path};

    /// The tools whose libraries are used here.
    const PARTS: &[&str] = &["hal-import", "hal-opt", "hal-translate", "hal-substitute", "hal-link", "hal-extract"];

    fn flags() -> BTreeSet<String> {
        let mut command = CompileArgs::command();
        // With `--help` and `--version`.
        command.build();
        let names = command.get_arguments().flat_map(|a| a.get_long_and_visible_aliases().unwrap_or_default());
        names.map(|n| format!("--{n}")).collect()
    }

    #[test]
    fn every_flag_that_a_message_names_is_one_of_the_driver() {
        let known = flags();
        let mut wrong = Vec::new();
        for part in PARTS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(part).join("src");
            for (file, flag) in halyard_testing::flags_in_messages(&folder) {
                let here = renamed(&flag).unwrap_or(&flag);
                let there = here.starts_with("hal-");
                // A flag whose end is filled in.
                let begins = here.ends_with('-') && known.iter().any(|k| k.starts_with(here));
                if !(there || begins || known.contains(here)) {
                    wrong.push(format!("{}: `{flag}`", file.display()));
                }
            }
        }
        assert!(wrong.is_empty(), "say in `renamed` what these are called in the driver:\n{}", wrong.join("\n"));
    }

    #[test]
    fn what_flags_are_called_here_is_there() {
        let known = flags();
        for flag in [
            "--from",
            "--objects-from",
            "--workgroups",
            "--workgroup-size",
            "--shared-memory",
            "--spec-constant",
            "--object-path",
            "--input",
            "--size",
        ] {
            assert!(!known.contains(flag) && known.contains(renamed(flag).unwrap()), "{flag}");
        }
    }
}
