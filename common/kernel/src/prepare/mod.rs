//! Brings a body into the operations that the emitter reads.
mod apart;
mod byte_functions;
mod dequantise;
mod halves;
mod quantise;
mod sigmoid;
mod softmax_reciprocal;

pub(crate) use byte_functions::table_of;

use crate::MachineModel;
use halyard_diag::Result;
use halyard_ir::{Op, Session};
use mlir_sys::{mlirTransformApplyNamedSequence, mlirTransformOptionsCreate, mlirTransformOptionsDestroy};

/// Elementwise operations on tensors and named operations become generic ones; affine applications become arithmetic.
const PIPELINE: &str = "builtin.module(func.func(convert-elementwise-to-linalg,linalg-generalize-named-ops),lower-affine,canonicalize,cse)";

/// Upstream has the decomposition of softmax as a transform only.
const SOFTMAX: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"#;

/// And what packing is made of: padding, reshapes and transpositions.
const PACKS: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %packs = transform.structured.match ops{["linalg.pack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.structured.lower_pack %packs {lowerPadLikeWithInsertSlice = false} : (!transform.op<"linalg.pack">)
        -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.unpack">
    transform.structured.lower_unpack %unpacks {lowerUnpadLikeWithExtractSlice = false} : (!transform.op<"linalg.unpack">)
        -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">,
            !transform.op<"tensor.extract_slice">)
    transform.yield
  }
}
"#;

/// Rewrites a module in place for a target. Errors: a pass that failed.
pub(crate) fn prepare(session: &Session, module: Op, target: &MachineModel) -> Result<()> {
    let (mut softmax, mut packs, mut fixed) = (false, false, true);
    module.walk(&mut |op| {
        softmax |= op.is("linalg.softmax");
        if op.is("linalg.pack") || op.is("linalg.unpack") {
            packs = true;
            let mut types = op.operands().into_iter().chain(op.results()).map(|v| v.ty());
            fixed &= types.all(|t| !t.is_ranked_tensor() || t.is_static());
        }
    });
    if softmax {
        apply(session, module, SOFTMAX, "softmax")?;
    }
    // Of sizes that are not known yet upstream takes some only.
    if packs && fixed {
        apply(session, module, PACKS, "pack")?;
    }
    session.run_pipeline_on(module, PIPELINE, true)?;
    if apart::rewrite(module) {
        session.run_pipeline_on(module, "builtin.module(canonicalize,cse)", true)?;
    }
    if target.gpu.is_none() {
        halves::rewrite(module);
    }
    byte_functions::rewrite(module, target);
    softmax_reciprocal::rewrite(module);
    sigmoid::rewrite(module, target.fma);
    if target.fma && target.gpu.is_none() && quantise::rewrite(module) {
        session.run_pipeline_on(module, "builtin.module(canonicalize)", true)?;
    }
    Ok(())
}

/// Runs a schedule of ours. Errors: it does not fit, which the name of the operation says.
fn apply(session: &Session, module: Op, schedule: &str, name: &str) -> Result<()> {
    let sources = session.sources();
    let schedule = session.parse(schedule.as_bytes(), name)?;
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
    if done { Ok(()) } else { Err(session.error(&format!("`linalg.{name}` cannot be decomposed"))) }
}
