//! Translates executables for Vulkan to SPIR-V, as a binary or as text.
use super::{assemble::assemble, route::lower_export};
use crate::{
    code_target::{CodePipeline, CodeTarget, DeviceFormat, RenameExports, Task},
    job::{Done, sent},
    llvm::Code,
    options::Options,
    targets::translate::{Assembled, STAGES, names, timed, translate},
};
use halyard_diag::{Error, Result};
use halyard_kernel::MachineModel;
use halyard_objects::SpirvModule;
use halyard_stages::Step;
use halyard_targets::VulkanTarget;

/// The pipeline to a `spirv.module`. Its steps read `--fast-math` themselves.
pub(in crate::targets) const PIPELINE: CodePipeline = CodePipeline { name: "vulkan", has_fast_math: false };

/// The kinds of `--emit` for such devices alone.
pub(in crate::targets) const FORMATS: [DeviceFormat; 2] = [
    DeviceFormat {
        name: "spirv",
        help: "One executable as SPIR-V, for a target `vulkan`",
        device: "vulkan",
        code: Code::Obj,
        is_binary: true,
        is_assembled: false,
    },
    DeviceFormat {
        name: "spvasm",
        help: "One executable as disassembled SPIR-V, for a target `vulkan`",
        device: "vulkan",
        code: Code::Asm,
        is_binary: false,
        is_assembled: false,
    },
];

impl CodeTarget for VulkanTarget {
    fn pipeline(&self) -> &'static str {
        PIPELINE.name
    }

    fn dialects(&self) -> &'static [&'static str] {
        &["gpu", "spirv"]
    }

    fn machine_model(&self, _step: &Step, _options: Options) -> MachineModel {
        MachineModel::vulkan()
    }

    fn suffix(&self, code: Code) -> Option<&'static str> {
        match code {
            Code::Stages => Some(STAGES),
            Code::Raw | Code::Llvm => None,
            Code::Asm => Some("spvasm"),
            Code::Obj => Some("spv"),
        }
    }

    fn object_kind(&self) -> &'static str {
        "spirv"
    }

    fn rename(&self) -> Option<RenameExports> {
        Some(|object, names, _| {
            let mut module = halyard_objects::inspect_spirv(object, "the object")?;
            module.rename_entries(names);
            Ok(module.bytes())
        })
    }

    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>> {
        let (session, job) = (task.session, task.job);
        let lower = |export| lower_export(task, export, self);
        translate(task, lower, |exports, times| {
            let (shader, time) = timed(|| assemble(session, exports, &job.members[0].exports, self))?;
            times.codegen = time;
            let codes = names(job).map(|names| {
                let (bytes, time) = timed(|| {
                    let mut module = shader.module.clone();
                    module.rename_entries(&names);
                    write(module, task.code)
                })?;
                Ok((bytes, Vec::new(), time))
            });
            Ok(Assembled {
                codes: codes.collect::<Result<_>>()?,
                format: "spirv",
                launches: sent(&shader.launches),
                features: shader.features.clone(),
            })
        })
    }
}

fn write(module: SpirvModule, code: Code) -> Result<Vec<u8>> {
    match code {
        Code::Obj => Ok(module.bytes()),
        Code::Asm => Ok(module.disassemble().into_bytes()),
        Code::Stages | Code::Raw | Code::Llvm => Err(Error::usage("there is no LLVM IR of code for Vulkan")),
    }
}
