//! A key of operations by what they are, not where: equal for those whose text would be equal, and much cheaper than text.
use crate::handles::{Op, Type, Value};
use std::collections::HashMap;

/// Takes in operations in order, and gives their key. It holds for one session: names, types and attributes count by the place where the
/// session keeps each once.
#[derive(Debug, Default)]
pub struct StructuralKey {
    hasher: blake3::Hasher,
    /// The number of each value: of those from outside in the order in which they were named, of all others in the order in which they are made.
    values: HashMap<Value, u64>,
}

impl StructuralKey {
    /// Names the values from outside, with their types.
    pub fn name(&mut self, values: &[Value]) {
        self.word(values.len() as u64);
        values.iter().for_each(|value| self.define(*value));
    }

    /// Takes in an operation with all that is inside. What makes an operand that is not known yet is taken in first if `inline` says so.
    /// `None`: it reads what is neither.
    pub fn add(&mut self, op: Op, inline: &dyn Fn(Op) -> bool) -> Option<()> {
        let mut operands = Vec::new();
        for operand in op.each_operand() {
            operands.push(self.number(operand, inline)?);
        }
        self.pointer(op.name_pointer());
        self.word(operands.len() as u64);
        operands.into_iter().for_each(|number| self.word(number));
        self.pointer(op.attr_dictionary());
        self.word(op.result_count() as u64);
        op.each_result().for_each(|result| self.define(result));
        self.word(op.each_region().count() as u64);
        for region in op.each_region() {
            for block in region.each_block() {
                self.word(1 + block.each_arg().count() as u64);
                block.each_arg().for_each(|argument| self.define(argument));
                for inner in block.each_op() {
                    // A control flow between blocks would want their numbers.
                    if !inner.successors().is_empty() {
                        return None;
                    }
                    self.add(inner, inline)?;
                }
            }
            self.word(0);
        }
        Some(())
    }

    /// Takes in a value that is known. `None`: it is not.
    pub fn read(&mut self, value: Value) -> Option<()> {
        let number = *self.values.get(&value)?;
        self.word(number);
        Some(())
    }

    /// Takes in a number.
    pub fn word(&mut self, word: u64) {
        self.hasher.update(&word.to_le_bytes());
    }

    /// The key of everything.
    pub fn finish(self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }

    fn number(&mut self, value: Value, inline: &dyn Fn(Op) -> bool) -> Option<u64> {
        if let Some(number) = self.values.get(&value) {
            return Some(*number);
        }
        let def = value.def().filter(|def| inline(*def))?;
        self.add(def, inline)?;
        self.values.get(&value).copied()
    }

    fn define(&mut self, value: Value) {
        let number = self.values.len() as u64;
        self.values.insert(value, number);
        let Type(ty) = value.ty();
        self.pointer(ty.ptr);
    }

    fn pointer(&mut self, pointer: *const std::ffi::c_void) {
        self.word(pointer as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::StructuralKey;
    use crate::{Op, Session};

    /// The keys of the functions of a module, which read what is outside of them only as constants.
    fn keys(session: &Session, text: &str) -> Vec<Option<[u8; 32]>> {
        let module = session.parse(text.as_bytes(), "test.mlir").unwrap();
        let functions = Op::from(&module).body().unwrap().ops();
        let key = |function: Op| {
            let (mut key, block) = (StructuralKey::default(), function.body().unwrap());
            key.name(&block.args());
            block.ops().into_iter().try_for_each(|op| key.add(op, &|_| false)).map(|()| key.finish())
        };
        functions.into_iter().map(key).collect()
    }

    #[test]
    fn equal_operations_have_one_key_and_different_ones_do_not() {
        let session = Session::new();
        let function = |name: &str, body: &str| format!("func.func @{name}(%a: f32, %b: f32) -> f32 {{ {body} }}\n");
        let text = [
            function("f", "%0 = arith.addf %a, %b : f32 return %0 : f32"),
            function("g", "%sum = arith.addf %a, %b {} : f32 return %sum : f32"),
            function("order", "%0 = arith.addf %b, %a : f32 return %0 : f32"),
            function("name", "%0 = arith.mulf %a, %b : f32 return %0 : f32"),
            function("attribute", "%0 = arith.addf %a, %b {x} : f32 return %0 : f32"),
            function("flags", "%0 = arith.addf %a, %b fastmath<fast> : f32 return %0 : f32"),
            function("unused", "%0 = arith.addf %a, %b : f32 %1 = arith.addf %a, %b : f32 return %0 : f32"),
        ];
        let keys = keys(&session, &text.concat());
        assert!(keys.iter().all(Option::is_some));
        assert_eq!(keys[0], keys[1]);
        for (at, key) in keys.iter().enumerate().skip(1) {
            assert!(!keys[at + 1..].contains(key), "{}", text[at]);
        }
    }

    #[test]
    fn types_and_regions_count_and_blocks_that_jump_have_no_key() {
        let session = Session::new();
        let keys = keys(
            &session,
            "func.func @f(%a: f32, %n: index) -> f32 { %c = arith.constant 1.0 : f32 %r = scf.for %i = %n to %n step %n iter_args(%s = %a) -> f32 { %t = arith.addf %s, %c : f32 scf.yield %t : f32 } return %r : f32 }
             func.func @g(%a: f32, %n: index) -> f32 { %c = arith.constant 1.0 : f32 %r = scf.for %i = %n to %n step %n iter_args(%s = %a) -> f32 { %t = arith.addf %c, %s : f32 scf.yield %t : f32 } return %r : f32 }
             func.func @h(%a: f64, %n: index) -> f64 { %c = arith.constant 1.0 : f64 %r = scf.for %i = %n to %n step %n iter_args(%s = %a) -> f64 { %t = arith.addf %s, %c : f64 scf.yield %t : f64 } return %r : f64 }
             func.func @j(%a: f32, %n: index) -> f32 { %r = scf.execute_region -> f32 { cf.br ^next ^next: scf.yield %a : f32 } return %r : f32 }",
        );
        assert!(keys[..3].iter().all(Option::is_some) && keys[3].is_none());
        assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
    }
}
