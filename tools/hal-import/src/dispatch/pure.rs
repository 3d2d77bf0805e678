//! Calls of pure host functions (`hal.pure`): one that nobody needs, or that says the same as an earlier one, goes; the
//! others need not keep their place among what has effects.
use halyard_ir::{Attr, Op, Value, form::Program, names};
use std::collections::{BTreeSet, HashMap};

/// Leaves calls out that are not needed, and marks the others with [`names::PURE`] until [`unmark`]. Declarations that
/// nothing calls any more go.
pub(super) fn simplify(program: Program) {
    let pure: BTreeSet<String> =
        program.host_functions().into_iter().filter(|h| h.is_pure()).map(|h| h.symbol()).collect();
    if pure.is_empty() {
        return;
    }
    let mut left = BTreeSet::new();
    for function in program.functions() {
        let mut calls = Vec::new();
        function.walk(&mut |op| {
            let callee = op.callee().filter(|name| op.is("func.call") && pure.contains(name));
            calls.extend(callee.map(|name| (op, name)));
        });
        let mut seen: HashMap<(String, Vec<Value>), Op> = HashMap::new();
        for (call, name) in &calls {
            let key = (name.clone(), call.operands());
            match seen.get(&key).copied().filter(|first| first.block() == call.block()) {
                Some(first) => {
                    for (old, new) in call.results().into_iter().zip(first.results()) {
                        old.replace_all_uses(new);
                    }
                }
                None => drop(seen.insert(key, *call)),
            }
        }
        // The last one first: what it needed may not be needed then.
        for (call, name) in calls.into_iter().rev() {
            if call.has_uses() {
                call.set_attr(names::PURE, Attr::unit(call.context()));
                left.insert(name);
            } else {
                call.erase();
            }
        }
    }
    for declaration in program.host_functions().into_iter().filter(|h| h.is_pure()) {
        if !left.contains(&declaration.symbol()) {
            declaration.op.erase();
        }
    }
}

/// Takes the marks off.
pub(super) fn unmark(functions: &[Op]) {
    for function in functions {
        function.walk(&mut |op| {
            if op.is("func.call") {
                op.remove_attr(names::PURE);
            }
        });
    }
}
