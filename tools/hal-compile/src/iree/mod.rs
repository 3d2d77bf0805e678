//! Accepts IREE's command lines where the meaning is the same.
//!
//! A flag with an equivalent is rewritten before the command line is parsed ([`rewrite`]). Flags that select targets
//! become targets ([`IreeArgs`]). All others are refused; if Halyard has a flag for the purpose, the message names it
//! ([`ours`]).
mod table;
mod targets;

use std::ffi::OsString;
use table::{OTHERS, PHASES, SAME, SWITCHES};

/// IREE's flags that describe Halyard's only behaviour.
#[derive(Debug, Default, clap::Args)]
pub struct IreeArgs {
    /// IREE's; devices
    #[arg(long, hide = true, value_delimiter = ',', value_parser = targets::device, conflicts_with = "target")]
    pub iree_hal_target_device: Vec<&'static str>,
    /// IREE's; code generators
    #[arg(long, hide = true, value_delimiter = ',', value_parser = targets::device, conflicts_with = "target")]
    pub iree_hal_target_backends: Vec<&'static str>,
    /// IREE's; code generators of the local device
    #[arg(long, hide = true, value_delimiter = ',', value_parser = targets::device, conflicts_with = "target")]
    pub iree_hal_local_target_device_backends: Vec<&'static str>,
    /// IREE's; the chip
    #[arg(long, hide = true, value_name = "CHIP", conflicts_with = "target")]
    pub iree_cuda_target: Option<String>,
    /// IREE's; what the input is
    #[arg(long, hide = true, value_parser = input_type)]
    pub iree_input_type: Option<String>,
    /// IREE's; the CPU
    #[arg(long, hide = true, value_name = "CPU", conflicts_with = "target")]
    pub iree_llvmcpu_target_cpu: Option<String>,
    /// IREE's; what the CPU has or lacks
    #[arg(long, hide = true, value_name = "FEATURES", conflicts_with = "target", allow_hyphen_values = true)]
    pub iree_llvmcpu_target_cpu_features: Option<String>,
    /// IREE's; the triple
    #[arg(long, hide = true, value_name = "TRIPLE", conflicts_with = "target")]
    pub iree_llvmcpu_target_triple: Option<String>,
}

fn input_type(text: &str) -> Result<String, String> {
    match text {
        "auto" | "none" | "tosa" | "onnx" => Ok(text.to_owned()),
        "stablehlo" | "stablehlo_xla" => Err("the plugin `stablehlo` reads it: `--plugin=stablehlo`".into()),
        "torch" | "tm_tensor" => Err("export the model as ONNX or lower it to linalg, see docs/frontends.md".into()),
        _ => Err("models are MLIR (`none`, `tosa`) or `onnx`, told by their content (`auto`)".into()),
    }
}

/// Writes IREE's flags as ours; one dash in front is as good as two there.
pub(crate) fn rewrite(argv: Vec<OsString>) -> Vec<OsString> {
    let mut words = argv.into_iter();
    let mut new: Vec<OsString> = words.next().into_iter().collect();
    while let Some(word) = words.next() {
        if word == "--" {
            new.push(word);
            new.extend(words);
            break;
        }
        let Some(text) = word.to_str().filter(|t| t.starts_with('-')) else {
            new.push(word);
            continue;
        };
        let text = if text.starts_with("-iree-") { format!("-{text}") } else { text.to_owned() };
        let (name, value) = text.split_once('=').map_or((&*text, None), |(n, v)| (n, Some(v.to_owned())));
        if let Some((_, ours)) = SWITCHES.iter().find(|(theirs, _)| *theirs == name && value.is_none()) {
            new.push(ours.into());
            continue;
        }
        let Some(front) = front(name) else {
            new.push(text.into());
            continue;
        };
        // A value may be a separate word.
        let Some(value) = value.map(OsString::from).or_else(|| words.next()) else {
            new.push(front.trim_end_matches('=').into());
            continue;
        };
        let mut word = OsString::from(front);
        match value.to_str() {
            Some(value) => word.push(translated(name, value)),
            None => word.push(value),
        }
        new.push(word);
    }
    new
}

/// Returns the prefix that replaces an IREE flag before its value.
fn front(theirs: &str) -> Option<&'static str> {
    match theirs {
        "--iree-opt-level" => Some("--opt-level="),
        "--compile-to" => Some("--to="),
        _ => SAME.iter().find(|(name, _)| *name == theirs).map(|(_, ours)| *ours),
    }
}

/// The value of one of IREE's flags as ours has it. What is unknown stays: ours says what there is.
fn translated(theirs: &str, value: &str) -> String {
    match theirs {
        "--iree-opt-level" => value.strip_prefix(['O', 'o']).unwrap_or(value).to_owned(),
        "--compile-to" => PHASES.iter().find(|(phase, _)| *phase == value).map_or(value, |(_, ours)| ours).to_owned(),
        // IREE takes off one pair of quotes.
        "--iree-preprocessing-pass-pipeline" => value.trim_matches('"').to_owned(),
        _ => value.to_owned(),
    }
}

/// Returns the flag that serves the purpose of an IREE flag without an equivalent, if there is one.
pub(crate) fn ours(unknown: &str) -> Option<Option<String>> {
    let name = unknown.split('=').next().unwrap_or(unknown);
    let found = OTHERS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| (*ours).to_owned());
    (found.is_some() || name.starts_with("--iree-")).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompileArgs;
    use clap::CommandFactory;

    #[test]
    fn all_flags_of_ours_exist() {
        let command = CompileArgs::command();
        let known: Vec<String> =
            command.get_arguments().filter_map(|a| a.get_long()).map(|l| format!("--{l}")).collect();
        for (theirs, ours) in SAME.iter().chain(OTHERS).chain(SWITCHES) {
            let name = ours.split('=').next().unwrap_or(ours);
            assert!(known.contains(&name.to_owned()), "{theirs}: {ours}");
            assert!(!known.contains(&(*theirs).to_owned()), "{theirs} is ours, too");
        }
        let phases = command.get_arguments().find(|a| a.get_long() == Some("to")).unwrap().get_possible_values();
        for (theirs, ours) in PHASES {
            assert!(phases.iter().any(|p| p.get_name() == *ours), "{theirs}: {ours}");
        }
    }

    #[test]
    fn no_flag_is_named_twice() {
        let mut names: Vec<&str> = SAME.iter().chain(OTHERS).chain(SWITCHES).map(|(theirs, _)| *theirs).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "{names:?}");
    }

    #[test]
    fn rewrites_flags_only() {
        let is = |words: &[&str], new: &[&str]| {
            let all = |list: &[&str]| -> Vec<OsString> {
                std::iter::once("hal-compile").chain(list.iter().copied()).map(OsString::from).collect()
            };
            assert_eq!(rewrite(all(words)), all(new));
        };
        is(
            &["-iree-hal-dump-executable-files-to=a=b", "--", "--iree-hal-dump-executable-files-to"],
            &["--dump-executable-files-to=a=b", "--", "--iree-hal-dump-executable-files-to"],
        );
        is(&["--iree-opt-level=O3", "--compile-to=abi"], &["--opt-level=3", "--to=input"]);
        is(
            &["--iree-preprocessing-pass-pipeline", "builtin.module(cse)", "m.mlir"],
            &["--stage=input:builtin.module(cse)", "m.mlir"],
        );
        is(&["--iree-preprocessing-pdl-spec-filename=a.pdl.mlir"], &["--stage=input:file:a.pdl.mlir"]);
        is(&["--iree-plugin"], &["--plugin"]);
        is(&["--mlir-disable-threading", "-mlir-timing"], &["--jobs=1", "-mlir-timing"]);
        assert_eq!(ours("--iree-load-plugin=x.so"), Some(Some("--load-pass-plugin".into())));
        assert_eq!(ours("--iree-flow-trace-dispatch"), Some(None));
        assert_eq!(ours("--outpt"), None);
    }
}
