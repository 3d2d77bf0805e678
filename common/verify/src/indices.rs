//! Integers that are positions in another tensor: how large they may be.
use crate::sizes::{Size, Sizes, key};
use halyard_ir::{Op, Structured, Value};
use std::collections::HashMap;

/// For each argument of a function: the sizes of what it indexes, if anything.
pub(crate) fn bounds(function: Op, sizes: &mut Sizes) -> Vec<Vec<Size>> {
    let arguments = function.body().map(|b| b.args()).unwrap_or_default();
    let position: HashMap<usize, usize> = arguments.iter().enumerate().map(|(i, &a)| (key(a), i)).collect();
    let mut bounds = vec![Vec::new(); arguments.len()];
    let mut extracts = Vec::new();
    function.walk(&mut |op| {
        if op.is("tensor.extract") {
            extracts.push(op);
        }
    });
    for extract in extracts {
        let dims = sizes.shape(extract.operand(0));
        for (&index, size) in extract.operands()[1..].iter().zip(&dims) {
            let mut found = Vec::new();
            origins(index, 0, &mut found);
            for value in found {
                if let Some(&i) = position.get(&key(value)) {
                    bounds[i].push(size.clone());
                }
            }
        }
    }
    bounds
}

/// The arguments of the function that a value is computed from, as far as operations on elements and reshapes lead.
fn origins(value: Value, depth: usize, found: &mut Vec<Value>) {
    if depth > 24 {
        return;
    }
    let Some(op) = value.def() else {
        let Some(block) = value.argument_block() else { return };
        match block.parent().filter(|op| Structured::of(*op).is_some()) {
            Some(op) if value.index() < op.operand_count() => origins(op.operand(value.index()), depth + 1, found),
            Some(_) => {}
            None => found.push(value),
        }
        return;
    };
    let name = op.name();
    let follows = name.starts_with("arith.") || name.starts_with("tensor.") || name.starts_with("index.");
    if name == "tensor.extract" {
        return origins(op.operand(0), depth + 1, found);
    }
    if let Some(end) = Structured::of(op).and_then(|_| op.body()).and_then(|b| b.terminator())
        && value.index() < end.operand_count()
    {
        return origins(end.operand(value.index()), depth + 1, found);
    }
    if follows {
        op.operands().into_iter().for_each(|v| origins(v, depth + 1, found));
    }
}
