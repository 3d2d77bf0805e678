//! TOSA, through the upstream lowerings.
use halyard_diag::Result;
use halyard_ir::{Module, Session};

/// Lowers all tosa operations of a module to linalg, tensor, arith, scf and ml_program. The order is that of upstream's
/// `addTosaToLinalgPasses`, with control flow and scatters lowered first, which `tosa-to-linalg` refuses, and constants
/// folded through transposes, so that weights are transposed once.
pub(super) fn lower(session: &Session, module: &Module<'_>) -> Result<()> {
    session.run_pipeline(
        module,
        "builtin.module(func.func(tosa-convert-integer-type-to-signless,tosa-to-scf,tosa-optional-decompositions,\
         canonicalize,tosa-infer-shapes,tosa-layerwise-constant-fold,tosa-make-broadcastable,tosa-to-linalg-named,\
         canonicalize,tosa-layerwise-constant-fold,tosa-make-broadcastable,tosa-to-linalg,tosa-to-tensor,\
         tosa-to-arith{include-apply-rescale=true}),tosa-to-mlprogram,canonicalize,cse)",
    )
}
