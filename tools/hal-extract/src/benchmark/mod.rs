//! `--as=benchmark`: writes programs that run one executable as its program does.
//!
//! The program is linked and run once, with kernels generated from sources wherever there is one; `hal-run --record`
//! records the inputs and results of each distinct dispatch ([`record`]). A benchmark ([`build`]) is a separate
//! program with these inputs, the present executable, and the expected outputs.

mod build;
mod record;

use crate::{
    bodies::{has_source, with_objects},
    generated::generate,
    objects,
    request::{Extract, File, Generated, Inputs},
};
use build::About;
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_exec::Scratch;
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Phase, Program, Variant, file_name, write},
    names,
};
use record::Use;

/// The size of dynamic dimensions if none is given.
const DEFAULT_SIZE: u32 = 16;

/// The benchmarks of the executables, and remarks on those that did not run. Errors: the program cannot be linked or
/// run; none of the executables was used.
pub(crate) fn files(session: &Session, what: &Extract<'_>) -> Result<(Vec<File>, Vec<Diagnostic>)> {
    let mut remarks = Vec::new();
    let uses = uses(session, what, &mut remarks)?;
    let generated = if what.program.phase()? == Phase::Objects { generate(session, what)? } else { Vec::new() };
    let mut files = Vec::new();
    for &executable in what.executables {
        let name = executable.name();
        let own: Vec<&Use> = uses.iter().filter(|u| u.executable == name).collect();
        if own.is_empty() {
            let (why, hint) = unused(what);
            let remark = Diagnostic::warning(format!("there is no benchmark of `{name}`: {why}"));
            remarks.push(remark.hint(hint));
            continue;
        }
        let archive = file_name(&name, None, "benchmark.safetensors");
        // Objects that follow from the source are made again, for the machine that measures, and after edits of the source.
        let subject = Executable { op: executable.op.duplicate() };
        let by_hand = is_by_hand(what, executable, &generated)?;
        if !by_hand {
            with_objects(subject).into_iter().for_each(|v| v.op.erase());
        }
        let phase = if by_hand { what.program.phase()? } else { Phase::Executables };
        let circular = what.reference.is_none() && what.record.is_none() && !has_source(executable);
        if circular {
            let remark = Diagnostic::warning(format!(
                "`{name}` has no source: its benchmark expects the outputs of its own objects, right or wrong"
            ));
            remarks.push(remark.hint("`--reference=PROGRAM` names the program without them"));
        }
        let about = About { phase, circular, archive: &archive };
        let built = build::build(session, what.program, subject, &about, &own);
        subject.op.erase();
        let built = built?;
        files.push(File { name: file_name(&name, None, "benchmark.mlir"), bytes: built.text });
        files.extend(built.archive.map(|bytes| File { name: archive, bytes }));
    }
    if files.is_empty() && !what.executables.is_empty() {
        return Err(Error::input(match what.record {
            Some(_) => "the record has none of these executables",
            None => "the program used none of these executables on these inputs",
        })
        .hint(unused(what).1));
    }
    Ok((files, remarks))
}

/// Returns why a run may not use an executable, and a hint.
fn unused(what: &Extract<'_>) -> (&'static str, &'static str) {
    match what.record {
        Some(_) => {
            ("the record does not have it", "`hal-run --record` keeps the dispatches of the program that it runs")
        }
        None => (
            "the program did not use it on these inputs",
            "choose other inputs or functions with `--input` and `--function`",
        ),
    }
}

/// Whether an executable has hand-written objects, which do not follow from its source.
fn is_by_hand(what: &Extract<'_>, executable: Executable, generated: &[Generated]) -> Result<bool> {
    if what.program.phase()? != Phase::Objects {
        return Ok(true);
    }
    let own: Vec<&Generated> = generated.iter().filter(|g| g.executable == executable.name()).collect();
    for (i, variant) in with_objects(executable).into_iter().enumerate() {
        let object = objects::object(executable, variant, what.object_path)?;
        if own.get(i).is_none_or(|g| g.files.get("o") != object.as_ref()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns how the functions of the program use its executables: each distinct use once, in the order of execution.
fn uses(session: &Session, what: &Extract<'_>, remarks: &mut Vec<Diagnostic>) -> Result<Vec<Use>> {
    if let Some(given) = what.record {
        return record::read(&given.bytes).map_err(|e| Error { kind: ErrorKind::Input, ..e }.in_file(&given.name));
    }
    let (functions, inputs) = functions(what, remarks)?;
    let scratch = Scratch::new("extract")?;
    let linked = scratch.path().join("program.so");
    let program = match what.reference {
        Some(bytes) => {
            let module = session.parse(bytes, "reference")?;
            if let Some(program) = Program::view(Op::from(&module)) {
                take_weights_of_the_model(program)?;
            }
            write(Op::from(&module), true)
        }
        None => reference(what.program)?,
    };
    what.generator.link(&program, what.weights_path, what.object_path, &linked)?;
    let mut uses: Vec<Use> = Vec::new();
    for function in functions {
        let file = scratch.path().join("record.safetensors");
        what.generator.record(&linked, &function, &inputs, &file).map_err(|e| {
            if e.kind != ErrorKind::Tool || what.reference.is_some() {
                return e;
            }
            e.hint("if a hand-written kernel is the cause, name the program without it: `--reference=PROGRAM`")
        })?;
        let bytes = std::fs::read(&file).map_err(|e| Error::io("read", &file, &e))?;
        for new in record::read(&bytes)? {
            if !uses.iter().any(|old| old.is_like(&new)) {
                uses.push(new);
            }
        }
    }
    Ok(uses)
}

/// The program that says what is expected. Where an executable has a source, that counts, not the objects beside it. Errors: as
/// [`take_weights_of_the_model`].
fn reference(program: Program) -> Result<Vec<u8>> {
    let copy = Program { op: program.op.duplicate() };
    if program.phase()? == Phase::Objects && copy.executables().iter().all(|e| has_source(*e)) {
        for executable in copy.executables() {
            with_objects(executable).into_iter().for_each(|v| v.op.erase());
        }
        Program::stamp(copy.op, Phase::Executables);
    }
    let bytes = take_weights_of_the_model(copy).map(|()| write(copy.op, true));
    copy.op.erase();
    bytes
}

/// Has all kernels of a program take weights as the model has them, which is what is recorded. Errors: objects that take them
/// packed, without a source.
fn take_weights_of_the_model(program: Program) -> Result<()> {
    for executable in program.executables() {
        for export in executable.exports() {
            export.weights().into_iter().for_each(|i| export.set_weight(i, false));
        }
        let packed = |v: &Variant| v.exports().iter().any(|e| e.op.has_attr(names::PACKED));
        let packed: Vec<Variant> = executable.variants().into_iter().filter(packed).collect();
        if packed.is_empty() {
            continue;
        }
        if !has_source(executable) {
            let what = format!("the objects of `{}` take weights packed, and it has no source", executable.name());
            return Err(Error::input(what)
                .code("no-source")
                .note("a benchmark holds weights as the model has them")
                .hint("`--reference=PROGRAM` names the program with all sources"));
        }
        packed.into_iter().for_each(|v| v.op.erase());
        Program::stamp(program.op, Phase::Executables);
    }
    Ok(())
}

/// The functions to run, and what they run on.
fn functions(what: &Extract<'_>, remarks: &mut Vec<Diagnostic>) -> Result<(Vec<String>, Inputs)> {
    let mut run_on = what.inputs.clone();
    let public: Vec<_> = what.program.public_functions();
    let known: Vec<String> = public.iter().filter_map(|f| f.symbol()).collect();
    if let Some(unknown) = what.inputs.functions.iter().find(|f| !known.contains(f)) {
        let list: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
        return Err(Error::usage(format!("the program has no function `{unknown}`"))
            .note(format!("it has {}", list.join(", "))));
    }
    if known.is_empty() {
        return Err(Error::input("the program has no function to run")
            .code("unknown-function")
            .hint("a benchmark needs a host program that uses the executables"));
    }
    let chosen = if what.inputs.functions.is_empty() { known } else { what.inputs.functions.clone() };
    // Told before anything is compiled.
    for function in public.iter().filter(|f| f.symbol().is_some_and(|s| chosen.contains(&s))) {
        let inputs = function.attr("function_type").and_then(Attr::as_type).map(|t| t.inputs()).unwrap_or_default();
        let dynamic = inputs.iter().filter(|t| t.is_tensor() && !t.is_static()).count();
        if dynamic > 0 && run_on.tensors.is_empty() && run_on.size.is_none() {
            let name = function.symbol().unwrap_or_default();
            if what.lenient {
                run_on.size = Some(DEFAULT_SIZE);
                remarks.push(Diagnostic::warning(format!(
                    "`{name}` takes tensors of dynamic sizes; benchmarks measure it with {DEFAULT_SIZE} for each"
                )));
                continue;
            }
            return Err(Error::usage(format!(
                "`{name}` takes tensors of dynamic sizes, and no sizes to measure are given"
            ))
            .code("unknown-size")
            .hint("give real inputs with `--input=TENSOR`, or `--size=N` for all dynamic dimensions"));
        }
    }
    Ok((chosen, run_on))
}
