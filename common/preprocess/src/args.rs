//! Flags for preprocessors, the same in `hal-opt` and `hal-compile`.
use crate::Hook;
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// External tools and stages that see the program, or its parts one by one.
#[derive(Debug, Clone, Default, Args)]
pub struct PreprocessArgs {
    /// Run a shell command or a stage on each executable; repeatable, in order
    ///
    /// A command is started once per executable; it reads the executable on standard input and writes its replacement
    /// to standard output. ACTION is a stage if it begins with `builtin.module(`, or is one file name that ends in
    /// .mlir, .yaml or .yml, or in .py followed by [ or {; everything else is a command line for `sh -c`. `stage:STAGE`
    /// and `cmd:LINE` are explicit. `cmd[bytecode]:LINE` reads bytecode; `cmd[empty-is-unchanged]:LINE` writes nothing
    /// if it changes nothing; the replies of `cmd[pure,reads=FILE]:LINE` are cached. See docs/preprocessing.md for the protocol.
    #[arg(long, value_name = "ACTION", help_heading = "Preprocessing")]
    pub preprocess_executables_with: Vec<String>,
    /// Run a shell command or a stage on the model as given, before anything else; repeatable
    #[arg(long, value_name = "ACTION", help_heading = "Preprocessing")]
    pub preprocess_input_with: Vec<String>,
    /// Run a shell command or a stage on the whole program before executables are formed; repeatable
    #[arg(long, value_name = "ACTION", help_heading = "Preprocessing")]
    pub preprocess_global_with: Vec<String>,
    /// Run a shell command on each object: an object in, an object out; repeatable
    #[arg(long, value_name = "ACTION", help_heading = "Preprocessing")]
    pub preprocess_objects_with: Vec<String>,
    /// Stop a command, or a stage on an executable, that takes longer than this, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = halyard_cli::duration, help_heading = "Preprocessing")]
    pub preprocess_timeout: Option<Duration>,
    /// Limit the address space of each process of a command, or of a stage on an executable, such as 4G
    #[arg(long, value_name = "SIZE", value_parser = halyard_cli::size, help_heading = "Preprocessing")]
    pub preprocess_memory: Option<u64>,
    /// Stop a command whose reply is larger than this, such as 4G [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = halyard_cli::size, help_heading = "Preprocessing")]
    pub preprocess_output: Option<u64>,
    /// Set HALYARD_TARGET for commands while the program has no variants yet; repeatable
    #[arg(long, value_name = "TARGET", help_heading = "Preprocessing")]
    pub preprocess_target: Vec<String>,
    /// Keep the inputs and outputs of all commands in DIR, not only on failure
    #[arg(long, value_name = "DIR", help_heading = "Preprocessing")]
    pub keep_preprocess_files: Option<PathBuf>,
}

impl PreprocessArgs {
    /// Returns the values of the flag of a hook.
    pub fn of(&self, hook: Hook) -> &[String] {
        match hook {
            Hook::Input => &self.preprocess_input_with,
            Hook::Global => &self.preprocess_global_with,
            Hook::Executable => &self.preprocess_executables_with,
            Hook::Object => &self.preprocess_objects_with,
            Hook::Dispatch | Hook::Link => &[],
        }
    }

    /// The words of a command line that does what these flags ask for at one hook.
    pub fn words(&self, hook: Hook) -> Vec<String> {
        let actions = self.of(hook).iter().map(|action| format!("{}={action}", hook.flag()));
        let target = self.preprocess_target.iter().filter(|_| hook != Hook::Object);
        actions.chain(target.map(|t| format!("--preprocess-target={t}"))).chain(self.limit_words()).collect()
    }

    /// Whether a command at a hook declares itself pure.
    pub fn has_pure(&self, hook: Hook) -> bool {
        let options =
            |text: &'_ str| text.trim_start().strip_prefix("cmd[")?.split_once("]:").map(|(o, _)| o.to_owned());
        let is_pure = |options: String| options.split(',').any(|option| option.trim() == "pure");
        self.of(hook).iter().filter_map(|text| options(text)).any(is_pure)
    }

    /// The words of the flags that are the same for all hooks.
    pub fn limit_words(&self) -> impl Iterator<Item = String> {
        let timeout = self.preprocess_timeout.map(|t| format!("--preprocess-timeout={}", t.as_secs_f64()));
        let memory = self.preprocess_memory.map(|m| format!("--preprocess-memory={m}"));
        let output = self.preprocess_output.map(|o| format!("--preprocess-output={o}"));
        let kept = self.keep_preprocess_files.as_ref().map(|f| format!("--keep-preprocess-files={}", f.display()));
        timeout.into_iter().chain(memory).chain(output).chain(kept)
    }
}
