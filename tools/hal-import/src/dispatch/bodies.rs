//! Marks bodies for `cse`, which looks at operands and attributes before it compares operations one by one: where thousands of
//! operations differ in their bodies only, it would compare each with each.
use halyard_ir::{Attr, Op, Type, names};
use std::collections::HashMap;

/// Gives operations with bodies a mark that is the same for equal bodies: a number, in the order of the function, since what bodies
/// are compared by are addresses, too, and the steps of an import may be printed. It lasts for a pass.
pub(super) fn mark(function: Op) {
    let mut marks: HashMap<u64, i64> = HashMap::new();
    for op in with_bodies(function) {
        let (context, next) = (op.context(), marks.len() as i64);
        let mark = *marks.entry(op.body_hash()).or_insert(next);
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
        if op.is_of("linalg") && !op.regions().is_empty() {
            found.push(op);
        }
    });
    found
}
