//! The command line.
use clap::{CommandFactory, Parser};
use halyard_cache::LocalCacheArgs;
use halyard_cli::{DepfileArgs, GlobalArgs, JobsArgs, LibraryArgs, OutputArgs, ToolArgs};
use halyard_ir::PluginKind;
use halyard_plugins::PluginArgs;
use halyard_preprocess::{Hook, PreprocessArgs};
use halyard_stages::{StageArgs, WatchArgs, nearest_pass};
use std::{collections::BTreeSet, ffi::OsString, path::PathBuf};

/// Transform MLIR with passes, transform scripts and patterns
///
/// Reads MLIR (text or bytecode), runs the stages in order and writes MLIR. Without stages it only converts. A pass can
/// also be named as in mlir-opt: `--canonicalize` is short for `--stage=canonicalize`, and `--PASS="a=1 b=2"` for
/// `--stage='PASS{a=1 b=2}'`.
#[derive(Debug, Parser)]
#[command(name = "hal-opt")]
pub struct OptArgs {
    /// MLIR to read; - is standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    /// Run a stage: PASS, PASS{OPTIONS}, builtin.module(...), FILE.mlir, FILE.py or FILE.yaml; repeatable
    ///
    /// Separate passes with commas. FILE.mlir[seq=NAME]{PARAMETERS} is a transform script, of which one named sequence
    /// runs (default: `__transform_main`), or PDL patterns, which are applied until none matches; kernel declarations
    /// in the file are inserted where they are called. FILE.py[gen=FUNCTION,seq=NAME]{OPTIONS}{PARAMETERS} calls a
    /// function that returns a transform script, FILE.py[run=FUNCTION]{OPTIONS} one that rewrites the module.
    /// FILE.yaml{VARIABLES} is a pipeline of stages. Options, parameters and variables are NAME=VALUE, separated by
    /// spaces. See docs/stages.md.
    #[arg(long = "stage", value_name = "STAGE")]
    pub stages: Vec<String>,
    /// Where stages are.
    #[command(flatten)]
    pub stage_args: StageArgs,
    /// Run a pass pipeline: builtin.module(...), or passes separated by commas
    #[arg(long, value_name = "PIPELINE", conflicts_with = "stages")]
    pub pass_pipeline: Option<String>,
    /// Fail if a transform script or PDL patterns match nothing
    #[arg(long)]
    pub require_match: bool,
    /// Report on standard error what transform scripts and PDL patterns matched, and why near misses did not match
    #[arg(long, help_heading = "Looking inside")]
    pub report_matches: bool,
    /// Process the parts of the input between `// -----` lines separately
    #[arg(long)]
    pub split_input_file: bool,
    /// Check that diagnostics match the `expected-error {{...}}` comments in the input
    #[arg(long)]
    pub verify_diagnostics: bool,
    /// Verify the IR after each pass; the result is always verified
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_value = "true", default_missing_value = "true")]
    pub verify_each: bool,
    /// Accept operations, types and attributes of unknown dialects
    #[arg(long)]
    pub allow_unregistered_dialect: bool,
    /// Print the IR after each pass, on standard error
    #[arg(long, alias = "mlir-print-ir-after-all", help_heading = "Looking inside")]
    pub print_ir_after_all: bool,
    /// Print the IR before each pass, on standard error
    #[arg(long, alias = "mlir-print-ir-before-all", help_heading = "Looking inside")]
    pub print_ir_before_all: bool,
    /// Print how long each pass took, on standard error
    #[arg(long, alias = "mlir-timing", help_heading = "Looking inside")]
    pub timing: bool,
    /// Watching stages.
    #[command(flatten)]
    pub watch: WatchArgs,
    /// Write a reproducer of a failing stage to FOLDER: the module before it, the stage, and its files
    #[arg(long, value_name = "FOLDER", help_heading = "Looking inside")]
    pub reproducers_to: Option<PathBuf>,
    /// Run the stage of the reproducer INPUT again
    #[arg(long, conflicts_with_all = ["stages", "pass_pipeline", "split_input_file", "plugin_stages"], help_heading = "Looking inside")]
    pub run_reproducer: bool,
    /// List the stages of --stage-path and the built-in ones, with descriptions and parameters, and stop
    #[arg(long, help_heading = "Stages")]
    pub list_stages: bool,
    /// Print the text of a stage file, such as a built-in one, to copy and edit, and stop
    #[arg(long, value_name = "FILE", help_heading = "Stages")]
    pub show_stage: Option<String>,
    /// Print the parameters, options and variables of the given stages, and stop
    #[arg(long, help_heading = "Stages")]
    pub list_parameters: bool,
    /// Print the stages with pipelines expanded, one per line, and stop
    #[arg(long, help_heading = "Stages")]
    pub expand: bool,
    /// Print all passes with their options, and stop
    #[arg(long, help_heading = "Looking inside")]
    pub list_passes: bool,
    /// Preprocessing.
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
    /// Test a preprocessor command on built-in executables, print the results, and stop
    #[arg(long, value_name = "ACTION", help_heading = "Preprocessing")]
    pub check_preprocessor: Option<String>,
    /// Replies of pure commands.
    #[command(flatten, next_help_heading = "Preprocessing")]
    pub cache: LocalCacheArgs,
    /// Look in FOLDER for objects that the program names by path, after the working directory; repeatable
    #[arg(long, value_name = "FOLDER", help_heading = "Preprocessing")]
    pub object_path: Vec<PathBuf>,
    /// Plugins.
    #[command(flatten)]
    pub plugins: PluginArgs,
    /// Run the enabled plugins' stages at a hook: input, global, dispatch, executable, object or link; repeatable
    ///
    /// Other tools run their hooks by themselves; use this flag to try a plugin. Hooks run before --stage.
    #[arg(long, value_name = "HOOK", value_parser = hook, help_heading = "Plugins")]
    pub plugin_stages: Vec<Hook>,
    /// Parallelism.
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// Output.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Libraries with passes and dialects.
    #[command(flatten)]
    pub libraries: LibraryArgs,
    /// What the output depends on.
    #[command(flatten)]
    pub depfile: DepfileArgs,
    /// Common flags.
    #[command(flatten)]
    pub global: GlobalArgs,
}

impl ToolArgs for OptArgs {
    const EXAMPLES: &'static str = "
        hal-opt program.mlir --stage=canonicalize,cse -o smaller.mlir
        hal-import model.onnx | hal-opt --canonicalize --cse | hal-translate | hal-link -o model.so
        hal-opt program.mlir --pass-pipeline='builtin.module(builtin.module(func.func(linalg-fold-unit-extent-dims)))'
        hal-opt program.mlir --stage='schedule.mlir[seq=tile]' --stage=canonicalize
        hal-opt tests.mlir --split-input-file --verify-diagnostics";

    const COMMON: &'static [&'static str] = &[
        "stage",
        "pass-pipeline",
        "output",
        "split-input-file",
        "list-stages",
        "list-passes",
        "print-after-stage",
        "plugin",
    ];

    const MEANT: &'static [(&'static str, &'static str)] = &[
        ("--pass", "`--stage=PASS`, or the pass as a flag: `--canonicalize`"),
        ("--passes", "`--stage=PASS,PASS` runs several passes"),
        ("--script", "`--stage=FILE.mlir` runs a transform script"),
        ("--transform", "`--stage=FILE.mlir` runs a transform script"),
        ("--mlir-print-ir-after-all", "`--print-ir-after-all`"),
    ];

    const SEE_ALSO: &'static str = "
        hal-import (makes programs), hal-translate (next step), mlir-opt-22 (works on programs, too)
        docs/stages.md (pass pipelines, transform scripts, patterns, Python), docs/preprocessing.md, docs/plugins.md";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    fn help_more(argv: &[OsString]) -> Option<String> {
        halyard_plugins::help(argv)
    }

    fn suggest(unknown: &str) -> Option<String> {
        let pass = nearest_pass(unknown.trim_start_matches('-'))?;
        Some(format!("--{pass}"))
    }

    /// Turns `--PASS` and `--PASS=OPTIONS` into `--stage=…`.
    fn prepare(argv: Vec<OsString>) -> Vec<OsString> {
        load_passes(&argv);
        let command = OptArgs::command();
        let own: BTreeSet<&str> = command
            .get_arguments()
            .flat_map(|a| {
                a.get_long_and_visible_aliases()
                    .unwrap_or_default()
                    .into_iter()
                    .chain(a.get_all_aliases().unwrap_or_default())
            })
            .chain(["help", "version", "man", "completions"])
            .collect();
        let mut ended = false;
        argv.into_iter()
            .map(|word| {
                ended |= word == "--";
                match word.to_str().filter(|_| !ended).and_then(|w| as_stage(w, &own)) {
                    Some(stage) => format!("--stage={stage}").into(),
                    None => word,
                }
            })
            .collect()
    }
}

/// Loads the plugins with passes that a command line names, so that their passes can be flags. One that cannot be loaded is
/// told when the flag is taken.
fn load_passes(argv: &[OsString]) {
    let flag = PluginKind::Passes.flag();
    for (i, word) in argv.iter().enumerate().take_while(|(_, w)| *w != "--") {
        let value = match word.to_str().and_then(|w| w.strip_prefix(flag)) {
            Some("") => argv.get(i + 1).map(PathBuf::from),
            Some(rest) => rest.strip_prefix('=').map(PathBuf::from),
            None => None,
        };
        if let Some(path) = value {
            let _ = halyard_ir::load_plugin(PluginKind::Passes, &path);
        }
    }
}

fn hook(word: &str) -> Result<Hook, String> {
    Hook::OF_PLUGINS.into_iter().find(|h| h.name() == word).ok_or_else(|| {
        let known: Vec<_> = Hook::OF_PLUGINS.iter().map(|h| format!("`{}`", h.name())).collect();
        format!("hooks are {}", known.join(", "))
    })
}

fn as_stage(word: &str, own: &BTreeSet<&str>) -> Option<String> {
    let flag = word.strip_prefix("--")?;
    let (name, options) = flag.split_once('=').map_or((flag, None), |(name, options)| (name, Some(options)));
    if name.is_empty() || own.contains(name) || !halyard_ir::is_pass(name) {
        return None;
    }
    Some(options.map_or_else(|| name.to_owned(), |o| format!("{name}{{{o}}}")))
}
