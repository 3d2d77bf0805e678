//! The default pipelines of import, and the pipelines that replace them.
use halyard_diag::{Error, Result};
use halyard_ir::Session;
use halyard_stages::{Pipeline, PipelineArgs, StageArgs};

/// The pipelines of an import.
#[derive(Debug)]
pub struct ImportPipelines {
    /// From MLIR to functions on tensors: the default pipeline, also used for modules that preprocessors changed.
    pub(crate) import: Pipeline,
    /// The pipeline that replaces it for the model.
    given: Option<Pipeline>,
    /// From functions on tensors to the point where executables are formed.
    pub(crate) dispatch: Pipeline,
}

impl ImportPipelines {
    /// The names of the pipelines.
    pub const NAMES: [&str; 2] = ["import", "dispatch"];

    /// Reads them. Errors: what is wrong with a pipeline file.
    pub fn parse(session: &Session, args: &StageArgs, pipeline_choices: &PipelineArgs) -> Result<Self> {
        let parse = |pipeline_choices, name| Pipeline::parse(session, args, pipeline_choices, name);
        let given = pipeline_choices.replaces("import").then(|| parse(pipeline_choices, "import")).transpose()?;
        Ok(Self {
            import: parse(&PipelineArgs::default(), "import")?,
            given,
            dispatch: parse(pipeline_choices, "dispatch")?,
        })
    }

    /// Whether none is replaced.
    pub(crate) fn are_built_in(&self) -> bool {
        self.given.is_none() && self.dispatch.replacement().is_none()
    }

    /// The pipeline for a model in MLIR; what is a `program` already has been through it. Errors: one that is given and would
    /// never run.
    pub(crate) fn for_model(&self, program: bool) -> Result<&Pipeline> {
        match &self.given {
            Some(_) if program => Err(idle("the input is a program already")),
            Some(given) => Ok(given),
            None => Ok(&self.import),
        }
    }

    /// Fails for a pipeline that is given for models in MLIR.
    pub(crate) fn check_other(&self) -> Result<()> {
        self.given.as_ref().map_or(Ok(()), |_| Err(idle("the input is ONNX, which comes in as functions on tensors")))
    }
}

fn idle(why: &str) -> Error {
    Error::usage("`--pipeline=import` would never run").note(why).hint("the next pipeline is `dispatch`")
}
