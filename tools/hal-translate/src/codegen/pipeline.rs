//! The pipeline `cpu`, as it is asked for.
use super::Options;
use halyard_diag::{Error, Result};
use halyard_ir::Session;
use halyard_stages::{BundleArgs, Pipeline, StageArgs};
use std::sync::Arc;

/// Reads the pipeline that leads from an export to the LLVM dialect. Errors: what is wrong with the bundle in its place; an
/// option that has nothing to act on there.
pub fn pipeline(
    session: &Session,
    stages: &StageArgs,
    bundles: &BundleArgs,
    options: Options,
) -> Result<Arc<Pipeline>> {
    let pipeline = Pipeline::parse(session, stages, bundles, "cpu")?;
    if let Some(given) = pipeline.given().filter(|_| options.fast_math && !pipeline.has_step("hal-fast-math")) {
        return Err(Error::usage("`--fast-math` has no effect with this pipeline")
            .note(format!("`{given}` has no step `hal-fast-math`, which applies it"))
            .hint("put `- pass: hal-fast-math` before arithmetic is lowered, or leave the flag out"));
    }
    Ok(Arc::new(pipeline))
}
