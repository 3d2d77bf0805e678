//! Generates code with a command: it reads an executable and writes an object.
use crate::{
    Command, Hook, Kept, PreprocessArgs,
    calls::{Caller, NO_FLAG, is_unchanged, refuse},
    executables::request,
    objects::check_defines,
    turn::Turn,
};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_exec::Slots;
use halyard_ir::{Op, Session, form::Executable};
use halyard_objects::{FileFormat, inspect};
use std::{num::NonZeroUsize, path::Path, time::Duration};

/// A command that generates code, and how it is called.
#[derive(Debug)]
pub struct Generation<'a> {
    /// The command; if an empty reply is allowed, it leaves the executable to other code generators.
    pub command: &'a Command,
    /// The target's name in messages.
    pub target: &'a str,
    /// The architecture that the objects must have, as in triples.
    pub architecture: &'a str,
    /// The number of parallel calls: the value of `-j`.
    pub jobs: Option<NonZeroUsize>,
    /// The time limit of a call.
    pub timeout: Option<Duration>,
    /// The memory limit of a call, in bytes.
    pub memory: Option<u64>,
    /// The folder for the files of failed calls; `None` for a temporary folder.
    pub failures_to: Option<&'a Path>,
}

/// Calls the command for each executable of a module (a program, or an executable alone). The objects are in the order of
/// the executables; `None` where it left one to others. Errors: the first executable (in order) for which it fails, or
/// replies what is no object for the architecture with all exports; its files are kept.
pub fn generate(
    session: &Session,
    module: Op,
    executables: &[Executable],
    what: &Generation<'_>,
    printer: &Printer,
) -> Result<Vec<Option<Vec<u8>>>> {
    let slots = Slots::new(what.jobs);
    let caller =
        Caller { cache: None, printer, slots: &slots, timeout: what.timeout, memory: what.memory, output: NO_FLAG };
    let args = PreprocessArgs::default();
    let turn = Turn { caller, hook: Hook::Executable, folder: String::new(), args: &args, limits: [""; 2] };
    let count = executables.len();
    let requests: Vec<_> = executables
        .iter()
        .enumerate()
        .map(|(i, executable)| {
            let mut request = request(session, module, *executable, (i, count), what.command, &turn);
            request.env.retain(|(name, _)| !["HALYARD_TARGET", "HALYARD_HOOK"].contains(name));
            request.env.extend([("HALYARD_TARGET", what.target.to_owned()), ("HALYARD_HOOK", "target".to_owned())]);
            request.replies = Some("o");
            request
        })
        .collect();
    let kept = Kept::of_failures(what.failures_to)?;
    let replies = caller.call(what.command, &requests.iter().collect::<Vec<_>>(), &kept)?;
    let mut objects = Vec::new();
    for ((executable, request), finished) in executables.iter().zip(&requests).zip(&replies) {
        if is_unchanged(request, finished) && finished.stdout.is_empty() {
            objects.push(None);
        } else {
            check(*executable, &finished.stdout, what.architecture)
                .map_err(|e| refuse(e, what.command, request, finished, &kept))?;
            objects.push(Some(finished.stdout.clone()));
        }
        caller.show(what.command, request, finished);
    }
    Ok(objects)
}

fn check(executable: Executable, reply: &[u8], architecture: &str) -> Result<()> {
    let refused = |message: String| Error::input(message).code("bad-object");
    if FileFormat::of(reply) != FileFormat::Object {
        return Err(refused(format!("the reply is {}, not an object", FileFormat::describe(reply))).hint(
            "a code generator writes a relocatable ELF object, as `clang -c` does; `ld.lld -r` makes one of several",
        ));
    }
    let object = inspect(reply.to_vec(), "reply.o".into(), "the reply".into())?;
    if object.architecture != architecture {
        return Err(refused(format!("the reply is for `{}`, the target for `{architecture}`", object.architecture))
            .hint("`cpu` of the target in the plugin's manifest says what its objects run on"));
    }
    if let Some(relocation) = &object.absolute {
        return Err(refused(format!("the reply is not position-independent: it has the relocation {relocation}"))
            .hint("compile it with `-fPIC`"));
    }
    let parts = [object];
    executable.interface_exports().iter().try_for_each(|export| check_defines(&parts, &export.name()))
}
