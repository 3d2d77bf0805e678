//! One executable (or several alike) for one target.
use crate::{
    clock::Clock,
    Translation,
    codegen::{self, Options},
    llvm::{self, Backend, Code, Shape},
    sabotage,
    target::{CpuTarget, Target},
};
use halyard_diag::{Diagnostic, Error, Result, Severity};
use halyard_ir::{Attr, Block, Op, Session, form};
use halyard_stages::Prepared;
use inkwell::context::Context;
use serde::{Deserialize, Serialize};
use std::{
    cell::OnceCell,
    time::Duration,
};

/// What to do: executables that are the same but for names, translated once.
#[derive(Debug)]
pub(crate) struct Job {
    /// Their names; at least one.
    pub members: Vec<Member>,
    /// The first one: the module that holds its exports. It is left as it is.
    pub op: Op,
    /// What for: an index into the targets.
    pub target: usize,
}

impl Job {
    /// What messages call it.
    pub(crate) fn place(&self, targets: &[Target]) -> String {
        let Member { name, variant, .. } = &self.members[0];
        match variant {
            Some(variant) => format!("variant `@{name}::@{variant}`"),
            None => format!("executable `@{name}` for `{}`", targets[self.target].short()),
        }
    }

    /// Says which executable an error is about: in the message, so that it stands in every message format.
    pub(crate) fn name_error(&self, mut error: Error, targets: &[Target]) -> Error {
        let place = self.place(targets);
        match error.diagnostics.iter_mut().find(|d| d.severity == Severity::Error) {
            Some(first) => first.message = format!("{place}: {}", first.message),
            None => error.diagnostics.push(Diagnostic::error(place)),
        }
        error
    }
}

/// The names of an executable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    /// The executable.
    pub name: String,
    /// The variant that came with this code; `None` for the source of the executable.
    pub variant: Option<String>,
    /// Its exports, in order.
    pub exports: Vec<String>,
}

/// What came out for one executable.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Which one.
    pub member: Member,
    /// The object, or text.
    pub code: Vec<u8>,
    /// A module of the functions that count workgroups, in the order of the exports, as bytecode.
    pub workgroups: Vec<u8>,
    /// For each export: the way that it took.
    pub explanations: Vec<String>,
    /// The symbols that the object needs from elsewhere; empty for text.
    pub needs: Vec<String>,
    /// Time spent; for all but the first of a job, on its own code alone.
    pub times: Times,
}

/// Where the time of a worker went, as far as it computed.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Times {
    /// From tensors to loops or vectors.
    pub generate: Duration,
    /// From there through the LLVM dialect to LLVM IR.
    pub lower: Duration,
    /// In LLVM's passes.
    pub optimize: Duration,
    /// In LLVM's code generator.
    pub codegen: Duration,
}

impl Times {
    /// The sum.
    pub(crate) fn total(&self) -> Duration {
        self.generate + self.lower + self.optimize + self.codegen
    }
}

/// What a worker process keeps between jobs.
pub(crate) struct Worker<'a> {
    session: &'a Session,
    backends: Vec<OnceCell<Backend>>,
    targets: &'a [Target],
    options: Options,
    pipeline: Prepared<'a>,
}

impl<'a> Worker<'a> {
    /// Sets up MLIR and LLVM, in a worker. Errors: what MLIR says of the pipeline.
    pub(crate) fn new(session: &'a Session, targets: &'a [Target], translation: &'a Translation) -> Result<Self> {
        llvm::contain();
        session.load_dialects(codegen::DIALECTS);
        let backends = targets.iter().map(|_| OnceCell::new()).collect();
        let pipeline = translation.pipeline.prepare(session)?;
        Ok(Self { session, backends, targets, options: translation.options, pipeline })
    }

    /// Translates the executables of a job, in order. Errors name the first one and the target.
    pub(crate) fn run(&self, job: &Job, code: Code) -> Result<Vec<Done>> {
        sabotage::maybe(&job.members[0].name);
        // What is wrong with a target is no matter of the executable.
        let cpu = match &self.targets[job.target] {
            Target::Cpu(cpu) => cpu,
            gpu => return Err(job.name_error(no_code_for(gpu), self.targets)),
        };
        let backend = self.backend(job.target, cpu)?;
        self.translate(job, cpu, backend, code).map_err(|error| job.name_error(error, self.targets))
    }

    fn backend(&self, target: usize, cpu: &CpuTarget) -> Result<&Backend> {
        let cell = &self.backends[target];
        if cell.get().is_none() {
            let made = Backend::new(cpu, self.options.opt_level)?;
            let _ = cell.set(made);
        }
        Ok(cell.get().expect("it was made above"))
    }

    fn translate(&self, job: &Job, target: &CpuTarget, backend: &Backend, code: Code) -> Result<Vec<Done>> {
        let session = self.session;
        let first = &job.members[0];
        let executable = job.op;
        let counts = session.empty_module();
        let counts_body: Block = Op::from(&counts).body().expect("a module has a body");
        let mut times = Times::default();
        let mut explanations = Vec::new();
        let mut modules = Vec::new();
        let mut shape = Shape::Vectors;
        let mut narrow = false;
        for export in executable.body().map(|b| b.ops()).unwrap_or_default() {
            if !export.symbol().is_some_and(|name| first.exports.contains(&name)) {
                continue;
            }
            let lowered = codegen::lower_export(session, executable, export, target, self.options, &self.pipeline)?;
            counts_body.append(lowered.workgroups);
            times.generate += lowered.generate;
            times.lower += lowered.lower;
            narrow |= lowered.narrow;
            if lowered.shape == Shape::Loops {
                shape = Shape::Loops;
            }
            explanations.push(lowered.explanation);
            modules.push(lowered.module);
        }
        codegen::normalize_counts(session, &counts)?;
        let workgroups = form::write(Op::from(&counts), true);
        let context = Context::create();
        let start = Clock::start();
        let ops: Vec<Op> = modules.iter().map(Op::from).collect();
        let module = backend.translate(session, &context, &ops, &first.exports)?;
        times.lower += start.elapsed();
        let start = Clock::start();
        if code != Code::Raw {
            backend.optimize(&context, &module, shape, narrow)?;
        }
        times.optimize = start.elapsed();
        let start = Clock::start();
        // Machine code is generated once; texts are written with the names of each.
        let object = if code == Code::Obj { Some(backend.emit(&module, &[], code)?) } else { None };
        times.codegen = start.elapsed();
        job.members
            .iter()
            .map(|member| {
                let start = Clock::start();
                let names: Vec<_> = first.exports.iter().cloned().zip(member.exports.iter().cloned()).collect();
                let code_bytes = match &object {
                    Some(object) => llvm::rename(object, &names)?,
                    None => backend.emit(&module, &names, code)?,
                };
                let needs = if code == Code::Obj { check_symbols(member, &code_bytes)? } else { Vec::new() };
                let mut times = std::mem::take(&mut times);
                times.codegen += start.elapsed();
                Ok(Done {
                    member: member.clone(),
                    code: code_bytes,
                    workgroups: workgroups.clone(),
                    explanations: explanations.clone(),
                    needs,
                    times,
                })
            })
            .collect()
    }
}

/// What is said for a kind of device that code is not generated for yet.
fn no_code_for(target: &Target) -> Error {
    Error::input(format!("no code can be generated for `{target}` yet"))
        .code("no-code")
        .hint("give objects for it: `hal-substitute`, or a declaration with `hal.objects`")
}

/// Checks that an object defines the exports; gives what it needs from elsewhere.
fn check_symbols(member: &Member, object: &[u8]) -> Result<Vec<String>> {
    let defined = llvm::defined(object)?;
    match member.exports.iter().find(|e| !defined.contains(e)) {
        Some(missing) => Err(Error::input(format!("the object lacks the symbol of export `@{missing}`"))),
        None => llvm::undefined(object),
    }
}

/// Copies the functions that count workgroups into another session, in no block, named after the exports.
pub(crate) fn read_workgroups(session: &Session, done: &Done) -> Result<Vec<Op>> {
    let module = session.parse(&done.workgroups, "workgroups")?;
    let ops = Op::from(&module).body().map(|b| b.ops()).unwrap_or_default();
    let named = ops.into_iter().zip(&done.member.exports).map(|(op, export)| {
        let copy = op.duplicate();
        copy.set_attr("sym_name", Attr::string(session.raw(), &codegen::workgroups_name(export)));
        copy
    });
    Ok(named.collect())
}
