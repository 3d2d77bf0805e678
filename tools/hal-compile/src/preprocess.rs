//! Preprocessing in the driver: the flags of `hal-opt`, each at the step of its hook.
use crate::{CompileArgs, plan::Plan};
use halyard_diag::{Error, Result};
use halyard_ir::{PipelineOptions, Session};
use halyard_preprocess::{Hook, Preprocess, PreprocessArgs};

/// Parses the actions that the flags request. Fails if an action is malformed, or if a flag would never take effect.
pub(crate) fn parse(session: &Session, plan: &Plan<'_>) -> Result<Preprocess> {
    let args = plan.args;
    if let Some(hook) =
        Hook::ALL.into_iter().find(|&hook| !args.preprocess.of(hook).is_empty() && !plan.preprocesses(hook))
    {
        return Err(Error::usage(format!(
            "`{}` would never run: the program is not in that phase on its way",
            hook.flag()
        )));
    }
    let preprocess = Preprocess::new(session, &with_target(args), &args.stage_args, args.jobs.jobs)?;
    Ok(preprocess
        .with(args.kernels.matching(), PipelineOptions::default())
        .objects_in(&args.kernels.executable_object_search_path))
}

/// Returns the arguments for `hal-opt` at a hook.
pub(crate) fn words(args: &CompileArgs, hook: Hook) -> Vec<String> {
    let mut words = with_target(args).words(hook);
    words.extend(args.stage_args.words());
    words.extend(args.kernels.match_words());
    words.extend((hook == Hook::Object).then(|| args.kernels.object_words()).into_iter().flatten());
    words.extend(args.jobs.jobs.map(|n| format!("-j{n}")));
    words.extend(args.preprocess.has_pure(hook).then(|| args.cache.local().words()).into_iter().flatten());
    words
}

/// The words for the driver itself, all hooks.
pub(crate) fn own_words(args: &CompileArgs) -> Vec<String> {
    let actions = Hook::ALL
        .into_iter()
        .flat_map(|hook| args.preprocess.of(hook).iter().map(move |a| format!("{}={a}", hook.flag())));
    let limits = args.preprocess.limit_words();
    actions
        .chain(limits)
        .chain(args.preprocess.preprocess_target.iter().map(|t| format!("--preprocess-target={t}")))
        .collect()
}

/// Returns the targets that preprocessors are informed of.
pub(crate) fn targets(args: &CompileArgs) -> Vec<String> {
    if args.target.is_empty() { vec!["cpu".into()] } else { args.target.clone() }
}

/// Adds the targets of the compilation to the arguments.
fn with_target(args: &CompileArgs) -> PreprocessArgs {
    let mut preprocess = args.preprocess.clone();
    if preprocess.preprocess_target.is_empty() {
        preprocess.preprocess_target = targets(args);
    }
    preprocess
}
