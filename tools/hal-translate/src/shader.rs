//! Jobs for Vulkan: to SPIR-V.
use crate::{
    clock::Clock,
    codegen,
    job::{Done, Job, Times, sent},
    llvm::Code,
    target::VulkanTarget,
    vulkan,
    worker::Worker,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Block, Op, form};
use halyard_objects::SpirvModule;
use halyard_stages::CompiledPipeline;

impl Worker<'_> {
    /// Translates the executables of a job to SPIR-V, as a binary or as text.
    pub(crate) fn shader(
        &self,
        job: &Job,
        target: &VulkanTarget,
        pipeline: &CompiledPipeline<'_>,
        code: Code,
    ) -> Result<Vec<Done>> {
        let session = self.session;
        let first = &job.members[0];
        let counts = session.empty_module();
        let counts_body: Block = Op::from(&counts).body().expect("a module has a body");
        let mut times = Times::default();
        let mut explanations = Vec::new();
        let mut schedules = Vec::new();
        let mut exports = Vec::new();
        for export in self.exports(job) {
            let lowered = vulkan::lower_export(session, job.op, export, target, self.options, pipeline)?;
            counts_body.append(lowered.workgroups);
            times.generate += lowered.generate;
            times.lower += lowered.lower;
            explanations.push(lowered.explanation.clone());
            schedules.push(lowered.schedule.clone());
            exports.push(lowered);
        }
        codegen::normalize_counts(session, &counts)?;
        let workgroups = form::write(Op::from(&counts), true);
        let start = Clock::start();
        let shader = vulkan::assemble(session, &exports, &first.exports, target)?;
        times.codegen = start.elapsed();
        let write = |module: SpirvModule| match code {
            Code::Obj => Ok(module.bytes()),
            Code::Asm => Ok(module.disassemble().into_bytes()),
            Code::Raw | Code::Llvm => Err(Error::usage("there is no LLVM IR of code for Vulkan")),
        };
        job.members
            .iter()
            .map(|member| {
                let start = Clock::start();
                let names: Vec<_> = first.exports.iter().cloned().zip(member.exports.iter().cloned()).collect();
                let mut module = shader.module.clone();
                module.rename_entries(&names);
                let code = write(module)?;
                let mut times = std::mem::take(&mut times);
                times.codegen += start.elapsed();
                Ok(Done {
                    member: member.clone(),
                    code,
                    format: "spirv".into(),
                    launches: sent(&shader.launches),
                    features: shader.features.clone(),
                    workgroups: workgroups.clone(),
                    explanations: explanations.clone(),
                    schedules: schedules.clone(),
                    needs: Vec::new(),
                    times,
                })
            })
            .collect()
    }
}
