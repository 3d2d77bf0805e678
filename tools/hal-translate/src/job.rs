//! One executable for one target: bytes in, bytes out, so that it can run on any thread.
use crate::{
    codegen::{self, Options},
    llvm::{self, Backend, Code, Shape},
    target::CpuTarget,
};
use halyard_diag::{Diagnostic, Error, Result, Severity, Source};
use halyard_ir::{Block, Op, Session, form};
use inkwell::context::Context;
use std::{sync::Arc, time::Duration};

/// What to do.
#[derive(Debug)]
pub(crate) struct Job {
    /// The name of the executable.
    pub name: String,
    /// The executable, a module, as bytecode.
    pub bytes: Vec<u8>,
    /// The symbols of its exports, in order.
    pub exports: Vec<String>,
    /// What for: an index into the targets.
    pub target: usize,
}

/// What came out.
#[derive(Debug)]
pub(crate) struct Done {
    /// The object, or text.
    pub code: Vec<u8>,
    /// A module of the functions `@EXPORT_workgroups`, in the order of the exports, as bytecode.
    pub workgroups: Vec<u8>,
    /// For each export: its name and the way that it took.
    pub explanations: Vec<(String, String)>,
    /// The symbols that the object needs from elsewhere; empty for text.
    pub needs: Vec<String>,
    /// Time spent.
    pub times: Times,
}

/// Where the time went.
#[derive(Debug, Default, Clone, Copy)]
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

/// What a thread keeps between jobs.
pub(crate) struct Worker<'a> {
    session: Session,
    backends: Vec<Backend>,
    targets: &'a [CpuTarget],
    sources: &'a [Arc<Source>],
    options: Options,
}

impl<'a> Worker<'a> {
    /// Sets up MLIR and LLVM for the targets. `sources` are the texts that places in the executables refer to.
    pub(crate) fn new(targets: &'a [CpuTarget], sources: &'a [Arc<Source>], options: Options) -> Result<Self> {
        let backends = targets.iter().map(|t| Backend::new(t, options.opt_level)).collect::<Result<_>>()?;
        let session = Session::new();
        session.load_dialects(codegen::DIALECTS);
        Ok(Self { session, backends, targets, sources, options })
    }

    /// Translates one executable. Errors name it and the target.
    pub(crate) fn run(&self, job: &Job, code: Code) -> Result<Done> {
        self.session.adopt_sources(self.sources);
        self.translate(job, code).map_err(|error| self.name(job, error))
    }

    fn translate(&self, job: &Job, code: Code) -> Result<Done> {
        let session = &self.session;
        let (target, backend) = (&self.targets[job.target], &self.backends[job.target]);
        let parsed = session.parse(&job.bytes, &job.name)?;
        let executable = Op::from(&parsed);
        let counts = session.empty_module();
        let counts_body: Block = Op::from(&counts).body().expect("a module has a body");
        let mut times = Times::default();
        let mut explanations = Vec::new();
        let mut modules = Vec::new();
        let mut shape = Shape::Vectors;
        let mut narrow = false;
        for export in executable.body().map(|b| b.ops()).unwrap_or_default() {
            let Some(name) = export.symbol().filter(|name| job.exports.contains(name)) else { continue };
            let lowered = codegen::lower_export(session, executable, export, target, self.options)?;
            counts_body.append(lowered.workgroups);
            times.generate += lowered.generate;
            times.lower += lowered.lower;
            narrow |= lowered.narrow;
            if lowered.shape == Shape::Loops {
                shape = Shape::Loops;
            }
            explanations.push((name, lowered.explanation));
            modules.push(lowered.module);
        }
        codegen::normalize_counts(session, &counts)?;
        let context = Context::create();
        let start = std::time::Instant::now();
        let ops: Vec<Op> = modules.iter().map(Op::from).collect();
        let module = backend.translate(session, &context, &ops, &job.exports)?;
        times.lower += start.elapsed();
        let emitted = backend.emit(&context, &module, shape, code, narrow)?;
        times.optimize = emitted.optimize;
        times.codegen = emitted.codegen;
        let mut needs = Vec::new();
        if code == Code::Obj {
            let defined = llvm::defined(&emitted.bytes)?;
            if let Some(missing) = job.exports.iter().find(|e| !defined.contains(e)) {
                return Err(Error::input(format!("the object lacks the symbol of export `@{missing}`")));
            }
            needs = llvm::undefined(&emitted.bytes)?;
        }
        Ok(Done { code: emitted.bytes, workgroups: form::write(Op::from(&counts), true), explanations, needs, times })
    }

    /// Says which executable an error is about: in the message, so that it stands in every message format.
    fn name(&self, job: &Job, mut error: Error) -> Error {
        let place = format!("executable `@{}` for `cpu:{}`", job.name, self.targets[job.target].chip);
        match error.diagnostics.iter_mut().find(|d| d.severity == Severity::Error) {
            Some(first) => first.message = format!("{place}: {}", first.message),
            None => error.diagnostics.push(Diagnostic::error(place)),
        }
        error
    }
}

/// Copies the functions of a module of workgroup counts into another session, in no block.
pub(crate) fn read_workgroups(session: &Session, done: &Done) -> Result<Vec<Op>> {
    let module = session.parse(&done.workgroups, "workgroups")?;
    let ops = Op::from(&module).body().map(|b| b.ops()).unwrap_or_default();
    Ok(ops.into_iter().map(Op::duplicate).collect())
}
