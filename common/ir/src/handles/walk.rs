//! Walks over operations. Lists of what is inside would cost more than the walk: over large programs it is bound by memory.
use super::{Block, Op, Region, Value};
use mlir_sys::*;
use std::{collections::HashSet, iter::successors};

impl Op {
    /// Visits it and everything inside, each operation before its contents. Operations inside must be neither erased nor
    /// moved meanwhile; those put before or after the one visited are not visited.
    pub fn walk(self, visit: &mut dyn FnMut(Op)) {
        visit(self);
        for block in self.each_region().flat_map(Region::each_block) {
            block.each_op().for_each(|op| op.walk(visit));
        }
    }

    /// The operands, without a list of them.
    pub(crate) fn each_operand(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }

    /// The results, without a list of them.
    pub(crate) fn each_result(self) -> impl Iterator<Item = Value> {
        (0..self.result_count()).map(move |i| self.result(i))
    }

    /// The regions, without a list of them.
    pub(crate) fn each_region(self) -> impl Iterator<Item = Region> {
        // SAFETY: `self` is live, and indices are below the count.
        let region = move |i| Region(unsafe { mlirOperationGetRegion(self.0, i) });
        // SAFETY: `live` checks it.
        (0..unsafe { mlirOperationGetNumRegions(self.live()) }).map(region)
    }

    /// The names of the operations inside, each once.
    pub fn names_inside(self) -> HashSet<String> {
        let (mut seen, mut names) = (HashSet::new(), HashSet::new());
        self.walk(&mut |op| {
            if op != self && seen.insert(op.name_pointer() as usize) {
                names.insert(op.name());
            }
        });
        names
    }
}

impl Region {
    /// The blocks, without a list of them.
    pub(crate) fn each_block(self) -> impl Iterator<Item = Block> {
        successors(self.first_block(), |block| {
            // SAFETY: blocks of a live region are live.
            let next = unsafe { mlirBlockGetNextInRegion(block.0) };
            (!next.ptr.is_null()).then_some(Block(next))
        })
    }
}

impl Block {
    /// The operations, without a list of them: the one after is found before the one that is returned can be erased.
    pub(crate) fn each_op(self) -> impl Iterator<Item = Op> {
        // SAFETY: the block is live.
        let first = unsafe { mlirBlockGetFirstOperation(self.0) };
        successors((!first.ptr.is_null()).then_some(Op(first)), |op| op.next())
    }

    /// The arguments, without a list of them.
    pub(crate) fn each_arg(self) -> impl Iterator<Item = Value> {
        // SAFETY: the block is live, and indices are below the count.
        (0..unsafe { mlirBlockGetNumArguments(self.0) }).map(move |i| Value(unsafe { mlirBlockGetArgument(self.0, i) }))
    }
}
