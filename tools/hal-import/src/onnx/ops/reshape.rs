//! Changes shapes: `Reshape`, whose sizes may be data, and `Flatten`.
use super::Entry;
use crate::onnx::{Context, Dim, Node, Outcome, Value, context::require::shown, problem::invalid};

pub(super) const OPS: &[Entry] = &[("Reshape", reshape), ("Flatten", flatten)];

fn reshape(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let wanted = match n.ints("shape") {
        Some(list) => list.into_iter().map(Dim::fixed).collect(),
        None => c.read_list(n.input(1)?, n.declared_rank(0), "`shape` (input 1)")?,
    };
    let keep_zero = n.int("allowzero", 0) != 0;
    // The declared shape of the result replaces a shape that is known only at run time.
    let declared = n.declared_shape(0).filter(|_| wanted.iter().any(|d| d.get().is_none() && !c.is_size(d)));
    if let Some(shape) = declared
        && x.count().is_some_and(|n| shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d)) == Some(n))
    {
        let shape: Vec<_> = shape.iter().map(|&d| Dim::fixed(d)).collect();
        declared_is_wanted(c, &x, &wanted, &shape, keep_zero)?;
        return Ok(vec![c.reshape(&x, &shape)?]);
    }
    let mut shape = Vec::new();
    let mut inferred = None;
    for (i, d) in wanted.iter().enumerate() {
        shape.push(match d.get() {
            Some(-1) if inferred.is_some() => return invalid("two sizes are -1"),
            Some(-1) => {
                inferred = Some(i);
                Dim::fixed(1)
            }
            Some(0) if !keep_zero => match x.shape.get(i) {
                Some(d) => d.clone(),
                None => {
                    return invalid(format!(
                        "size 0 at {i} copies a dimension that the input of rank {} does not have",
                        x.rank()
                    ));
                }
            },
            Some(s) if s < -1 => return invalid(format!("size {s} is negative")),
            Some(_) => d.clone(),
            // Decided at run time, where 0 and -1 are distinguished from sizes.
            // A size of the model that is 0 at run time makes an empty tensor: it is used as a size, not as a copy of
            // the input's.
            None if c.is_size(d) => d.clone(),
            None => return reshape_at_run(c, n, &x, &wanted),
        });
    }
    if let Some(at) = inferred {
        shape[at] = quotient(c, &x, &shape)?;
    }
    Ok(vec![c.reshape(&x, &shape)?])
}

/// Requires that a shape that is read at run time is the declared one, except for entries that copy a size of the
/// input or take the rest.
fn declared_is_wanted(c: &mut Context<'_>, x: &Value, wanted: &[Dim], shape: &[Dim], keep_zero: bool) -> Outcome<()> {
    if wanted.len() != shape.len() {
        return invalid(format!("there are {} sizes, the model declares {}", wanted.len(), shape.len()));
    }
    for (i, (d, declared)) in wanted.iter().zip(shape).enumerate() {
        let copies = !keep_zero && x.shape.get(i) == Some(declared);
        if d == declared || d.is(-1) || (copies && d.is(0)) {
            continue;
        }
        let (own, minus, zero, size) =
            (c.index(d), c.index(&Dim::fixed(-1)), c.index(&Dim::fixed(0)), c.index(declared));
        let (same, open) = (
            c.w.value(format!("arith.cmpi eq, {own}, {size} : index")),
            c.w.value(format!("arith.cmpi eq, {own}, {minus} : index")),
        );
        let mut fine = c.w.value(format!("arith.ori {same}, {open} : i1"));
        if copies {
            let copied = c.w.value(format!("arith.cmpi eq, {own}, {zero} : index"));
            fine = c.w.value(format!("arith.ori {fine}, {copied} : i1"));
        }
        let text = format!("size {i} of the shape is {{0}}, where the model declares {{1}}");
        c.check_values(&fine, &text, &[Ok((own, "index")), Ok((size, "index"))]);
    }
    Ok(())
}

/// The size that a shape leaves open: the elements over the product of the other sizes.
fn quotient(c: &mut Context<'_>, x: &Value, shape: &[Dim]) -> Outcome<Dim> {
    let mut above = c.settle_shape(&x.shape);
    let mut below = c.settle_shape(shape);
    // Equal factors cancel, so that `[N, 4] → [N, -1]` stays static.
    below.retain(|d| match above.iter().position(|a| a == d) {
        Some(i) => {
            above.remove(i);
            false
        }
        None => true,
    });
    let (whole, part) = (c.product(&above), c.product(&below));
    match (whole.get(), part.get()) {
        (_, Some(0)) => Ok(Dim::fixed(0)),
        (Some(a), Some(b)) if a % b != 0 => invalid(format!("{a} elements are not a multiple of {b}")),
        _ => {
            let text = format!("{} has {{0}} elements for sizes that make {{1}}: no size fits for -1", shown(x));
            c.quotient(&whole, &part, &text)
        }
    }
}

/// A reshape whose sizes are data. One of them may be -1, any may be 0.
fn reshape_at_run(c: &mut Context<'_>, n: &Node, x: &Value, wanted: &[Dim]) -> Outcome {
    let copies = n.int("allowzero", 0) == 0;
    let (zero, minus, one) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(-1)), c.index(&Dim::fixed(1)));
    let mut sizes = Vec::new();
    for (i, d) in wanted.iter().enumerate() {
        let mut ssa = c.index(d);
        if let Some(own) = x.shape.get(i).filter(|_| copies) {
            let own = c.index(own);
            let is_zero = c.w.value(format!("arith.cmpi eq, {ssa}, {zero} : index"));
            ssa = c.w.value(format!("arith.select {is_zero}, {own}, {ssa} : index"));
        }
        sizes.push(ssa);
    }
    let (mut known, mut left_open) = (one.clone(), zero.clone());
    for (i, ssa) in sizes.iter().enumerate() {
        let fine = c.w.value(format!("arith.cmpi sge, {ssa}, {minus} : index"));
        c.check_values(
            &fine,
            &format!("size {i} of the shape is {{0}}, which is negative"),
            &[Ok((ssa.clone(), "index"))],
        );
        let open = c.w.value(format!("arith.cmpi eq, {ssa}, {minus} : index"));
        let more = c.w.value(format!("arith.select {open}, {one}, {zero} : index"));
        left_open = c.w.value(format!("arith.addi {left_open}, {more} : index"));
        let factor = c.w.value(format!("arith.select {open}, {one}, {ssa} : index"));
        known = c.w.value(format!("arith.muli {known}, {factor} : index"));
    }
    let fine = c.w.value(format!("arith.cmpi sle, {left_open}, {one} : index"));
    c.check_values(&fine, "{0} sizes of the shape are -1", &[Ok((left_open.clone(), "index"))]);
    let product = known.clone();
    // An empty tensor would divide by zero.
    let known = c.w.value(format!("arith.maxsi {known}, {one} : index"));
    let all = c.product(&x.shape);
    let all = c.index(&all);
    let rest = c.w.value(format!("arith.divsi {all}, {known} : index"));
    let any_open = c.w.value(format!("arith.cmpi eq, {left_open}, {one} : index"));
    let last = c.w.value(format!("arith.select {any_open}, {rest}, {one} : index"));
    let made = c.w.value(format!("arith.muli {product}, {last} : index"));
    let equal = c.w.value(format!("arith.cmpi eq, {made}, {all} : index"));
    // Nothing tells the size that is left open from the product 0.
    let some = c.w.value(format!("arith.cmpi ne, {product}, {zero} : index"));
    let closed = c.w.value(format!("arith.cmpi eq, {left_open}, {zero} : index"));
    let clear = c.w.value(format!("arith.ori {some}, {closed} : i1"));
    let fine = c.w.value(format!("arith.andi {equal}, {clear} : i1"));
    let text = format!("{} has {{0}} elements, which do not fit a shape of {{1}}", shown(x));
    c.check_values(&fine, &text, &[Ok((all.clone(), "index")), Ok((product.clone(), "index"))]);
    let (mut shape, mut names) = (Vec::new(), Vec::new());
    for ssa in sizes {
        let open = c.w.value(format!("arith.cmpi eq, {ssa}, {minus} : index"));
        let size = c.w.value(format!("arith.select {open}, {rest}, {ssa} : index"));
        names.push(size.clone());
        shape.push(c.fresh_symbol(size));
    }
    // How dimensions group is not known, so this is neither an expansion nor a collapse.
    let list = c.w.value(format!("tensor.from_elements {} : tensor<{}xindex>", names.join(", "), names.len()));
    let (ssa, result) = (c.ssa(x), crate::onnx::value::tensor_type(x.elem, &shape));
    let text = format!("tensor.reshape {ssa}({list}) : ({}, tensor<{}xindex>) -> {result}", x.ty(), names.len());
    Ok(vec![c.value(text, x.elem, shape)])
}

fn flatten(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let axis = n.int("axis", 1);
    let axis = if axis == x.rank() as i64 { x.rank() } else { n.axis(axis, x.rank())? };
    let shape = [c.product(&x.shape[..axis]), c.product(&x.shape[axis..])];
    Ok(vec![c.reshape(&x, &shape)?])
}
