//! `--remote-worker`: translates what `--launcher` sends.
use super::wire::{Common, Item, build, hash_of_file, version};
use crate::{
    ContainmentArgs, Translation,
    job::{Done, Job},
    targets::pipelines,
    workers,
};
use halyard_cli::write_output;
use halyard_diag::{Error, Result};
use halyard_exec::{LaunchedWork, serve_launched};
use halyard_ir::{Session, form::single_executable};
use std::{
    fs::File,
    io::{BufReader, stdin},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

/// Answers one request, see [`serve_launched`]: it is read from a file, or from standard input for `-`, and so is the reply
/// written.
pub(crate) fn serve(input: &Path, output: &Path) -> Result<()> {
    let reply = if input == Path::new("-") {
        // Not to its end: launchers may leave it open.
        serve_launched(&build(), version(), ("on standard input", &mut stdin().lock()), work)?
    } else {
        let name = input.display();
        let file = File::open(input).map_err(|e| Error::io("read", name.to_string(), &e))?;
        serve_launched(&build(), version(), (&format!("in `{name}`"), &mut BufReader::new(file)), work)?
    };
    write_output(output, &reply)
}

/// Translates the executables of a job, one after another, each in a process of its own. Errors: what is not as it is at the
/// other side.
fn work(LaunchedWork { common, items }: LaunchedWork) -> Result<Vec<Vec<u8>>, String> {
    let common: Common = postcard::from_bytes(&common).map_err(|_| "the jobs cannot be read")?;
    for (flag, path, hash) in &common.plugins {
        if hash_of_file(path.as_ref()) != *hash {
            return Err(format!("`{flag}={path}` is not the same file here"));
        }
    }
    let of_flag = |wanted: &str| -> Vec<PathBuf> {
        common.plugins.iter().filter(|(flag, ..)| flag.contains(wanted)).map(|(_, path, _)| path.into()).collect()
    };
    halyard_ir::load_plugins(&of_flag("pass"), &of_flag("dialect")).map_err(|e| e.to_string())?;
    let session = Session::until_exit();
    let targets = common.targets(session)?;
    let options = common.options();
    let none = (halyard_stages::StageArgs::default(), halyard_stages::PipelineArgs::default());
    let containment = ContainmentArgs {
        executable_timeout: common.limits.0.map(Duration::from_millis),
        executable_memory: common.limits.1,
        keep_going: true,
        ..ContainmentArgs::default()
    };
    let translation = Translation {
        pipelines: pipelines(session, &none.0, &none.1, options, &targets).map_err(|e| e.to_string())?.into(),
        targets,
        options,
        jobs: Some(NonZeroUsize::MIN),
        containment,
        strip_source: false,
        verify: None,
        object_path: Vec::new(),
        tuning: None,
        cache: None,
        debug: common.debug(),
        launcher: None,
        printer: None,
    };
    let items: Vec<Item> = items
        .iter()
        .map(|bytes| postcard::from_bytes(bytes))
        .collect::<Result<_, _>>()
        .map_err(|_| "the jobs cannot be read")?;
    let mut modules = Vec::new();
    let mut jobs = Vec::new();
    for item in items {
        let module = session.parse(&item.module, "executable").map_err(|e| e.to_string())?;
        let found = single_executable(session, halyard_ir::Op::from(&module), "the executable");
        let op = found.map_err(|e| e.to_string())?.op;
        if item.members.is_empty() || item.target >= translation.targets.len() {
            return Err("the jobs cannot be read".into());
        }
        jobs.push(Job { members: item.members, op, target: item.target, text: None });
        modules.push(module);
    }
    let done = workers::quiet(session, &jobs, &translation, common.code);
    let reply = |done: Option<Vec<Done>>| postcard::to_stdvec(&done).expect("results are plain data");
    Ok(done.into_iter().map(reply).collect())
}
