//! `--as=benchmark`: programs that run one executable as the program runs it.
//!
//! The program is linked and run once, with a kernel made from the source wherever there is one; `hal-run --record` keeps
//! what each different dispatch read and wrote ([`record`]). A benchmark ([`build`]) is a program of its own with these
//! inputs, the executable as it is now, and what is expected of it.

mod build;
mod record;

use crate::extract::{Extract, File, has_source, with_objects};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_exec::Scratch;
use halyard_ir::{
    Attr, Session,
    form::{Phase, Program, file_name, write},
};
use record::Use;

/// What the program runs on.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Functions to run; all that are public if there are none.
    pub functions: Vec<String>,
    /// Tensors in the words of hal-run; the others are random.
    pub tensors: Vec<String>,
    /// The size of dynamic dimensions of the others.
    pub size: Option<u32>,
}

/// The benchmarks of the executables, and remarks on those that did not run. Errors: the program cannot be linked or
/// run; none of the executables was used.
pub(crate) fn files(session: &Session, what: &Extract<'_>) -> Result<(Vec<File>, Vec<Diagnostic>)> {
    let uses = uses(what)?;
    let (mut files, mut remarks) = (Vec::new(), Vec::new());
    for &executable in what.executables {
        let name = executable.name();
        let own: Vec<&Use> = uses.iter().filter(|u| u.executable == name).collect();
        if own.is_empty() {
            let remark = Diagnostic::warning(format!("there is no benchmark of `{name}`: the program did not use it on these inputs"));
            remarks.push(remark.hint("`--input` and `--function` say what the program runs on"));
            continue;
        }
        let archive = file_name(&name, None, "benchmark.safetensors");
        let built = build::build(session, what.program, executable, &own, &archive)?;
        files.push(File { name: file_name(&name, None, "benchmark.mlir"), bytes: built.text });
        files.extend(built.archive.map(|bytes| File { name: archive, bytes }));
    }
    if files.is_empty() && !what.executables.is_empty() {
        return Err(Error::input("the program used none of these executables on these inputs")
            .hint("`--input` and `--function` say what the program runs on"));
    }
    Ok((files, remarks))
}

/// How the functions of the program use its executables: each different use once, in the order in which they happen.
fn uses(what: &Extract<'_>) -> Result<Vec<Use>> {
    let functions = functions(what)?;
    let scratch = Scratch::new("extract")?;
    let linked = scratch.path().join("program.so");
    what.generator.link(&reference(what.program)?, what.weights_path, what.object_path, &linked)?;
    let mut uses: Vec<Use> = Vec::new();
    for function in functions {
        let file = scratch.path().join("record.safetensors");
        what.generator.record(&linked, &function, what.inputs, &file)?;
        let bytes = std::fs::read(&file).map_err(|e| Error::io("read", &file, &e))?;
        for new in record::read(&bytes)? {
            if !uses.iter().any(|old| old.is_like(&new)) {
                uses.push(new);
            }
        }
    }
    Ok(uses)
}

/// The program that says what is expected. Where an executable has a source, that counts, not the objects beside it.
fn reference(program: Program) -> Result<Vec<u8>> {
    let copy = Program { op: program.op.duplicate() };
    if program.phase()? == Phase::Objects && copy.executables().iter().all(|e| has_source(*e)) {
        for executable in copy.executables() {
            with_objects(executable).into_iter().for_each(|v| v.op.erase());
        }
        Program::stamp(copy.op, Phase::Executables);
    }
    let bytes = write(copy.op, true);
    copy.op.erase();
    Ok(bytes)
}

fn functions(what: &Extract<'_>) -> Result<Vec<String>> {
    let public: Vec<_> = what.program.public_functions();
    let known: Vec<String> = public.iter().filter_map(|f| f.symbol()).collect();
    if let Some(unknown) = what.inputs.functions.iter().find(|f| !known.contains(f)) {
        let list: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
        return Err(Error::usage(format!("the program has no function `{unknown}`")).note(format!("it has {}", list.join(", "))));
    }
    if known.is_empty() {
        return Err(Error::input("the program has no function to run").code("unknown-function").hint("a benchmark needs a host program that uses the executables"));
    }
    let chosen = if what.inputs.functions.is_empty() { known } else { what.inputs.functions.clone() };
    // Told before anything is compiled.
    for function in public.iter().filter(|f| f.symbol().is_some_and(|s| chosen.contains(&s))) {
        let inputs = function.attr("function_type").and_then(Attr::as_type).map(|t| t.inputs()).unwrap_or_default();
        let dynamic = inputs.iter().filter(|t| t.is_tensor() && !t.is_static()).count();
        if dynamic > 0 && what.inputs.tensors.is_empty() && what.inputs.size.is_none() {
            let name = function.symbol().unwrap_or_default();
            return Err(Error::usage(format!("`{name}` takes tensors of dynamic sizes, and nothing says which sizes to measure"))
                .code("unknown-size")
                .hint("give real inputs with `--input=TENSOR`, or `--size=N` for all dynamic dimensions"));
        }
    }
    Ok(chosen)
}
