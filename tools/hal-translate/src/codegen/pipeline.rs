//! The pipelines of translation, as they are asked for.
use super::Options;
use crate::target::Target;
use halyard_diag::{Error, Result};
use halyard_ir::Session;
use halyard_stages::{BundleArgs, Pipeline, StageArgs};

/// The pipelines that lead from an export to code.
#[derive(Debug)]
pub struct Pipelines {
    cpu: Pipeline,
    vulkan: Pipeline,
}

impl Pipelines {
    /// The one for a target: `cpu` leads to the LLVM dialect, from which there are ways to CPUs and to CUDA.
    pub(crate) fn of(&self, target: &Target) -> &Pipeline {
        match target {
            Target::Cpu(_) | Target::Cuda(_) => &self.cpu,
            Target::Vulkan(_) => &self.vulkan,
        }
    }
}

/// Reads the pipelines. Errors: what is wrong with a bundle in the place of one; an option that has nothing to act on there.
pub fn pipelines(
    session: &Session,
    stages: &StageArgs,
    bundles: &BundleArgs,
    options: Options,
) -> Result<Pipelines> {
    let cpu = Pipeline::parse(session, stages, bundles, "cpu")?;
    if let Some(given) = cpu.given().filter(|_| options.fast_math && !cpu.has_step("hal-fast-math")) {
        return Err(Error::usage("`--fast-math` has no effect with this pipeline")
            .note(format!("`{given}` has no step `hal-fast-math`, which applies it"))
            .hint("put `- pass: hal-fast-math` before arithmetic is lowered, or leave the flag out"));
    }
    Ok(Pipelines { cpu, vulkan: Pipeline::parse(session, stages, bundles, "vulkan")? })
}
