//! Merges several `spirv.module`s: the exports of an executable share a binary.
use halyard_ir::Op;
use std::collections::BTreeSet;

/// Moves everything of the others into the first one. Built-in variables, which all have under the same names, are kept once;
/// other names that are taken become new ones.
pub(super) fn merge(first: Op, others: &[Op]) {
    let body = first.body().expect("a module has a body");
    for &other in others {
        let mut taken: BTreeSet<String> = body.ops().into_iter().filter_map(|op| op.symbol()).collect();
        let ops = other.body_ops();
        taken.extend(ops.iter().filter_map(|op| op.symbol()));
        for op in ops {
            let Some(name) = op.symbol() else { continue };
            let clash = body.ops().into_iter().find(|o| o.symbol().as_deref() == Some(&*name));
            let Some(clash) = clash else { continue };
            if op.has_attr("built_in") && op.attr("built_in") == clash.attr("built_in") {
                op.erase();
                continue;
            }
            let new = (2..).map(|i| format!("{name}_{i}")).find(|n| !taken.contains(n)).expect("numbers do not end");
            taken.insert(new.clone());
            op.rename_symbol(&new, other);
        }
        let (globals, rest): (Vec<Op>, Vec<Op>) =
            other.body_ops().into_iter().partition(|op| op.is("spirv.GlobalVariable") || op.is("spirv.SpecConstant"));
        for op in globals.into_iter().rev() {
            op.detach();
            body.prepend(op);
        }
        for op in rest {
            op.detach();
            body.append(op);
        }
        other.erase();
    }
    order(first);
}

/// Entry points and execution modes come after all functions.
fn order(module: Op) {
    let body = module.body().expect("a module has a body");
    for name in ["spirv.EntryPoint", "spirv.ExecutionMode"] {
        for op in body.ops().into_iter().filter(|op| op.is(name)) {
            op.detach();
            body.append(op);
        }
    }
}
