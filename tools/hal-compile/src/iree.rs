//! Command lines in the words of IREE, where the meaning is the same.
//!
//! A flag with a flag of ours for it is renamed before the command line is parsed ([`rewrite`]). Flags that choose what
//! there is no choice of here are accepted for the value that we have ([`IreeArgs`]). All others are refused, with the
//! name of ours where there is one that serves the purpose ([`ours`]).
use std::ffi::OsString;

/// IREE's flags and Halyard's of the same meaning.
const SAME: &[(&str, &str)] = &[
    ("--iree-hal-preprocess-executables-with", "--preprocess-executables-with"),
    ("--iree-hal-substitute-executable-source", "--substitute-executable-source"),
    ("--iree-hal-substitute-executable-sources-from", "--substitute-executable-sources-from"),
    ("--iree-hal-substitute-executable-object", "--substitute-executable-object"),
    ("--iree-hal-substitute-executable-objects-from", "--substitute-executable-objects-from"),
    ("--iree-hal-executable-object-search-path", "--executable-object-search-path"),
    ("--iree-hal-dump-executable-sources-to", "--dump-executable-sources-to"),
    ("--iree-hal-dump-executable-intermediates-to", "--dump-executable-intermediates-to"),
    ("--iree-hal-dump-executable-binaries-to", "--dump-executable-binaries-to"),
    ("--iree-hal-dump-executable-benchmarks-to", "--dump-executable-benchmarks-to"),
    ("--iree-hal-dump-executable-files-to", "--dump-executable-files-to"),
];

/// IREE's flags without an equivalent, and Halyard's for the purpose.
const OTHERS: &[(&str, &str)] = &[
    ("--iree-hal-dump-executable-configurations-to", "--dump-executable-sources-to"),
    ("--iree-hal-substitute-executable-configuration", "--substitute-executable-source"),
    ("--iree-hal-substitute-executable-configurations-from", "--substitute-executable-sources-from"),
    ("--iree-preprocessing-pass-pipeline", "--stage"),
    ("--iree-preprocessing-transform-spec-filename", "--stage"),
    ("--iree-preprocessing-pdl-spec-filename", "--stage"),
    ("--iree-codegen-transform-dialect-library", "--preprocess-executables-with"),
    ("--iree-codegen-tuning-spec-path", "--preprocess-executables-with"),
    ("--iree-load-plugin", "--load-pass-plugin"),
    ("--iree-plugin", "--plugin"),
    ("--iree-list-plugins", "--list-plugins"),
    ("--iree-opt-level", "--opt-level"),
    ("--iree-hal-executable-debug-level", "--save-temps"),
    ("--dump-compilation-phases-to", "--save-temps"),
    ("--compile-to", "--to"),
    ("--iree-parameter-import", "--weights"),
    ("--iree-opt-import-parameters", "--weights"),
];

/// IREE's flags that describe Halyard's only behaviour.
#[derive(Debug, Default, clap::Args)]
pub struct IreeArgs {
    /// IREE's; devices
    #[arg(long, hide = true, value_delimiter = ',', value_parser = only_cpu)]
    pub iree_hal_target_device: Vec<String>,
    /// IREE's; code generators
    #[arg(long, hide = true, value_delimiter = ',', value_parser = only_cpu)]
    pub iree_hal_target_backends: Vec<String>,
    /// IREE's; code generators of the local device
    #[arg(long, hide = true, value_delimiter = ',', value_parser = only_cpu)]
    pub iree_hal_local_target_device_backends: Vec<String>,
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

impl IreeArgs {
    /// Adds what they say to our targets.
    pub(crate) fn apply(&self, targets: &mut Vec<String>) {
        let (chip, triple) = (&self.iree_llvmcpu_target_cpu, &self.iree_llvmcpu_target_triple);
        // IREE says `host` for the features of this machine, too, which are those of the chip `host`.
        let features = self.iree_llvmcpu_target_cpu_features.as_deref().filter(|f| *f != "host");
        let is_host = features.is_none() && self.iree_llvmcpu_target_cpu_features.is_some();
        if chip.is_none() && triple.is_none() && self.iree_llvmcpu_target_cpu_features.is_none() {
            return;
        }
        let chip = chip.as_deref().unwrap_or(if is_host { "host" } else { "generic" });
        let mut target = format!("cpu:{chip}");
        if let Some(triple) = triple.as_deref().filter(|_| chip != "host") {
            target += &format!("@{triple}");
        }
        target.extend(features.map(|f| format!(",{f}")));
        targets.push(target);
    }
}

fn only_cpu(text: &str) -> Result<String, String> {
    match text {
        "local" | "llvm-cpu" => Ok(text.to_owned()),
        _ => Err("code is generated for CPUs, that is `local` or `llvm-cpu`; `--target` says for which".into()),
    }
}

fn input_type(text: &str) -> Result<String, String> {
    match text {
        "auto" | "none" | "tosa" | "onnx" => Ok(text.to_owned()),
        _ => Err("models are MLIR (`none`, `tosa`) or `onnx`, told by their content (`auto`)".into()),
    }
}

/// Renames IREE's flags; one dash in front is as good as two there.
pub(crate) fn rewrite(argv: Vec<OsString>) -> Vec<OsString> {
    let mut only_files = false;
    argv.into_iter()
        .enumerate()
        .map(|(i, word)| {
            let Some(text) = word.to_str().filter(|t| i > 0 && !only_files && t.starts_with('-')) else { return word };
            only_files = text == "--";
            let text = if text.starts_with("-iree-") { format!("-{text}") } else { text.to_owned() };
            let (name, value) = text.split_once('=').map_or((&*text, None), |(n, v)| (n, Some(v)));
            let name = SAME.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours);
            match value {
                Some(value) => format!("{name}={value}").into(),
                None => name.to_owned().into(),
            }
        })
        .collect()
}

/// Which flag of ours serves the purpose of one of IREE's that does not exist here, if any.
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
        for (theirs, ours) in SAME.iter().chain(OTHERS) {
            assert!(known.contains(&(*ours).to_owned()), "{theirs}: {ours}");
        }
    }

    #[test]
    fn renames_flags_only() {
        let words =
            ["hal-compile", "-iree-hal-dump-executable-files-to=a=b", "--", "--iree-hal-dump-executable-files-to"];
        let renamed = rewrite(words.iter().map(|w| (*w).into()).collect());
        assert_eq!(
            renamed,
            ["hal-compile", "--dump-executable-files-to=a=b", "--", "--iree-hal-dump-executable-files-to"]
        );
        assert_eq!(ours("--iree-opt-level=O3"), Some(Some("--opt-level".into())));
        assert_eq!(ours("--iree-flow-trace-dispatch"), Some(None));
        assert_eq!(ours("--outpt"), None);
    }
}
