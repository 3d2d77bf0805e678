//! A hash that tells whether something was done to a module in between: much cheaper than a pass that finds nothing to do.
use crate::handles::Op;
use mlir_sys::*;

impl Op {
    /// A hash of the operations inside, in order: which they are, what they are called, and what they read. It holds while a session works on
    /// the module: what passes and [`Op::erase`] take out, put in, move or connect differently changes it; an attribute or a type
    /// alone does not.
    pub fn structure_hash(self) -> u64 {
        let mut hash = 0;
        visit(self.0, &mut hash);
        hash
    }
}

fn add(hash: &mut u64, word: *const std::ffi::c_void) {
    // The step of FxHash, the hash of the Rust compiler's tables.
    *hash = (hash.rotate_left(5) ^ word as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
}

fn visit(op: MlirOperation, hash: &mut u64) {
    // SAFETY: `op` is live, as all operations inside a live one are; indices are below the counts that the C API gives.
    unsafe {
        add(hash, op.ptr);
        add(hash, mlirOperationGetName(op).ptr);
        for i in 0..mlirOperationGetNumOperands(op) {
            add(hash, mlirOperationGetOperand(op, i).ptr);
        }
        for i in 0..mlirOperationGetNumRegions(op) {
            let mut block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
            while !block.ptr.is_null() {
                add(hash, block.ptr);
                let mut inner = mlirBlockGetFirstOperation(block);
                while !inner.ptr.is_null() {
                    visit(inner, hash);
                    inner = mlirOperationGetNextInBlock(inner);
                }
                block = mlirBlockGetNextInRegion(block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Builder, Op, Session};

    #[test]
    fn what_is_done_to_a_module_changes_its_hash() {
        let session = Session::new();
        let text = "func.func @f(%a: f32, %b: f32) -> f32 { %0 = arith.addf %a, %b : f32 %1 = arith.addf %a, %b : f32 %2 = arith.mulf %0, %1 : f32 return %2 : f32 }";
        let module = session.parse(text.as_bytes(), "test.mlir").unwrap();
        let top = Op::from(&module);
        let first = top.structure_hash();
        session.run_pipeline(&module, "builtin.module(canonicalize)").unwrap();
        assert_eq!(top.structure_hash(), first);
        session.run_pipeline(&module, "builtin.module(cse)").unwrap();
        let merged = top.structure_hash();
        assert_ne!(merged, first);
        let mut product = None;
        top.walk(&mut |op| product = product.or(op.is("arith.mulf").then_some(op)));
        let product = product.unwrap();
        let Some(sum) = product.operand(0).def() else { panic!("it is a product of a sum") };
        product.set_operand(1, sum.operand(0));
        let connected = top.structure_hash();
        assert_ne!(connected, merged);
        product.set_operand(1, sum.result(0));
        assert_eq!(top.structure_hash(), merged);
        Builder::before(product).insert(sum.duplicate());
        assert_ne!(top.structure_hash(), merged);
    }
}
