//! Obsolete flags, which are accepted for one version. They have no effect, and a warning says so.
use halyard_cli::Printer;
use halyard_diag::Diagnostic;

/// `--layout`: weights are packed for each target by `hal-translate`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LayoutArgs {
    /// Has no effect any more
    #[arg(long, hide = true, value_name = "LAYOUT", value_parser = ["auto", "source"])]
    pub layout: Option<String>,
}

impl LayoutArgs {
    /// Warns if the flag is given.
    pub fn tell(&self, printer: &Printer) {
        if self.layout.is_some() {
            let warning =
                obsolete("`--layout` has no effect any more: programs keep the model's convolutions and weights");
            printer.diagnostic(
                &warning.hint("`hal-translate` packs weights for CPUs, and leaves those of other targets as they are"),
            );
        }
    }
}

/// `--fast-math` of `hal-import`: the tool that generates code has it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct FastMathArgs {
    /// Has no effect any more
    #[arg(long, hide = true, value_name = "WHAT", require_equals = true, value_parser = ["winograd"])]
    pub fast_math: Option<String>,
}

impl FastMathArgs {
    /// Warns if the flag is given.
    pub fn tell(&self, printer: &Printer) {
        if self.fast_math.is_some() {
            let warning = obsolete("`--fast-math=winograd` has no effect on `hal-import` any more");
            printer.diagnostic(&warning.hint("give it to `hal-translate`"));
        }
    }
}

fn obsolete(message: &str) -> Diagnostic {
    Diagnostic::warning(message).code("obsolete-flag")
}
