//! Loops as upstream's conversion of `scf.for` leaves them, put right.
//!
//! It keeps each result in a variable that the body stores to. Where the body never runs, the variable has no value: the
//! start of the value that is carried is stored before the loop here. And it makes the whole body the continue block of the
//! loop, which is valid, but not what front ends write and drivers see: the body gets a block of its own.
use halyard_ir::{Block, Builder, Op};
use mlir_sys::*;

/// Gives the variables of loops in `spirv.module`s the values that their results start from, and loops a body.
pub(super) fn repair(module: Op) {
    let mut loops = Vec::new();
    module.walk(&mut |op| {
        if op.is("spirv.mlir.loop") {
            loops.push(op);
        }
    });
    for loop_op in loops {
        separate(loop_op);
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

/// Moves the body of a loop out of its continue block: entry, header, continue, merge become entry, header, body, continue,
/// merge.
fn separate(loop_op: Op) {
    let region = loop_op.region(0);
    let blocks = region.blocks();
    let [_, header, latch, _] = blocks.as_slice() else { return };
    let (Some(end), Some(enter)) = (latch.terminator(), header.terminator()) else { return };
    if !end.is("spirv.Branch")
        || !enter.is("spirv.BranchConditional")
        || !latch.args().is_empty()
        || latch.ops().len() < 2
    {
        return;
    }
    let body = Block::create(&[], loop_op.loc());
    // SAFETY: the region holds the block that is the reference; the new one is in no region yet.
    unsafe { mlirRegionInsertOwnedBlockBefore(region.0, latch.0, body.0) };
    for op in latch.ops().into_iter().filter(|op| *op != end) {
        op.detach();
        body.append(op);
    }
    // SAFETY: both blocks are live and of the same region; the state is used up by the creation of the operation.
    unsafe {
        let name = MlirStringRef { data: c"spirv.Branch".as_ptr(), length: "spirv.Branch".len() };
        let mut state = mlirOperationStateGet(name, loop_op.loc());
        mlirOperationStateAddSuccessors(&raw mut state, 1, &latch.0);
        body.append(Op(mlirOperationCreate(&raw mut state)));
        mlirOperationSetSuccessor(enter.0, 0, body.0);
    }
}
