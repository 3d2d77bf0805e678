//! Flags for hand-written kernels: where their objects are, and how matches are reported.
use halyard_stages::Matching;
use std::path::PathBuf;

/// Flags for hand-written kernels.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Hand-written kernels")]
pub struct KernelArgs {
    /// Look for objects of hand-written kernels in FOLDER, after the working directory; repeatable
    #[arg(long, value_name = "FOLDER")]
    pub executable_object_search_path: Vec<PathBuf>,
    /// Fail if a transform script or PDL patterns among the stages match nothing
    #[arg(long, help_heading = "Stages")]
    pub require_match: bool,
    /// Report what transform scripts and PDL patterns matched, and why near misses did not match
    #[arg(long, help_heading = "Stages")]
    pub report_matches: bool,
}

impl KernelArgs {
    /// Returns how stages report matches.
    pub(crate) fn matching(&self) -> Matching {
        Matching { report: self.report_matches, require: self.require_match, whole: false }
    }

    /// The arguments for a tool that reads objects.
    pub(crate) fn object_words(&self) -> impl Iterator<Item = String> {
        self.executable_object_search_path.iter().map(|f| format!("--object-path={}", f.display()))
    }

    /// Returns the arguments for `hal-opt`.
    pub(crate) fn match_words(&self) -> impl Iterator<Item = String> {
        let flags = [("--require-match", self.require_match), ("--report-matches", self.report_matches)];
        flags.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_owned())
    }
}
