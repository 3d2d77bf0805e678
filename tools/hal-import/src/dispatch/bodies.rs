//! Marks bodies for `cse`, which looks at operands and attributes before it compares operations one by one: where thousands of
//! operations differ in their bodies only, it would compare each with each.
use halyard_ir::{Attr, Op, Type, Value, names};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Gives operations with bodies a mark that is the same for equal bodies: a number, in the order of the function, since what bodies
/// are compared by are addresses, too, and the steps of an import may be printed. It lasts for a pass.
pub(super) fn mark(function: Op) {
    let mut marks: HashMap<u64, i64> = HashMap::new();
    for op in with_bodies(function) {
        let mut hasher = DefaultHasher::new();
        let mut numbers: HashMap<Value, usize> = HashMap::new();
        for block in op.regions().into_iter().flat_map(|r| r.blocks()) {
            hash_block(block, &mut numbers, &mut hasher);
        }
        let (context, next) = (op.context(), marks.len() as i64);
        let mark = *marks.entry(hasher.finish()).or_insert(next);
        op.set_attr(names::BODY, Attr::integer(Type::integer(context, 64), mark));
    }
}

/// Takes the marks away.
pub(super) fn unmark(function: Op) {
    with_bodies(function).into_iter().for_each(|op| _ = op.remove_attr(names::BODY));
}

fn with_bodies(function: Op) -> Vec<Op> {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.name().starts_with("linalg.") && !op.regions().is_empty() {
            found.push(op);
        }
    });
    found
}

/// Operations with what they are and read: values from inside by their numbers, others by themselves.
fn hash_block(block: halyard_ir::Block, numbers: &mut HashMap<Value, usize>, hasher: &mut DefaultHasher) {
    for argument in block.args() {
        let number = numbers.len();
        numbers.insert(argument, number);
    }
    for op in block.ops() {
        op.name().hash(hasher);
        for (name, value) in op.attrs() {
            name.hash(hasher);
            value.hash(hasher);
        }
        for operand in op.operands() {
            match numbers.get(&operand) {
                Some(number) => number.hash(hasher),
                None => operand.hash(hasher),
            }
        }
        for result in op.results() {
            let number = numbers.len();
            numbers.insert(result, number);
        }
        for inner in op.regions().into_iter().flat_map(|r| r.blocks()) {
            hash_block(inner, numbers, hasher);
        }
    }
}
