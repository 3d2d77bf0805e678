//! Brings a body into the operations that the emitter reads.
use halyard_diag::Result;
use halyard_ir::{Op, Session};
use mlir_sys::{mlirTransformApplyNamedSequence, mlirTransformOptionsCreate, mlirTransformOptionsDestroy};

/// Elementwise operations on tensors and named operations become generic ones; affine applications become arithmetic.
const PIPELINE: &str = "builtin.module(func.func(convert-elementwise-to-linalg,linalg-generalize-named-ops),lower-affine,canonicalize,cse)";

/// Upstream has the decomposition of softmax as a transform only.
const SCHEDULE: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"#;

/// Rewrites a module in place; `fused` is whether the target has fused multiply-adds. Errors: a pass that failed.
pub(crate) fn prepare(session: &Session, module: Op, fused: bool) -> Result<()> {
    let mut softmax = false;
    module.walk(&mut |op| softmax |= op.is("linalg.softmax"));
    if softmax {
        let sources = session.sources();
        let schedule = session.parse(SCHEDULE.as_bytes(), "softmax")?;
        // Places in the module must not be looked up in the text of the schedule.
        session.adopt_sources(&sources);
        let root = Op::from(&schedule);
        let sequence = root.body().and_then(|b| b.ops().first().copied()).expect("the schedule has a sequence");
        // SAFETY: all three operations are live and of one context; the options are destroyed once.
        let done = unsafe {
            let options = mlirTransformOptionsCreate();
            let done = mlirTransformApplyNamedSequence(module.0, sequence.0, root.0, options);
            mlirTransformOptionsDestroy(options);
            done.value != 0
        };
        if !done {
            return Err(session.error("`linalg.softmax` cannot be decomposed"));
        }
    }
    session.run_pipeline_on(module, PIPELINE, true)?;
    super::shares::rewrite(module);
    super::sigmoid::rewrite(module, fused);
    Ok(())
}
