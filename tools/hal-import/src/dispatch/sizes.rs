//! Sizes of results of dispatches: the host passed them, so it need not ask the result.
use halyard_ir::{
    Op, Value,
    form::{Interface, Program},
};
use std::collections::HashMap;

/// Replaces `tensor.dim` of the result of a call of an entry by what was passed for that dimension.
pub(super) fn use_passed_sizes(program: Program, functions: &[Op]) {
    let interfaces: HashMap<String, Interface> =
        program.entries().into_iter().map(|e| (e.name(), Interface::of(e.op))).collect();
    for function in functions {
        let mut found: Vec<(Op, Value)> = Vec::new();
        function.walk(&mut |op| {
            if let Some(size) = passed(op, &interfaces) {
                found.push((op, size));
            }
        });
        for (op, size) in found {
            op.result(0).replace_all_uses(size);
        }
    }
}

fn passed(op: Op, interfaces: &HashMap<String, Interface>) -> Option<Value> {
    if !op.is("tensor.dim") {
        return None;
    }
    let result = op.operand(0);
    let call = result.def().filter(|d| d.is("func.call"))?;
    let d = usize::try_from(op.operand(1).def()?.attr("value")?.as_int()?).ok()?;
    let interface = interfaces.get(&call.callee()?)?;
    let shape = result.ty().shape();
    let nth = shape.get(..d)?.iter().filter(|s| s.is_none()).count();
    let position = shape.get(d)?.is_none().then(|| interface.dims[result.index()].get(nth).copied())??;
    Some(call.operand(position))
}
