//! Brings functions into the shape that forming executables expects.
use super::{
    concats::find_concats, constants::inline_splats, depthwise::drop_unit_multipliers, pads::pad_after_reshapes,
    reshapes::read_through_unit_dims, sink::sink_reshapes,
};
use halyard_diag::Result;
use halyard_ir::{Builder, Module, Op, Session, form::Program};

/// Inlines private functions, makes elementwise arithmetic on tensors into linalg, finds where dynamic sizes come from.
pub(super) fn prepare(session: &Session, module: &Module<'_>) -> Result<()> {
    session.run_pipeline(
        module,
        "builtin.module(inline,symbol-dce,func.func(convert-elementwise-to-linalg),canonicalize,cse,\
         resolve-ranked-shaped-type-result-dims,lower-affine,canonicalize,cse)",
    )?;
    let functions = (Program { op: Op::from(module) }).functions();
    for function in &functions {
        fill_splats(*function);
        find_concats(*function);
        drop_unit_multipliers(*function);
        pad_after_reshapes(*function);
        for block in function.regions().into_iter().flat_map(|r| r.blocks()) {
            sink_reshapes(block);
        }
    }
    // Reshapes that the rewrites made meet those that were there.
    session.run_pipeline(module, "builtin.module(canonicalize)")?;
    for function in functions {
        for block in function.regions().into_iter().flat_map(|r| r.blocks()) {
            inline_splats(block);
            read_through_unit_dims(block);
        }
    }
    // What the rewrites left unused would count as a use.
    session.run_pipeline(module, "builtin.module(canonicalize,cse)")
}

/// Makes `tensor.splat` into fills, which can share the executables of their users.
fn fill_splats(function: Op) {
    let mut splats = Vec::new();
    function.walk(&mut |op| {
        if op.is("tensor.splat") {
            splats.push(op);
        }
    });
    for op in splats {
        let (builder, result) = (Builder::before(op), op.result(0));
        let empty = builder.value("tensor.empty", &op.operands()[1..], result.ty(), &[]);
        result.replace_all_uses(builder.fill(op.operand(0), empty));
        op.erase();
    }
}
