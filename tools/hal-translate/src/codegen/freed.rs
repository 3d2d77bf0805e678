//! Checks that memory which a lowered kernel allocates can reach the operation that frees it.
use halyard_ir::{Op, Value};
use std::collections::HashSet;

/// Returns the first allocation from which no path leads to an operation that frees it. Conditions of branches are
/// ignored: memory that is freed on one path only is accepted.
pub(super) fn first_leak(module: Op, allocates: impl Fn(Op) -> bool, frees: impl Fn(Op) -> bool) -> Option<Op> {
    let defined = |name: &str| {
        let ops = module.body_ops();
        ops.into_iter().any(|op| op.symbol().as_deref() == Some(name) && op.body().is_some())
    };
    let mut first = None;
    module.walk(&mut |op| {
        if first.is_none() && allocates(op) && !op.results().iter().any(|&memory| is_freed(memory, &frees, &defined)) {
            first = Some(op);
        }
    });
    first
}

fn is_freed(memory: Value, frees: &impl Fn(Op) -> bool, defined: &impl Fn(&str) -> bool) -> bool {
    let (mut seen, mut list) = (HashSet::from([memory]), vec![memory]);
    while let Some(value) = list.pop() {
        for (user, operand) in value.uses() {
            if frees(user) {
                return true;
            }
            let mut next = user.results();
            match &*user.name() {
                // Whoever calls, frees.
                "func.return" | "llvm.return" => return true,
                // Somebody may find it there.
                "llvm.store" if operand == 0 => return true,
                "func.call" | "llvm.call" if user.callee().is_none_or(|name| defined(&name)) => return true,
                // A function of the C library does not give its argument back.
                "llvm.call" => continue,
                _ if user.successors().is_empty() && user.block().and_then(|b| b.terminator()) == Some(user) => {
                    // The end of a region: what it yields is a result of the operation around, or comes in again.
                    let around = user.parent();
                    next.extend(around.map(|op| op.results()).unwrap_or_default());
                    let regions = around.map(|op| op.regions()).unwrap_or_default();
                    next.extend(regions.iter().filter_map(|r| r.first_block()).flat_map(|b| b.args()));
                }
                _ => next.extend(user.successors().iter().flat_map(|b| b.args())),
            }
            // A value that passes through a branch or a region keeps its type.
            let passes = |v: &Value| v.def().is_some_and(|d| d == user) || v.ty() == value.ty();
            list.extend(next.into_iter().filter(passes).filter(|&v| seen.insert(v)));
        }
        // The values that enter a loop are the arguments of its body.
        let inner = value.uses().into_iter().flat_map(|(user, _)| user.regions()).filter_map(|r| r.first_block());
        list.extend(inner.flat_map(|b| b.args()).filter(|v| v.ty() == value.ty()).filter(|&v| seen.insert(v)));
    }
    false
}
