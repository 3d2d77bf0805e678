//! Jobs that go by way of LLVM: for CPUs, and for CUDA.
use crate::{
    clock::Clock,
    codegen, fault_injection,
    job::{Done, Job, Member, Times},
    llvm::{self, Backend, Code, Shape},
    target::Target,
    worker::Worker,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Block, Op, form};
use halyard_stages::CompiledPipeline;
use inkwell::context::Context;

impl Worker<'_> {
    /// Translates the executables of a job to LLVM IR, assembly or an object.
    pub(crate) fn native(
        &self,
        job: &Job,
        backend: &Backend,
        pipeline: &CompiledPipeline<'_>,
        code: Code,
    ) -> Result<Vec<Done>> {
        let session = self.session;
        let target = &self.targets[job.target];
        let chip = match target {
            Target::Cuda(cuda) => Some(cuda.chip),
            _ => None,
        };
        let first = &job.members[0];
        let executable = job.op;
        let counts = session.empty_module();
        let counts_body: Block = Op::from(&counts).body().expect("a module has a body");
        let mut times = Times::default();
        let mut explanations = Vec::new();
        let mut schedules = Vec::new();
        let mut launches = Vec::new();
        let mut modules = Vec::new();
        let mut shape = Shape::Vectors;
        let mut narrow = false;
        for export in self.exports(job) {
            let lowered = codegen::lower_export(session, executable, export, target, self.options, pipeline)?;
            counts_body.append(lowered.workgroups);
            times.generate += lowered.generate;
            times.lower += lowered.lower;
            narrow |= lowered.narrow;
            schedules.push(lowered.schedule);
            let mut explanation = lowered.explanation;
            if let Target::Cuda(_) = target {
                let launch = codegen::finish_cuda(&lowered.module, &export.symbol().unwrap_or_default())?;
                launches.push((launch.block.map(|n| n as u32), launch.shared_memory));
                if launch.fallback {
                    explanation += "; blocks of one thread";
                }
            }
            if lowered.shape == Shape::Loops {
                shape = Shape::Loops;
            }
            explanations.push(explanation);
            fault_injection::miscompile(&first.name, Op::from(&lowered.module));
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
        let object = if code == Code::Obj && chip.is_none() { Some(backend.emit(&module, &[], code)?) } else { None };
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
                let needs = if object.is_some() { check_symbols(member, &code_bytes)? } else { Vec::new() };
                let mut times = std::mem::take(&mut times);
                times.codegen += start.elapsed();
                Ok(Done {
                    member: member.clone(),
                    code: code_bytes,
                    format: if chip.is_some() { "ptx" } else { "elf" }.into(),
                    launches: launches.clone(),
                    features: chip.iter().map(|chip| (*chip).to_owned()).collect(),
                    workgroups: workgroups.clone(),
                    explanations: explanations.clone(),
                    schedules: schedules.clone(),
                    needs,
                    times,
                })
            })
            .collect()
    }
}

/// Checks that an object defines the exports; gives what it needs from elsewhere.
fn check_symbols(member: &Member, object: &[u8]) -> Result<Vec<String>> {
    let defined = llvm::defined(object)?;
    match member.exports.iter().find(|e| !defined.contains(e)) {
        Some(missing) => Err(Error::input(format!("the object lacks the symbol of export `@{missing}`"))),
        None => llvm::undefined(object),
    }
}
