//! A hash that tells whether something was done to a module in between: much cheaper than a pass that finds nothing to do.
use crate::handles::{Op, Region, Value};
use mlir_sys::mlirOperationGetName;
use std::{collections::HashMap, ffi::c_void};

impl Op {
    /// A hash of the operations inside, in order: which they are, what they are called, and what they read. It holds while a session works on
    /// the module: what passes and [`Op::erase`] take out, put in, move or connect differently changes it; an attribute or a type
    /// alone does not.
    pub fn structure_hash(self) -> u64 {
        let mut hash = 0;
        visit(self, &mut hash);
        hash
    }
}

// The C API has no such function; its own build the dictionary anew for each attribute that they return. This one takes and returns
// a single pointer.
unsafe extern "C" {
    /// `mlir::DictionaryAttr mlir::Operation::getAttrDictionary()`
    #[link_name = "_ZN4mlir9Operation17getAttrDictionaryEv"]
    fn get_attr_dictionary(op: *const c_void) -> *const c_void;
}

impl Op {
    /// The address of the dictionary of all attributes, inherent and discardable. Equal dictionaries of a session have one address.
    pub(crate) fn attr_dictionary(self) -> *const c_void {
        // SAFETY: `self` is live.
        unsafe { get_attr_dictionary(self.0.ptr) }
    }

    /// The address of the name, which a session keeps once.
    pub(crate) fn name_pointer(self) -> *const c_void {
        // SAFETY: `self` is live.
        unsafe { mlirOperationGetName(self.0).ptr }
    }

    /// A hash of the operations in the regions: which they are, their attributes, and what they read, values from inside by their
    /// numbers, others by themselves. It holds for one session.
    pub fn body_hash(self) -> u64 {
        let (mut hash, mut numbers) = (0, HashMap::new());
        visit_bodies(self, &mut numbers, &mut hash);
        hash
    }
}

fn visit_bodies(op: Op, numbers: &mut HashMap<Value, u64>, hash: &mut u64) {
    let number = |value: Value, numbers: &mut HashMap<Value, u64>| {
        let next = numbers.len() as u64;
        numbers.insert(value, next);
    };
    for block in op.each_region().flat_map(Region::each_block) {
        block.each_arg().for_each(|argument| number(argument, numbers));
        for inner in block.each_op() {
            add(hash, inner.name_pointer());
            add(hash, inner.attr_dictionary());
            for operand in inner.each_operand() {
                let inside = numbers.get(&operand).map(|number| *number as *const c_void);
                add(hash, inside.unwrap_or(operand.0.ptr));
            }
            inner.each_result().for_each(|result| number(result, numbers));
            visit_bodies(inner, numbers, hash);
        }
    }
}

fn add(hash: &mut u64, word: *const c_void) {
    // The step of FxHash, the hash of the Rust compiler's tables.
    *hash = (hash.rotate_left(5) ^ word as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
}

fn visit(op: Op, hash: &mut u64) {
    add(hash, op.0.ptr);
    add(hash, op.name_pointer());
    op.each_operand().for_each(|operand| add(hash, operand.0.ptr));
    for block in op.each_region().flat_map(Region::each_block) {
        add(hash, block.0.ptr);
        block.each_op().for_each(|inner| visit(inner, hash));
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
