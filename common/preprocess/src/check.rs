//! `--check-preprocessor`: tests a preprocessor against the protocol, on small built-in executables.
use crate::{
    Action, Caller, Command, Hook, Kept, PreprocessArgs,
    calls::{is_unchanged, output, refuse},
    executables::{accept, request},
    turn::Turn,
};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_exec::{Finished, Slots};
use halyard_ir::{
    Op, Session,
    form::{Executable, load_program, single_executable, write_standalone},
};
use halyard_stages::StageArgs;
use std::{fmt::Write, num::NonZeroUsize, time::Duration};

const PROGRAM: &str = include_str!("check.mlir");
/// The default time limit for a small executable.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a tool on all of them and prints a table of what passes. Errors: the action is no command; some checks fail.
pub fn check(
    session: &Session,
    text: &str,
    args: &PreprocessArgs,
    jobs: Option<NonZeroUsize>,
    printer: &Printer,
) -> Result<()> {
    let Action::Command(command) = Action::parse(session, &StageArgs::default(), Hook::Executable, text)? else {
        return Err(Error::usage(format!("`{text}` is a stage; `--check-preprocessor` checks commands")));
    };
    let slots = Slots::new(jobs);
    let (module, program) = load_program(session, PROGRAM.as_bytes(), "check.mlir")?;
    let caller = Caller {
        cache: None,
        printer,
        slots: &slots,
        timeout: args.preprocess_timeout.or(Some(PATIENCE)),
        memory: args.preprocess_memory,
        output: output(args),
    };
    let turn = Turn { caller, hook: Hook::Executable, folder: "check".into(), args, limits: [""; 2] };
    let mut table = Table::default();
    let executables = program.executables();
    let count = executables.len();
    let mut replies = None;
    let mut left = 0;
    for (i, executable) in executables.into_iter().enumerate() {
        let call = || one(session, Op::from(&module), executable, (i, count), &command, &turn);
        let result = call();
        left += result.as_ref().map_or(0, |(_, f)| f.ended + f.staying);
        if let (Ok((_, finished)), None) = (&result, &replies) {
            replies = Some((finished.stdout.clone(), call().map(|(_, f)| f.stdout).unwrap_or_default()));
        }
        table.row(&executable.name(), result.map(|(said, _)| said), printer);
    }
    if let Some((once, twice)) = replies {
        let same = if once == twice {
            Ok("the same reply twice")
        } else {
            Err(Error::tool("two calls with the same input have different replies"))
        };
        table.row("repeatable", same, printer);
    }
    let clean = match left {
        0 => Ok("no process left behind"),
        _ => Err(Error::tool("it left processes behind")),
    };
    table.row("clean", clean, printer);
    let (rows, failed) = (table.rows, table.failed);
    printer.stdout(&format!("{}{} of {rows} checks pass\n", table.text, rows - failed))?;
    if failed == 0 {
        Ok(())
    } else {
        Err(Error::input(format!("`{}` fails {failed} of {rows} checks", command.name())).code("protocol"))
    }
}

/// Describes the outcome for one executable.
fn one(
    session: &Session,
    module: Op,
    executable: Executable,
    place: (usize, usize),
    command: &Command,
    turn: &Turn<'_>,
) -> Result<(&'static str, Finished)> {
    let requests = [request(session, module, executable, place, command, turn)];
    let kept = Kept::new(turn.args.keep_preprocess_files.as_deref(), &turn.folder)?;
    let finished = turn
        .caller
        .call(command, &[&requests[0]], &kept)?
        .pop()
        .ok_or_else(|| Error::tool("the call was called off"))?;
    if finished.left_behind {
        return Err(Error::tool("it left processes behind that hold its output open"));
    }
    if is_unchanged(&requests[0], &finished) {
        return Ok((if finished.stdout.is_empty() { "unchanged, by an empty reply" } else { "unchanged" }, finished));
    }
    let reply = accept(session, executable, command, &requests[0], &finished, &kept);
    let reply = reply.map_err(|e| refuse(e, command, &requests[0], &finished, &kept))?;
    let same = write_standalone(single_executable(session, Op::from(&reply), "the reply")?, false)
        == write_standalone(executable, false);
    Ok((if same { "unchanged" } else { "changed" }, finished))
}

#[derive(Default)]
struct Table {
    text: String,
    rows: usize,
    failed: usize,
}

impl Table {
    fn row(&mut self, name: &str, result: Result<&'static str>, printer: &Printer) {
        self.rows += 1;
        let _ = match &result {
            Ok(said) => writeln!(self.text, "  {name:<12}  ok      {said}"),
            Err(e) => {
                self.failed += 1;
                let first = e.diagnostics.first().map_or("", |d| d.message.lines().next().unwrap_or_default());
                writeln!(self.text, "  {name:<12}  FAILED  {first}")
            }
        };
        if let Err(e) = result {
            printer.error(&e);
        }
    }
}
