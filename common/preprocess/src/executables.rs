//! Preprocesses executables one by one.
use crate::{
    Command, Kept, Request,
    calls::{is_unchanged, refuse},
    contained,
    placed::placed,
    turn::{Turn, targets},
};
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_exec::Finished;
use halyard_ir::{
    Module, Op, PipelineOptions, Session,
    form::{Executable, Program, check_replacement, escape_symbol, replace, single_executable, write_standalone},
};
use halyard_stages::Stages;

/// Calls a command for each executable and puts the replies in their places. Errors: the first executable (in order)
/// whose reply does not fit; nothing is replaced then.
pub(super) fn command(session: &Session, module: Op, command: &Command, turn: &Turn<'_>) -> Result<()> {
    let executables = Program { op: module }.executables();
    if executables.is_empty() {
        idle(turn.caller.printer, &command.name());
        return Ok(());
    }
    let count = executables.len();
    let requests: Vec<_> =
        executables.iter().enumerate().map(|(i, e)| request(session, module, *e, (i, count), command, turn)).collect();
    let kept = Kept::new(turn.args.keep_preprocess_files.as_deref(), &turn.folder)?;
    let answers = turn.caller.answers(command, &requests, &kept)?;
    let replies = &answers.all;
    let mut fitting: Vec<(Executable, Module<'_>)> = Vec::new();
    for ((executable, request), finished) in executables.iter().zip(&requests).zip(replies) {
        if !is_unchanged(request, finished) {
            let reply = accept(session, *executable, command, request, finished, &kept);
            fitting.push((*executable, reply.map_err(|e| refuse(e, command, request, finished, &kept))?));
        }
        turn.caller.show(command, request, finished);
    }
    let changed = fitting.len();
    answers.keep(turn.caller.printer);
    for (executable, reply) in fitting {
        replace(executable, single_executable(session, Op::from(&reply), "the reply")?);
    }
    turn.caller.printer.verbose(format!("`{}`: {count} executables, {} unchanged", command.name(), count - changed));
    Ok(())
}

/// Makes the request for one executable.
pub(super) fn request(
    session: &Session,
    module: Op,
    executable: Executable,
    (index, count): (usize, usize),
    command: &Command,
    turn: &Turn<'_>,
) -> Request {
    let name = executable.name();
    let suffix = Turn::suffix(command.bytecode);
    let stdin = write_standalone(executable, command.bytecode);
    let mut request = turn.request(module, format!("executable `@{name}`"), escape_symbol(&name), suffix, stdin);
    let exports: Vec<_> = executable.interface_exports().iter().map(|e| e.name()).collect();
    request.env.extend([
        ("HALYARD_EXECUTABLE", name),
        ("HALYARD_INDEX", index.to_string()),
        ("HALYARD_COUNT", count.to_string()),
        ("HALYARD_EXPORTS", exports.join(" ")),
    ]);
    let variants = executable.variants();
    if !variants.is_empty() {
        request.env.retain(|(name, _)| *name != "HALYARD_TARGET");
        request.env.push(("HALYARD_TARGET", targets(&variants)));
    }
    request.span = session.span(executable.op);
    request
}

/// The reply as a module that holds what may take the place of an executable. Errors point into its file, which is kept
/// then.
pub(super) fn accept<'s>(
    session: &'s Session,
    original: Executable,
    command: &Command,
    request: &Request,
    finished: &Finished,
    kept: &Kept,
) -> Result<Module<'s>> {
    let read = |name: &str| {
        let reply = session.parse(&finished.stdout, name)?;
        let executable = single_executable(session, Op::from(&reply), "the reply").map_err(|e| placed(e, name))?;
        check_replacement(session, original, executable).map_err(|e| placed(e, name))?;
        Ok(reply)
    };
    read(&kept.reply(command, request)).or_else(|e| kept.stdout(request).map_or(Err(e), |file| read(&file)))
}

/// Runs stages (and the words by which `hal-opt` runs them) on each executable as if it were the whole module. Those without a source have nothing to
/// run on. Errors: what the stages say; stages that do nothing on any executable; a result that does not fit.
pub(super) fn stages(
    session: &Session,
    module: Op,
    (stages, words): (&Stages, &[String]),
    options: PipelineOptions,
    turn: &Turn<'_>,
) -> Result<()> {
    let executables = Program { op: module }.executables();
    let with_source: Vec<_> = executables.into_iter().filter(|e| !e.exports().is_empty()).collect();
    if with_source.is_empty() {
        idle(turn.caller.printer, "the stage");
        return Ok(());
    }
    let mut done = Vec::new();
    let mut idle: Option<Error> = None;
    let results = contained::run(session, &with_source, (stages, words), options, turn)?;
    for (&original, result) in with_source.iter().zip(results) {
        let result = result.and_then(|reply| {
            let changed = single_executable(session, Op::from(&reply), "the result")?;
            check_replacement(session, original, changed).map(|()| (changed, reply))
        });
        match result {
            Ok(changed) => done.push((original, changed)),
            // A pattern that matches nothing here may match in another executable.
            Err(e) if e.diagnostics.iter().all(|d| matches!(d.code, Some("idle-pipeline" | "no-match"))) => {
                idle.get_or_insert(e);
            }
            Err(e) => return Err(e.note(format!("while the stage ran on executable `@{}`", original.name()))),
        }
    }
    if let Some(error) = idle.filter(|_| done.is_empty()) {
        return Err(error.note("it runs on each executable as if that were the whole module"));
    }
    for (original, (changed, _)) in &done {
        replace(*original, *changed);
    }
    Ok(())
}

fn idle(printer: &Printer, what: &str) {
    printer.diagnostic(&Diagnostic::warning(format!("{what} did not run: the program has no executables")));
}
