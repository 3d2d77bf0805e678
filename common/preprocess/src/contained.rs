//! Runs stages on executables in worker processes: if one crashes MLIR, the message names its executable.
use crate::{placed::placed, turn::Turn};
use halyard_diag::{Error, ErrorKind, Result, WireError, quote};
use halyard_exec::{EXIT_MEMORY, How, ItemOutcome, Limits, Loss, Scratch, isolated};
use halyard_ir::{
    Module, Op, PipelineOptions, Session, exit_without_memory,
    form::{Executable, escape_symbol, single_executable, write_standalone},
};
use halyard_stages::Stages;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A worker's reply for an executable.
#[derive(Serialize, Deserialize)]
struct Reply {
    /// The executable after the stages, as bytecode, or the error.
    result: Result<Vec<u8>, WireError>,
    /// Further diagnostics.
    said: WireError,
}

/// Runs stages on executables, each as if it were the whole module, with the limits of the turn. The results are modules of
/// one executable, in order. Errors, in their places: what the stages say. Error: a worker that crashed, hung or had no
/// memory left.
pub(super) fn run<'s>(
    session: &'s Session,
    executables: &[Executable],
    (stages, words): (&Stages, &[String]),
    options: PipelineOptions,
    turn: &Turn<'_>,
) -> Result<Vec<Result<Module<'s>>>> {
    let limits = Limits {
        slots: turn.caller.slots.clone(),
        time: turn.caller.timeout,
        memory: turn.caller.memory,
        keep_going: false,
        retry_killed: false,
    };
    let sources = session.sources();
    // Parsing clears the diagnostics; they are added again at the end.
    let mut said_so_far = session.take_diagnostics();
    let outcomes = isolated(executables.len(), &limits, |i| {
        exit_without_memory(EXIT_MEMORY);
        let executable = Executable { op: executables[i].op.duplicate() };
        let result = stages
            .run(session, executable.op, options, &mut ())
            .map(|()| write_standalone(executable, true))
            .map_err(|error| WireError::new(error, &sources));
        let said = Error { kind: ErrorKind::Input, diagnostics: session.take_diagnostics() };
        Reply { result, said: WireError::new(said, &sources) }
    });
    let mut results = Vec::new();
    for (executable, outcome) in executables.iter().zip(outcomes) {
        match outcome {
            ItemOutcome::Done { value, said } => {
                turn.caller.printer.stderr(&said);
                said_so_far.extend(value.said.into_error(&sources).diagnostics);
                results.push(value.result.map_err(|wire| wire.into_error(&sources)).and_then(|bytes| {
                    let name = format!("<what the stage made of `@{}`>", executable.name());
                    let module = session.parse(&bytes, &name)?;
                    single_executable(session, Op::from(&module), "the result").map_err(|e| placed(e, &name))?;
                    Ok(module)
                }));
            }
            ItemOutcome::Lost(loss) => return Err(lost(session, *executable, &loss, words, turn)),
            // The one that was lost comes later in the list.
            ItemOutcome::Skipped => {}
        }
    }
    said_so_far.into_iter().for_each(|d| session.say(d));
    Ok(results)
}

fn lost(session: &Session, executable: Executable, loss: &Loss, words: &[String], turn: &Turn<'_>) -> Error {
    let name = executable.name();
    if let How::NotStarted(why) = &loss.how {
        return Error::environment(format!("no worker process could be started for a stage: {why}")).code("no-worker");
    }
    let stages: Vec<_> = words.iter().map(|w| format!("`{}`", w.strip_prefix("--stage=").unwrap_or(w))).collect();
    let message = format!("executable `@{name}`: the stage {} {}", stages.join(", "), loss.how.words());
    let error = Error::tool(message).code("stage-crashed");
    let error = error.at(session.span(executable.op));
    match reproducer(executable, loss, words, turn) {
        Ok(folder) => error
            .note(format!("to reproduce it, run `{}`", quote(&folder.join("replay").display().to_string())))
            .hint(match loss.how {
                How::TooSlow(_) => format!("{} sets the limit", turn.limits[0]),
                How::OutOfMemory(_) => format!("{} sets the limit", turn.limits[1]),
                _ => "leave the executable out or use another stage, and please report it with that folder".into(),
            }),
        Err(e) => error.note(format!("a reproducer could not be saved: {e}")),
    }
}

/// A folder with the executable, what was said, and a script that runs the stage on it again.
fn reproducer(executable: Executable, loss: &Loss, words: &[String], turn: &Turn<'_>) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let top = match &turn.args.keep_preprocess_files {
        Some(folder) => folder.join(&turn.folder),
        None => Scratch::new("preprocess")?.keep(),
    };
    let folder = top.join(escape_symbol(&executable.name()));
    std::fs::create_dir_all(&folder).map_err(|e| Error::io("make", &folder, &e))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|e| Error::io("write", &path, &e))
    };
    write("executable.mlir", &write_standalone(executable, false))?;
    write("said.txt", format!("the worker {}\n{}", loss.how.words(), loss.said).as_bytes())?;
    let here = std::env::current_dir().unwrap_or_default();
    let words = halyard_ir::plugin_words().into_iter().chain(words.iter().cloned());
    let words: Vec<_> = words.map(|w| quote(&w)).collect();
    let script = format!(
        "#!/bin/sh\n# Needs `hal-opt` on PATH. Arguments are added to it.\nfolder=$(cd \"$(dirname \"$0\")\" && pwd)\ncd {}\nexec hal-opt \"$folder/executable.mlir\" {} \"$@\"\n",
        quote(&here.display().to_string()),
        words.join(" ")
    );
    write("replay", script.as_bytes())?;
    let replay = folder.join("replay");
    std::fs::set_permissions(&replay, std::fs::Permissions::from_mode(0o755))
        .map_err(|e| Error::io("make executable", &replay, &e))?;
    Ok(folder)
}
