//! Walks over operations.
use super::Op;
use mlir_sys::*;
use std::collections::HashSet;

impl Op {
    /// Visits it and everything inside, each operation before its contents. Operations inside must be neither erased nor
    /// moved meanwhile; those put before or after the one visited are not visited.
    pub fn walk(self, visit: &mut dyn FnMut(Op)) {
        visit(self);
        // Lists of what is inside would cost more than the walk: over large programs it is bound by memory.
        // SAFETY: `self` is live, as all operations inside a live one are; indices are below the counts that the C API gives.
        unsafe {
            for i in 0..mlirOperationGetNumRegions(self.live()) {
                let mut block = mlirRegionGetFirstBlock(mlirOperationGetRegion(self.0, i));
                while !block.ptr.is_null() {
                    let mut inner = mlirBlockGetFirstOperation(block);
                    while !inner.ptr.is_null() {
                        let next = mlirOperationGetNextInBlock(inner);
                        Op(inner).walk(visit);
                        inner = next;
                    }
                    block = mlirBlockGetNextInRegion(block);
                }
            }
        }
    }

    /// The names of the operations inside, each once.
    pub fn names_inside(self) -> HashSet<String> {
        let (mut seen, mut names) = (HashSet::new(), HashSet::new());
        self.walk(&mut |op| {
            // SAFETY: operations that are visited are live.
            let name = unsafe { mlirOperationGetName(op.0) };
            if op != self && seen.insert(name.ptr as usize) {
                names.insert(op.name());
            }
        });
        names
    }
}
