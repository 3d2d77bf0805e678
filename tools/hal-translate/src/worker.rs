//! Translates jobs in a worker process.
use crate::{
    Translation,
    code_target::Task,
    codegen::{self, Options},
    debug_info::DebugInfo,
    fault_injection,
    job::{Done, Job},
    llvm::{self, Backend, Code},
    target::Target,
    targets,
};
use halyard_diag::Result;
use halyard_ir::Session;
use halyard_stages::CompiledPipeline;
use std::cell::OnceCell;

/// Data that a worker process keeps between jobs.
pub(crate) struct Worker<'a> {
    session: &'a Session,
    backends: Vec<OnceCell<Backend<'a>>>,
    targets: &'a [Target],
    options: Options,
    translation: &'a Translation,
    /// The pipeline of each target.
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
        // An error in a target is not an error in the executable.
        let target = targets::of(&self.targets[job.target]);
        let pipeline = self.pipeline(job.target, code)?;
        let backend = target.llvm().is_some().then(|| self.backend(job.target)).transpose()?;
        let (session, options) = (self.session, self.options);
        let debug = self.translation.debug.as_ref();
        let place = |debug: &DebugInfo| debug.placed(session, job).map(|op| Job { op, text: None, ..job.clone() });
        let placed = debug.map(place).transpose()?;
        let task = Task {
            session,
            job: placed.as_ref().unwrap_or(job),
            target: &self.targets[job.target],
            options,
            debug,
            pipeline,
            backend,
            code,
        };
        let done = target.translate(&task);
        placed.iter().for_each(|job| job.op.erase());
        done.map_err(|error| job.name_error(error, self.targets))
    }

    /// All jobs of a worker have the same kind of code.
    fn pipeline(&self, target: usize, code: Code) -> Result<&CompiledPipeline<'a>> {
        let cell = &self.pipelines[target];
        if cell.get().is_none() {
            let pipeline = self.translation.pipelines.of(&self.targets[target]);
            let _ = cell.set(match code {
                Code::Stages => pipeline.prepare_watched(self.session)?,
                _ => pipeline.prepare(self.session)?,
            });
        }
        Ok(cell.get().expect("it was made above"))
    }

    /// Returns LLVM for a target that uses it. Fails if LLVM has no code generator for it.
    fn backend(&self, target: usize) -> Result<&Backend<'a>> {
        let cell = &self.backends[target];
        if cell.get().is_none() {
            let llvm = targets::of(&self.targets[target]).llvm().expect("its code goes by way of LLVM");
            let _ = cell.set(Backend::new(llvm, self.options.opt_level)?);
        }
        Ok(cell.get().expect("it was made above"))
    }
}
