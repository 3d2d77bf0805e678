//! Preprocesses the whole module: the model as the user gave it, or the program before executables are formed.
use crate::{
    Command, Kept,
    calls::{is_unchanged, refuse},
    placed::placed,
    turn::Turn,
};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_ir::{
    Attr, Module, Op, PipelineOptions, Session,
    form::{Program, verify, write},
    is_bytecode, names,
};
use halyard_stages::Stages;

/// Calls a command with the module and takes its reply instead. Errors: the reply does not fit.
pub(super) fn command<'s>(
    session: &'s Session,
    module: Module<'s>,
    command: &Command,
    turn: &Turn<'_>,
) -> Result<Module<'s>> {
    let op = Op::from(&module);
    let name = Program { op }.name();
    let stdin = write(op, command.bytecode);
    let mut request = turn.request(
        op,
        format!("program `@{name}`"),
        turn.hook.name().to_owned(),
        Turn::suffix(command.bytecode),
        stdin,
    );
    request.env.extend([("HALYARD_INDEX", "0".to_owned()), ("HALYARD_COUNT", "1".to_owned())]);
    let kept = Kept::new(turn.args.keep_preprocess_files.as_deref(), &turn.folder)?;
    let requests = [request];
    let answers = turn.caller.answers(command, &requests, &kept)?;
    let (request, finished) = (&requests[0], &answers.all[0]);
    if is_unchanged(request, finished) {
        turn.caller.show(command, request, finished);
        answers.keep(turn.caller.printer);
        return Ok(module);
    }
    let read = |name: &str| {
        let reply = session.parse(&finished.stdout, name)?;
        check(session, Contract::of(op), Op::from(&reply)).map_err(|e| placed(e, name))?;
        Ok(reply)
    };
    let reply =
        read(&kept.reply(command, request)).or_else(|e| kept.stdout(request).map_or(Err(e), |file| read(&file)));
    let reply = reply.map_err(|e| refuse(e, command, request, finished, &kept))?;
    turn.caller.show(command, request, finished);
    answers.keep(turn.caller.printer);
    Ok(reply)
}

/// Calls a command with a model that MLIR cannot read, for `why`, and takes its reply. Errors: the command fails, or MLIR
/// cannot read its reply either.
pub(super) fn convert<'s>(
    session: &'s Session,
    (bytes, name): (&[u8], &str),
    command: &Command,
    turn: &Turn<'_>,
    why: &Error,
) -> Result<Module<'s>> {
    let nothing = session.empty_module();
    let suffix = Turn::suffix(is_bytecode(bytes));
    let file = turn.hook.name().to_owned();
    let mut request = turn.request(Op::from(&nothing), format!("model `{name}`"), file, suffix, bytes.to_vec());
    request.env.extend([("HALYARD_INDEX", "0".to_owned()), ("HALYARD_COUNT", "1".to_owned())]);
    let kept = Kept::new(turn.args.keep_preprocess_files.as_deref(), &turn.folder)?;
    let requests = [request];
    let explained = |e: Error| {
        let first = why.diagnostics.first().map_or("", |d| d.message.lines().next().unwrap_or_default());
        e.note(format!("it was given the model as it is, because MLIR cannot read it: {first}"))
    };
    let answers = turn.caller.answers(command, &requests, &kept).map_err(explained)?;
    let (request, finished) = (&requests[0], &answers.all[0]);
    let read = |name: &str| session.parse(&finished.stdout, name);
    let reply =
        read(&kept.reply(command, request)).or_else(|e| kept.stdout(request).map_or(Err(e), |file| read(&file)));
    let reply = reply.map_err(|e| explained(refuse(e, command, request, finished, &kept)))?;
    turn.caller.show(command, request, finished);
    answers.keep(turn.caller.printer);
    Ok(reply)
}

/// Runs stages on the module. Errors: what they say; a result that does not fit.
pub(super) fn stages(session: &Session, module: &Module<'_>, stages: &Stages, options: PipelineOptions) -> Result<()> {
    let op = Op::from(module);
    let contract = Contract::of(op);
    stages.run(session, op, options, &mut ())?;
    check(session, contract, op)
}

/// The parts of a program that a preprocessor must keep.
struct Contract {
    name: Option<String>,
    phase: Option<Attr>,
    /// The public functions by name, with their types.
    functions: Vec<(String, String)>,
}

impl Contract {
    fn of(module: Op) -> Self {
        Self {
            name: module.symbol(),
            phase: module.attr(names::PHASE),
            functions: functions(module).into_iter().map(|(n, t, _)| (n, t)).collect(),
        }
    }
}

/// Name, type and operation of each public function.
fn functions(module: Op) -> Vec<(String, String, Op)> {
    let public = Program { op: module }.public_functions();
    let ty = |f: &Op| f.attr("function_type").map_or_else(String::new, |t| t.to_string());
    public.into_iter().map(|f| (f.symbol().unwrap_or_default(), ty(&f), f)).collect()
}

fn check(session: &Session, contract: Contract, reply: Op) -> Result<()> {
    let mut found = Vec::new();
    let mut say = |at: Op, d: Diagnostic| {
        let d = d.code("interface-changed");
        found.push(d.at(session.span(at)));
    };
    let called = |name: &Option<String>| name.as_ref().map_or("no name".to_owned(), |n| format!("`@{n}`"));
    if reply.symbol() != contract.name {
        let message = format!(
            "the program had the name {}, and came back with {}",
            called(&contract.name),
            called(&reply.symbol())
        );
        say(reply, Diagnostic::error(message).hint("keep the name of the module"));
    }
    if reply.attr(names::PHASE) != contract.phase {
        let text = |a: Option<Attr>| a.map_or("none".to_owned(), |a| a.to_string());
        let message = format!(
            "the program came back in another phase: {} instead of {}",
            text(reply.attr(names::PHASE)),
            text(contract.phase)
        );
        say(
            reply,
            Diagnostic::error(message)
                .hint(format!("keep the attributes of the module, `{}` among them", names::PHASE)),
        );
    }
    let now = functions(reply);
    for (name, ty) in &contract.functions {
        match now.iter().find(|(n, ..)| n == name) {
            None => {
                let has: Vec<_> = now.iter().map(|(n, ..)| format!("`@{n}`")).collect();
                let has = if has.is_empty() { "none".to_owned() } else { has.join(", ") };
                say(reply, Diagnostic::error(format!("the program lost its function `@{name}`: it has {has}")));
            }
            Some((_, now, op)) if now != ty => {
                say(
                    *op,
                    Diagnostic::error(format!("function `@{name}` has another type than it had"))
                        .note(format!("before: `{ty}`"))
                        .note(format!("now:    `{now}`")),
                );
            }
            Some(_) => {}
        }
    }
    for (name, _, op) in now.iter().filter(|(n, ..)| contract.functions.iter().all(|(old, _)| old != n)) {
        say(
            *op,
            Diagnostic::error(format!("the program has a new public function `@{name}`")).hint("make it `private`"),
        );
    }
    if !found.is_empty() {
        return Err(Error { kind: ErrorKind::Input, diagnostics: found });
    }
    Program::view(reply).map_or(Ok(()), |program| verify(session, program))
}
