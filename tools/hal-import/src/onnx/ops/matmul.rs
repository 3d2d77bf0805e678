//! Matrix products.
use super::{
    Entry,
    integers::Integers,
    zero_points::{along, centred},
};
use crate::onnx::{Context, Dim, Elem, Iter, Node, Num, Outcome, Value, generic::map, problem::invalid};
use std::collections::BTreeMap;

pub(super) const OPS: &[Entry] =
    &[("MatMul", matmul), ("Gemm", gemm), ("MatMulInteger", matmul_integer), ("Einsum", einsum)];

fn matmul(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
    super::arithmetic::same_type(n, &a, &b)?;
    let elem = a.elem;
    let (axis, steps) = (b.rank().checked_sub(1).filter(|at| *at > 0), a.shape.last().and_then(Dim::get));
    if let Some(integers) = Integers::of(c, &a, &b, axis, steps)? {
        let sums = product(c, &integers.a, &integers.b)?;
        return Ok(vec![integers.floats(c, &sums, sums.rank().saturating_sub(1), None)?]);
    }
    let product = match super::stored::product(c, &a, &b, false)? {
        Some(product) => product,
        None => product(c, &a, &b)?,
    };
    Ok(vec![narrowed(c, &product, elem)?])
}

/// Converts from the accumulator's type.
pub(crate) fn narrowed(c: &mut Context<'_>, value: &Value, elem: Elem) -> Outcome<Value> {
    if value.elem == elem {
        return Ok(value.clone());
    }
    c.elementwise(std::slice::from_ref(value), elem, |b, v| b.cast(&v[0], elem))
}

/// The dimensions over which a product sums are of one size.
fn same_size(c: &mut Context<'_>, (a, i): (&Value, usize), (b, j): (&Value, usize)) -> Outcome<()> {
    match (a.shape[i].get(), b.shape[j].get()) {
        (Some(x), Some(y)) if x != y => invalid(format!("sizes {x} and {y} of the summed dimension differ")),
        _ => c.require_same((a, i), (b, j)),
    }
}

/// numpy's `matmul`, in the accumulator's type: rank 1 is a row or column, leading dimensions broadcast.
pub(crate) fn product(c: &mut Context<'_>, a: &Value, b: &Value) -> Outcome<Value> {
    let elem = a.elem.accumulator();
    if a.rank() == 0 || b.rank() == 0 {
        return invalid("an input is a scalar");
    }
    let (row, column) = (a.rank() == 1, b.rank() == 1);
    same_size(c, (a, a.rank() - 1), (b, if column { 0 } else { b.rank() - 2 }))?;
    let (a, b) = (&c.settle(a), &c.settle(b));
    let (batch_a, batch_b) = (&a.shape[..a.rank().saturating_sub(2)], &b.shape[..b.rank().saturating_sub(2)]);
    let batch = c.broadcast_shape(&[batch_a, batch_b])?;
    let (a, b) = (&batched(c, a, &batch)?, &batched(c, b, &batch)?);
    let mut shape = batch.clone();
    if !row {
        shape.push(a.shape[a.rank() - 2].clone());
    }
    if !column {
        shape.push(b.shape[b.rank() - 1].clone());
    }
    let init = c.filled(elem, &shape, Num::I(0));
    let named = match (a.rank(), b.rank()) {
        (2, 2) => Some("matmul"),
        (3, 3) if a.shape[0] == b.shape[0] => Some("batch_matmul"),
        (2, 1) => Some("matvec"),
        (1, 2) => Some("vecmat"),
        (1, 1) => Some("dot"),
        _ => None,
    };
    if let Some(name) = named.filter(|_| !a.elem.is_unsigned()) {
        let (x, y, out, ty) = (c.ssa(a), c.ssa(b), c.ssa(&init), init.ty());
        let text = format!("linalg.{name} ins({x}, {y} : {}, {}) outs({out} : {ty}) -> {ty}", a.ty(), b.ty());
        return Ok(c.value(text, elem, shape));
    }
    // Batch dimensions of size 1 that broadcast leave the operand and its map.
    let reduced = shape.len();
    let operand = |c: &mut Context<'_>, v: &Value, own: usize, last: &[usize]| -> Outcome<(Value, String)> {
        let skip = batch.len() - own;
        let mut dims = Vec::new();
        let mut kept = Vec::new();
        for i in 0..own {
            if v.shape[i] == batch[skip + i] {
                dims.push(skip + i);
                kept.push(v.shape[i].clone());
            }
        }
        kept.extend(v.shape[own..].iter().cloned());
        dims.extend(last);
        Ok((c.reshape(v, &kept)?, map(&dims)))
    };
    let rows = batch.len();
    let columns = batch.len() + usize::from(!row);
    let own = |v: &Value| v.rank().saturating_sub(2);
    let left = operand(c, a, own(a), &if row { vec![reduced] } else { vec![rows, reduced] })?;
    let right = operand(c, b, own(b), &if column { vec![reduced] } else { vec![reduced, columns] })?;
    let iters = [vec![Iter::Parallel; reduced], vec![Iter::Reduction]].concat();
    let all: Vec<_> = (0..reduced).collect();
    Ok(multiply_add(c, &iters, &[(&left.0, left.1), (&right.0, right.1)], &init, map(&all)))
}

/// A factor whose batch dimensions are of size 1 or those of the result; where a run decides which, it is broadcast.
fn batched(c: &mut Context<'_>, v: &Value, batch: &[Dim]) -> Outcome<Value> {
    let own = v.rank().saturating_sub(2);
    let wanted = &batch[batch.len() - own..];
    if (0..own).all(|i| v.shape[i] == wanted[i] || v.shape[i].is(1)) {
        return Ok(v.clone());
    }
    let label = v.label.clone();
    let wide = c.broadcast(v, &[wanted, &v.shape[own..]].concat())?;
    Ok(Value { label, ..wide })
}

/// `out += Π inputs` over an iteration space.
fn multiply_add(c: &mut Context<'_>, iters: &[Iter], ins: &[(&Value, String)], init: &Value, out: String) -> Value {
    c.generic(iters, ins, &[(init, out)], |b, v| {
        let (inputs, sum) = v.split_at(v.len() - 1);
        let mut product = b.cast(&inputs[0], init.elem);
        for factor in &inputs[1..] {
            let factor = b.cast(factor, init.elem);
            product = b.mul(&product, &factor);
        }
        vec![b.add(&sum[0], &product)]
    })
    .remove(0)
}

/// Computes `alpha · A' · B' + beta · C`.
fn gemm(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
    super::arithmetic::same_type(n, &a, &b)?;
    let (flip_a, flip_b) = (n.int("transA", 0) != 0, n.int("transB", 0) != 0);
    if a.rank() != 2 || b.rank() != 2 {
        return invalid(format!("the inputs have ranks {} and {}, not 2", a.rank(), b.rank()));
    }
    let elem = a.elem.accumulator();
    let (rows, inner) = if flip_a { (1, 0) } else { (0, 1) };
    let (inner_b, columns) = if flip_b { (1, 0) } else { (0, 1) };
    same_size(c, (&a, inner), (&b, inner_b))?;
    let (a, b) = (c.settle(&a), c.settle(&b));
    let shape = [a.shape[rows].clone(), b.shape[columns].clone()];
    let integers = Integers::of(c, &a, &b, Some(columns), a.shape[inner].get())?;
    let (float, a, b) = match &integers {
        Some(of) => (a.elem, of.a.clone(), of.b.clone()),
        None => (a.elem, a, b),
    };
    let elem_of_sum = a.elem.accumulator();
    let stored = if integers.is_none() && !flip_a { super::stored::product(c, &a, &b, flip_b)? } else { None };
    let mut sum = if let Some(sum) = stored {
        sum
    } else if flip_a || flip_b || a.elem.is_unsigned() {
        let init = c.filled(elem_of_sum, &shape, Num::I(0));
        let left = if flip_a { "d2, d0" } else { "d0, d2" };
        let right = if flip_b { "d1, d2" } else { "d2, d1" };
        let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
        multiply_add(c, &iters, &[(&a, left.into()), (&b, right.into())], &init, "d0, d1".into())
    } else {
        product(c, &a, &b)?
    };
    let (alpha, beta) = (n.float("alpha", 1.0), n.float("beta", 1.0));
    // Before opset 7 the bias broadcasts only if `broadcast` is set, in the same way.
    let mut bias = n.optional(2).filter(|v| beta != 0.0 && v.splat().is_none_or(|v| !v.is_zero())).cloned();
    if let Some(of) = integers {
        let with = (alpha, beta) == (1.0, 1.0) && bias.as_ref().is_some_and(|bias| bias.elem == Elem::F32);
        let bias = if with { bias.take() } else { None };
        sum = of.floats(c, &sum, 1, bias)?;
    }
    let mut inputs = vec![sum.clone()];
    inputs.extend(bias);
    if inputs.len() == 1 && alpha == 1.0 {
        return Ok(vec![narrowed(c, &sum, float)?]);
    }
    Ok(vec![c.elementwise_to(&shape, &inputs, float, |body, v| {
        let scale = |body: &mut crate::onnx::Body<'_>, v: &crate::onnx::Scalar, by: f64| {
            if by == 1.0 {
                return v.clone();
            }
            if elem.is_float() {
                let by = body.like(v, by);
                return body.mul(&by, v);
            }
            // The factors are floats whatever the elements are.
            let wide = body.cast(v, Elem::F64);
            let by = body.like(&wide, by);
            let scaled = body.mul(&by, &wide);
            body.cast(&scaled, elem)
        };
        let mut result = scale(body, &v[0], alpha);
        if let Some(bias) = v.get(1) {
            let bias = body.cast(bias, elem);
            let bias = scale(body, &bias, beta);
            result = body.add(&result, &bias);
        }
        body.cast(&result, float)
    })?])
}

fn matmul_integer(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, b) = (n.input(0)?.clone(), n.input(1)?.clone());
    // A zero point for each row of the first input, and for each column of the second.
    let zero_a = n
        .optional(2)
        .cloned()
        .map(|z| if a.rank() > 1 { along(c, &z, a.rank() - 2, a.rank()) } else { Ok(z) })
        .transpose()?;
    let a = centred(c, &a, zero_a.as_ref())?;
    let b = centred(c, &b, n.optional(3))?;
    Ok(vec![product(c, &a, &b)?])
}

/// `ij,jk->ik` and all of its kind, as one `linalg.generic`.
fn einsum(c: &mut Context<'_>, n: &Node) -> Outcome {
    let inputs = n.all()?;
    let Some(first) = inputs.first() else { return invalid("there is no input") };
    let equation: String = n.string("equation", "").chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = equation.split_once("->").map_or((&*equation, None), |(l, r)| (l, Some(r)));
    let terms: Vec<_> = left.split(',').collect();
    if terms.len() != inputs.len() {
        return invalid(format!("equation `{equation}` does not have a term for each of {} inputs", inputs.len()));
    }
    // An ellipsis represents the dimensions without letters, aligned at the end; superscript indices name them.
    let covered = terms
        .iter()
        .zip(&inputs)
        .filter(|(t, _)| t.contains("..."))
        .map(|(t, v)| (v.rank() + 3).saturating_sub(t.len()))
        .max()
        .unwrap_or(0);
    let dots = |count: usize| {
        (0..count).map(|i| char::from_u32(0x100 + (covered - count + i) as u32).unwrap_or('?')).collect::<String>()
    };
    let dotted = |t: &str, v: &Value| {
        if t.contains("...") { t.replace("...", &dots((v.rank() + 3).saturating_sub(t.len()))) } else { t.to_owned() }
    };
    let terms: Vec<String> = terms.iter().zip(&inputs).map(|(t, v)| dotted(t, v)).collect();
    let result: String = match right {
        Some(r) => r.replace("...", &dots(covered)),
        None => {
            let all: String = terms.concat();
            let mut once: Vec<char> =
                all.chars().filter(|l| l.is_ascii_alphabetic() && all.matches(*l).count() == 1).collect();
            once.sort_unstable();
            dots(covered) + &once.into_iter().collect::<String>()
        }
    };
    let mut sizes: BTreeMap<char, Dim> = BTreeMap::new();
    for (term, v) in terms.iter().zip(&inputs) {
        if term.chars().count() != v.rank() {
            return invalid(format!("equation `{equation}` does not fit input `{}`", v.ty()));
        }
        for (i, (letter, d)) in term.chars().zip(&v.shape).enumerate() {
            // A diagonal.
            if let Some(before) = term.chars().take(i).position(|l| l == letter) {
                c.require_same((v, before), (v, i))?;
            }
            let known = sizes.get(&letter).cloned().unwrap_or_else(|| d.clone());
            let size = c.broadcast_shape(&[&[known], std::slice::from_ref(d)])?.remove(0);
            sizes.insert(letter, size);
        }
    }
    sizes.values_mut().for_each(|d| *d = c.settle_dim(d));
    let mut order: Vec<char> = result.chars().collect();
    if order.iter().any(|l| !sizes.contains_key(l)) {
        return invalid(format!("equation `{equation}` has a result that no input names"));
    }
    let parallel = order.len();
    order.extend(sizes.keys().filter(|l| !result.contains(**l)));
    let at = |letter: char| order.iter().position(|l| *l == letter).expect("all letters are ordered");
    let mut operands = Vec::new();
    for (term, v) in terms.iter().zip(&inputs) {
        let v = &c.settle(v);
        // Whether a dimension is 1 only a run may know.
        let wide: Vec<_> =
            term.chars().zip(&v.shape).map(|(l, d)| if d.is(1) { d.clone() } else { sizes[&l].clone() }).collect();
        let v = &c.broadcast(v, &wide)?;
        let kept: Vec<_> = term.chars().enumerate().filter(|&(i, l)| !(v.shape[i].is(1) && !sizes[&l].is(1))).collect();
        let shape: Vec<_> = kept.iter().map(|&(i, _)| v.shape[i].clone()).collect();
        operands.push((c.reshape(v, &shape)?, map(&kept.iter().map(|&(_, l)| at(l)).collect::<Vec<_>>())));
    }
    let elem = first.elem.accumulator();
    let shape: Vec<_> = result.chars().map(|l| sizes[&l].clone()).collect();
    let init = c.filled(elem, &shape, Num::I(0));
    let iters = [vec![Iter::Parallel; parallel], vec![Iter::Reduction; order.len() - parallel]].concat();
    let ins: Vec<_> = operands.iter().map(|(v, m)| (v, m.clone())).collect();
    let sum = multiply_add(c, &iters, &ins, &init, map(&(0..parallel).collect::<Vec<_>>()));
    Ok(vec![narrowed(c, &sum, first.elem)?])
}
