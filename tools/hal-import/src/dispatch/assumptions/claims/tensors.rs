//! What operations on whole tensors assume about sizes.
use super::super::{
    sizes::{Sizes, groups, is_wide},
    symbols::Sym,
};
use super::{Claim, Relation, natural_result};
use halyard_ir::{Op, Value};

/// Tensors of one shape.
pub(super) fn alike(sizes: &mut Sizes, op: Op, operands: &[Value]) -> Vec<Claim> {
    let tensors: Vec<(usize, Value)> =
        operands.iter().copied().enumerate().filter(|(_, v)| v.ty().is_ranked_tensor()).collect();
    let Some(((first, to), others)) = tensors.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    // The numbers of operands go by the operation.
    let number = |k: usize| op.operands().iter().position(|v| *v == operands[k]).unwrap_or(k);
    for (k, value) in others.iter().filter(|(_, v)| v.ty().rank() == to.ty().rank()) {
        for (d, (a, b)) in sizes.dims(*to).into_iter().zip(sizes.dims(*value)).enumerate().filter(|(_, (a, b))| a != b)
        {
            let text = format!(
                "dimension {d} of operand {} is {{0}}, of operand {} {{1}}; they must be equal",
                number(*first),
                number(*k)
            );
            found.push(Claim::new(Relation::Equal, a, b, text));
        }
    }
    found
}

pub(super) fn cast(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let (source, to) = (op.operand(0).ty(), op.result(0).ty());
    if !source.is_ranked_tensor() || !to.is_ranked_tensor() {
        return Vec::new();
    }
    let dims = sizes.dims(op.operand(0));
    let known = to.shape().into_iter().enumerate().filter_map(|(d, size)| Some((d, size?)));
    known
        .map(|(d, size)| {
            let text = format!("dimension {d} of its operand is {{0}}; it must be {{1}}");
            Claim::new(Relation::Equal, dims[d].clone(), Sym::constant(size), text)
        })
        .collect()
}

pub(super) fn expand(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = natural_result(sizes, op.result(0));
    let (source, to) = (sizes.dims(op.operand(0)), sizes.dims(op.result(0)));
    for (d, group) in groups(op).unwrap_or_default().into_iter().enumerate() {
        let product = sizes.product(group.into_iter().map(|g| to.get(g).cloned()));
        if let (Some(product), Some(size)) = (product, source.get(d)) {
            let text =
                format!("dimension {d} of its operand is {{0}}, that of what it becomes {{1}}; they must be equal");
            found.push(Claim::new(Relation::Equal, size.clone(), product, text));
        }
    }
    found
}

pub(super) fn reshape(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let Some(made) = op.operand(1).def().filter(|d| d.is("tensor.from_elements")) else { return Vec::new() };
    if !made.operands().into_iter().all(is_wide) {
        return Vec::new();
    }
    let wanted: Vec<Sym> = made.operands().into_iter().map(|v| sizes.scalar(v)).collect();
    let mut found: Vec<Claim> = (wanted.iter().enumerate())
        .map(|(d, size)| Claim::natural(size, format!("dimension {d} of its result has size {{0}}")))
        .collect();
    for (d, (size, known)) in wanted.iter().zip(op.result(0).ty().shape()).enumerate() {
        if let Some(known) = known {
            let text = format!("dimension {d} of its result is {{0}}; it must be {{1}}");
            found.push(Claim::new(Relation::Equal, size.clone(), Sym::constant(known), text));
        }
    }
    let dims = sizes.dims(op.operand(0));
    let (from, to) = (sizes.product(dims.into_iter().map(Some)), sizes.product(wanted.into_iter().map(Some)));
    if let (Some(from), Some(to)) = (from, to) {
        found.push(Claim::new(
            Relation::Equal,
            from,
            to,
            "its operand has {0} elements, its result {1}; they must be equal".into(),
        ));
    }
    found
}

pub(super) fn dim(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let (index, rank) = (sizes.scalar(op.operand(1)), op.operand(0).ty().rank() as i64);
    vec![Claim::new(
        Relation::Inside,
        index,
        Sym::constant(rank),
        "dimension {0} of a tensor of rank {1} is asked for".into(),
    )]
}
