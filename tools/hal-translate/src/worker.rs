//! What translates jobs in a worker process.
use crate::{
    Translation,
    codegen::{self, Options},
    fault_injection,
    job::{Done, Job},
    llvm::{self, Backend, Code},
    target::Target,
    targets,
};
use halyard_diag::Result;
use halyard_ir::{Op, Session};
use halyard_stages::CompiledPipeline;
use std::cell::OnceCell;

/// What a worker process keeps between jobs.
pub(crate) struct Worker<'a> {
    pub(crate) session: &'a Session,
    backends: Vec<OnceCell<Backend<'a>>>,
    pub(crate) targets: &'a [Target],
    pub(crate) options: Options,
    translation: &'a Translation,
    /// For each target: its pipeline.
    pipelines: Vec<OnceCell<CompiledPipeline<'a>>>,
}

impl<'a> Worker<'a> {
    /// Sets up MLIR and LLVM, in a worker.
    pub(crate) fn new(session: &'a Session, targets: &'a [Target], translation: &'a Translation) -> Self {
        llvm::contain();
        session.load_dialects(codegen::DIALECTS);
        targets.iter().for_each(|target| session.load_dialects(targets::of(target).dialects()));
        let backends = targets.iter().map(|_| OnceCell::new()).collect();
        let pipelines = targets.iter().map(|_| OnceCell::new()).collect();
        Self { session, backends, targets, options: translation.options, translation, pipelines }
    }

    /// Translates the executables of a job, in order. Errors: what MLIR says of the pipeline; what goes wrong, with the name
    /// of the first executable and the target.
    pub(crate) fn run(&self, job: &Job, code: Code) -> Result<Vec<Done>> {
        fault_injection::maybe(&job.members[0].name);
        // What is wrong with a target is no matter of the executable.
        let target = targets::of(&self.targets[job.target]);
        let pipeline = self.pipeline(job.target)?;
        if target.llvm().is_some() {
            self.backend(job.target)?;
        }
        let done = target.translate(self, job, pipeline, code);
        done.map_err(|error| job.name_error(error, self.targets))
    }

    fn pipeline(&self, target: usize) -> Result<&CompiledPipeline<'a>> {
        let cell = &self.pipelines[target];
        if cell.get().is_none() {
            let _ = cell.set(self.translation.pipelines.of(&self.targets[target]).prepare(self.session)?);
        }
        Ok(cell.get().expect("it was made above"))
    }

    /// LLVM for a target that goes by way of it. Errors: LLVM has no code generator for it.
    pub(crate) fn backend(&self, target: usize) -> Result<&Backend<'a>> {
        let cell = &self.backends[target];
        if cell.get().is_none() {
            let llvm = targets::of(&self.targets[target]).llvm().expect("its code goes by way of LLVM");
            let _ = cell.set(Backend::new(llvm, self.options.opt_level)?);
        }
        Ok(cell.get().expect("it was made above"))
    }

    /// The exports of a job, in order.
    pub(crate) fn exports(&self, job: &Job) -> Vec<Op> {
        let wanted = &job.members[0].exports;
        let ops = job.op.body().map(|b| b.ops()).unwrap_or_default();
        ops.into_iter().filter(|op| op.symbol().is_some_and(|name| wanted.contains(&name))).collect()
    }
}
