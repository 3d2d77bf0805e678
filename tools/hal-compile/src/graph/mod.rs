//! `--emit=ninja`, `--emit=make`: writes what a build of the program by parts needs.
//!
//! A folder with
//! - `build.ninja` or `Makefile`: the graph ([`text`]), run from where `hal-compile` ran; it brings itself up to date;
//! - `program.mlirbc`: the program in phase `executables`;
//! - `sources/NAME.mlir`: each executable ([`sources`]); one that is edited is translated and linked as it is.
//!
//! Running the graph adds `objects/NAME.mlir`, the same executables with their objects, and the linked program.
mod sources;
mod text;

use crate::{
    CompileArgs,
    format::GraphKind,
    plan::{Plan, Step},
    steps::Work,
};
use halyard_cli::{write_atomically, write_depfile};
use halyard_diag::{Error, Result, quote};
use halyard_ir::form::write;
use halyard_plugins::Active;
use std::path::{Path, PathBuf};
use text::Graph;

/// The linked program that the graph of a folder makes: named after the model. Errors: no folder; a model that is read from
/// standard input.
pub(crate) fn linked(args: &CompileArgs) -> Result<PathBuf> {
    let Some(folder) = args.output.as_ref().filter(|o| *o != Path::new("-")) else {
        return Err(Error::usage("`--emit` of a build graph needs an output folder").hint("name it: `-o FOLDER`"));
    };
    let stem = args.input.file_stem().filter(|_| args.input != Path::new("-")).ok_or_else(|| {
        Error::usage("a build graph reads the model again when it changes, but it comes from standard input")
            .hint("name its file")
    })?;
    let name = folder.join(stem).with_extension("so");
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./+=@,-".contains(c);
    match name.display().to_string().chars().find(|&c| !plain(c)) {
        None => Ok(name),
        Some(c) => {
            Err(Error::usage(format!("the path `{}` has `{c}`, which build graphs cannot name", name.display()))
                .hint("choose a folder, and a name of the model, of letters, digits and `_./+=@,-`"))
        }
    }
}

/// Errors: flags and plugins that act where the graph has no step, or that report on a compilation that does not happen.
pub(crate) fn check(args: &CompileArgs, active: &Active, rest: &[Step]) -> Result<()> {
    let place = args.weights.place();
    let flags = [
        ("--to", args.to.is_some()),
        ("--save-temps", args.save_temps.is_some()),
        ("--reproduce", args.reproduce.is_some()),
        ("--depfile", args.depfile.is_some()),
        ("--dry-run", args.dry_run),
        ("--verify", args.verify.verify.is_some()),
        ("--time", args.times.time),
        ("--time-json", args.times.time_json.is_some()),
        ("--explain", args.explain.words().next().is_some()),
        ("--dump-executable-stages-to", args.dump.dump_executable_stages_to.is_some()),
        ("--weights-to", !matches!(place, None | Some(hal_import::WeightsPlace::Embed))),
    ];
    let refuse = |what: &str| Err(Error::usage(format!("{what} does not go with `--emit` of a build graph")));
    if let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) {
        return refuse(&format!("`{flag}`")).map_err(|e| e.hint("give it to a compilation without the graph"));
    }
    if let Some((name, _)) = active.folders().first() {
        return refuse(&format!("plugin `{name}`")).map_err(|e| e.hint("leave it out with `--plugin`"));
    }
    match rest.iter().find(|step| !matches!(step, Step::Translate | Step::Link)) {
        Some(Step::Dump(_)) => refuse("`--dump-…`"),
        Some(_) => refuse("what changes objects (preprocessors, substitutions, stages at `objects`)"),
        None if rest.first() == Some(&Step::Translate) => Ok(()),
        None => refuse("a program that has objects already"),
    }
}

/// Writes the folder. Errors: files that cannot be written; sources that were edited and changed in the model, too.
pub(crate) fn emit(kind: GraphKind, plan: &Plan<'_>, work: &Work<'_, '_>) -> Result<()> {
    let folder = plan.output.parent().unwrap_or(Path::new("."));
    let program = folder.join("program.mlirbc");
    let names = sources::write(folder, &work.program().executables())?;
    if let Some(name) = names.iter().find(|n| kind == GraphKind::Make && n.contains('%')) {
        return Err(Error::usage(format!("make cannot handle the file name `{name}` of an executable"))
            .hint("`--emit=ninja` can"));
    }
    write_atomically(&program, &write(work.program().op, true))?;
    let graph = folder.join(kind.file());
    let words = translation_words(plan, work);
    let text = Graph {
        kind,
        folder: folder.display().to_string(),
        file: graph.display().to_string(),
        output: plan.output.display().to_string(),
        names,
        generate: shell(std::iter::once("hal-compile".to_owned()).chain(own_words())),
        translate: shell(["hal-translate".to_owned(), "-j1".into()].into_iter().chain(words.clone())),
        link: shell(link_words(plan, &words, &program, folder)),
        jobs: plan.args.jobs.jobs,
    }
    .text();
    write_depfile(&graph.with_file_name(format!("{}.d", kind.file())), &[&graph])?;
    write_atomically(&graph, text.as_bytes())
}

/// The command line of this process.
fn own_words() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned())
}

fn shell(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().map(|w| quote(&w)).collect::<Vec<_>>().join(" ")
}

/// The flags of `hal-translate`. The targets are named in full: this machine's CPU is not that of others.
fn translation_words(plan: &Plan<'_>, work: &Work<'_, '_>) -> Vec<String> {
    let words = plan.translation_words().into_iter().filter(|w| !w.starts_with("--target=") && !w.starts_with("-j"));
    words.chain(work.translation.targets.iter().map(|t| format!("--target={t}"))).collect()
}

/// The command that links: all executables are in the folder of objects, so nothing is translated.
fn link_words(plan: &Plan<'_>, translation: &[String], program: &Path, folder: &Path) -> Vec<String> {
    let here = |w: &String| !w.starts_with("--launcher") && !w.starts_with("--object-path=");
    let mut words = vec!["hal-compile".to_owned(), "-q".into(), program.display().to_string()];
    words.push(format!("--substitute-executable-sources-from={}", folder.join("objects").display()));
    words.extend(translation.iter().filter(|w| here(w)).cloned());
    let objects = &plan.args.kernels.executable_object_search_path;
    words.extend(objects.iter().map(|f| format!("--executable-object-search-path={}", f.display())));
    words.extend(plan.args.merge.words());
    words.extend(plan.args.weights.place().map(|_| "--weights-to=embed".to_owned()));
    words.extend(["-o".to_owned(), plan.output.display().to_string()]);
    words
}
