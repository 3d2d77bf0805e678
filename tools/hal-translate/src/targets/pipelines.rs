//! The pipelines of a translation, default or replaced.
use super::{PIPELINES, of};
use crate::{code_target::CodePipeline, codegen::Options, target::Target};
use halyard_diag::{Error, Result};
use halyard_ir::Session;
use halyard_stages::{Pipeline, PipelineArgs, StageArgs};
use std::{collections::BTreeMap, sync::OnceLock};

/// The names of all pipelines from exports to code, for `--pipeline`.
pub fn pipeline_names() -> Vec<&'static str> {
    PIPELINES.iter().map(|pipeline| pipeline.name).collect()
}

/// The pipelines that lead from an export to code, read when a target takes them.
#[derive(Debug)]
pub struct Pipelines {
    read: BTreeMap<&'static str, OnceLock<Pipeline>>,
    stages: StageArgs,
    pipeline_choices: PipelineArgs,
    options: Options,
}

impl Pipelines {
    /// The one for a target. It has been read.
    pub(crate) fn of(&self, target: &Target) -> &Pipeline {
        self.cell(of(target).pipeline()).get().expect("what the targets take has been read")
    }

    fn cell(&self, name: &str) -> &OnceLock<Pipeline> {
        self.read.get(name).expect("targets take pipelines of the list")
    }

    /// Reads what targets take. Errors: what is wrong with a pipeline file in the place of a pipeline; an option that has nothing to
    /// act on there.
    pub(crate) fn read(&self, session: &Session, targets: &[Target]) -> Result<()> {
        targets.iter().try_for_each(|target| self.read_one(session, of(target).pipeline()))
    }

    fn read_one(&self, session: &Session, name: &str) -> Result<()> {
        let cell = self.cell(name);
        let has_fast_math = PIPELINES.iter().any(|pipeline| pipeline.name == name && pipeline.has_fast_math);
        if cell.get().is_some() {
            return Ok(());
        }
        let pipeline = Pipeline::parse(session, &self.stages, &self.pipeline_choices, name)?;
        let deaf = has_fast_math && self.options.fast_math && !pipeline.has_step("hal-fast-math");
        if let Some(given) = pipeline.replacement().filter(|_| deaf) {
            return Err(Error::usage("`--fast-math` has no effect with this pipeline")
                .note(format!("`{given}` has no step `hal-fast-math`, which applies it"))
                .hint("put `- pass: hal-fast-math` before arithmetic is lowered, or leave the flag out"));
        }
        let _ = cell.set(pipeline);
        Ok(())
    }
}

/// Reads the pipelines that targets take, and those that a pipeline file is given for; others when a variant with code turns up
/// that takes them. Errors: as there.
pub fn pipelines(
    session: &Session,
    stages: &StageArgs,
    pipeline_choices: &PipelineArgs,
    options: Options,
    targets: &[Target],
) -> Result<Pipelines> {
    let (stages, pipeline_choices) = (stages.clone(), pipeline_choices.clone());
    let read = PIPELINES.into_iter().map(|CodePipeline { name, .. }| (name, OnceLock::new())).collect();
    let pipelines = Pipelines { read, stages, pipeline_choices, options };
    pipelines.read(session, targets)?;
    for CodePipeline { name, .. } in PIPELINES.into_iter().filter(|p| pipelines.pipeline_choices.replaces(p.name)) {
        pipelines.read_one(session, name)?;
    }
    Ok(pipelines)
}
