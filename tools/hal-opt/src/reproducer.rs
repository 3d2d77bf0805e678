//! `--reproducers-to` and `--run-reproducer`: reproducers include the flags that affect a stage.
use crate::OptArgs;
use clap::Parser;
use halyard_cli::Input;
use halyard_diag::{Error, Result};
use halyard_stages::{Reproducers, StageReproducer};

/// Returns the writer of reproducers, if they are requested.
pub(crate) fn writer(args: &OptArgs) -> Option<Reproducers> {
    let folder = args.reproducers_to.as_ref()?;
    let mut flags: Vec<String> = Vec::new();
    flags.extend((!args.verify_each).then(|| "--verify-each=false".into()));
    flags.extend(args.allow_unregistered_dialect.then(|| "--allow-unregistered-dialect".into()));
    flags.extend(args.require_match.then(|| "--require-match".into()));
    flags.extend(args.stage_args.words().filter(|w| w.starts_with("--stage-timeout=")));
    flags.extend(halyard_ir::plugin_words());
    Some(Reproducers::new(folder, concat!("hal-opt ", env!("CARGO_PKG_VERSION")), flags))
}

/// Replaces the stages of the command line by those of a reproducer, with the flags that it ran with. Fails if the
/// input is not a reproducer, or is damaged.
pub(crate) fn apply(args: &mut OptArgs, input: &Input) -> Result<()> {
    let reproducer = StageReproducer::read(&input.bytes, &input.name)?;
    let words = std::iter::once("hal-opt").chain(reproducer.flags.iter().map(String::as_str));
    let recorded = OptArgs::try_parse_from(words).map_err(|e| {
        let why = e.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let error = Error::input(format!("this reproducer has flags that this tool does not take: {why}"));
        error.in_file(&*input.name).code("not-a-reproducer").note(format!("it was written by {}", reproducer.tool))
    })?;
    args.stage_args.stage_timeout = args.stage_args.stage_timeout.or(recorded.stage_args.stage_timeout);
    args.stage_args = reproducer.stage_args(&args.stage_args)?;
    args.stages = vec![reproducer.stage];
    args.verify_each = recorded.verify_each;
    args.allow_unregistered_dialect |= recorded.allow_unregistered_dialect;
    args.require_match |= recorded.require_match;
    halyard_ir::load_plugins(recorded.libraries.passes(), recorded.libraries.dialects())
}
