//! Corrects loops that upstream's conversion of `scf.for` makes.
//!
//! The conversion keeps each result in a variable that the body stores to. If the body never runs, the variable is
//! undefined. So the initial value is stored before the loop here.
use halyard_ir::{Builder, Op};

/// Initialises the variables of loops in `spirv.module`s with the initial values of their results.
pub(super) fn repair(module: Op) {
    let mut loops = Vec::new();
    module.walk(&mut |op| {
        if op.is("spirv.mlir.loop") {
            loops.push(op);
        }
    });
    for loop_op in loops {
        // The entry block branches to the header with the first index and the values that are carried.
        let starts = loop_op.body().and_then(|entry| entry.terminator()).map(|b| b.operands()).unwrap_or_default();
        let carried = starts.get(1..).unwrap_or_default();
        let ops = loop_op.block().map(|b| b.ops()).unwrap_or_default();
        let at = ops.iter().position(|op| *op == loop_op).unwrap_or(0);
        let variables: Vec<Op> = ops[..at].iter().rev().take_while(|op| op.is("spirv.Variable")).copied().collect();
        let builder = Builder::before(loop_op);
        // The nearest variable belongs to the last value.
        for (variable, start) in variables.into_iter().zip(carried.iter().rev()) {
            let inside = |(user, _): &(Op, usize)| user.is("spirv.Store") && user.is_inside(loop_op);
            let pointer = variable.result(0);
            let stored = pointer.uses().iter().any(inside);
            let fits =
                pointer.uses().iter().filter(|u| u.0.is("spirv.Load")).all(|(l, _)| l.result(0).ty() == start.ty());
            if stored && fits && start.argument_block().is_none_or(|b| b.parent() != Some(loop_op)) {
                builder.op("spirv.Store", &[pointer, *start], &[], &[]);
            }
        }
    }
}
