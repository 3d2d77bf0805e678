//! Constants.
use super::Entry;
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Tensor, Value,
    context::require::Rule,
    generic::map,
    problem::{invalid, unsupported},
    strings,
};

pub(super) const OPS: &[Entry] = &[
    ("Constant", constant),
    ("ConstantOfShape", constant_of_shape),
    ("Identity", |_, n| match n.optional(0) {
        Some(v) => Ok(vec![v.clone()]),
        None => invalid("input 0 is missing"),
    }),
    ("Dropout", dropout),
    ("EyeLike", eye_like),
    ("Range", range),
    ("OneHot", one_hot),
];

fn constant(c: &mut Context<'_>, n: &Node) -> Outcome {
    if let Some(strings) = n.string_tensor("value") {
        return Ok(vec![strings::constant(strings)?]);
    }
    if n.has("value_string") {
        let one = Value::of_words(vec![n.string("value_string", "")]);
        let words = one.words.clone();
        return Ok(vec![Value { words, ..c.reshape(&one, &[])? }]);
    }
    if let Some(list) = n.strings("value_strings") {
        return Ok(vec![Value::of_words(list)]);
    }
    let ints = |list: &[i64]| Tensor::from_ints(Elem::I64, list);
    let tensor = if let Some(tensor) = n.tensor("value", &mut c.loader)? {
        tensor
    } else if let Some(tensor) = n.tensor("sparse_value", &mut c.loader)? {
        tensor
    } else if n.has("value_float") {
        Tensor::scalar(Elem::F32, Num::F(n.float("value_float", 0.0)))
    } else if n.has("value_int") {
        Tensor::scalar(Elem::I64, Num::I(n.int("value_int", 0).into()))
    } else if let Some(list) = n.floats("value_floats") {
        Tensor::from_numbers(Elem::F32, vec![list.len()], list.into_iter().map(|v| Num::F(v.into())))
    } else if let Some(list) = n.ints("value_ints") {
        ints(&list)
    } else {
        return unsupported("its value is not a tensor of numbers");
    };
    Ok(vec![Value::constant(tensor.named(None))])
}

fn constant_of_shape(c: &mut Context<'_>, n: &Node) -> Outcome {
    let value = n.tensor("value", &mut c.loader)?;
    let (elem, number) = value.as_ref().map_or((Elem::F32, Num::F(0.0)), |t| (t.elem, t.get(0)));
    let shape = c.read_list(n.input(0)?, n.declared_rank(0), "the shape (input 0)")?;
    for (i, d) in shape.iter().enumerate() {
        c.require_count(d, &format!("size {i} of the shape"))?;
    }
    filled(c, elem, &shape, number).map(|v| vec![v])
}

fn filled(c: &mut Context<'_>, elem: Elem, shape: &[Dim], number: Num) -> Outcome<Value> {
    let Some(fixed) = crate::onnx::dims::fixed(shape) else { return Ok(c.filled(elem, shape, number)) };
    match fixed.iter().map(|&d| usize::try_from(d).ok()).collect::<Option<Vec<_>>>() {
        Some(shape) => Ok(Value::constant(Tensor::splat(elem, shape, number))),
        None => invalid(format!("the shape {fixed:?} has a negative size")),
    }
}

/// Does nothing when a model runs; the mask, where asked for, is all true.
fn dropout(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, ratio) = (n.input(0)?.clone(), n.optional(1));
    if let Some(training) = n.optional(2) {
        let on = training.splat().is_none_or(|v| !v.is_zero());
        // A ratio of 0 drops nothing even then.
        if on && ratio.and_then(Value::splat).is_none_or(|ratio| !ratio.is_zero()) {
            return super::random::dropout(c, n, ratio, training);
        }
    }
    let mut results = vec![x.clone()];
    if n.wants(1) {
        let elem = if n.opset < 10 { x.elem } else { Elem::Bool };
        results.push(filled(c, elem, &x.shape, Num::I(1))?);
    }
    Ok(results)
}

fn eye_like(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let elem = if n.has("dtype") {
        Elem::from_onnx(n.int("dtype", 1) as i32).or_else(|t| unsupported(format!("its element type is {t}")))?
    } else {
        x.elem
    };
    let k = n.int("k", 0);
    if x.rank() != 2 {
        return invalid(format!("the input has rank {}, not 2", x.rank()));
    }
    let out = c.empty(elem, &x.shape);
    let result = c.generic(&[Iter::Parallel; 2], &[], &[(&out, map(&[0, 1]))], |b, _| {
        let (row, column, k) = (b.position(0), b.position(1), b.index_constant(k));
        let diagonal = b.add(&row, &k);
        let on = b.compare(Order::Eq, &diagonal, &column);
        let (one, zero) = (b.number(elem, Num::I(1)), b.number(elem, Num::I(0)));
        vec![b.select(&on, &one, &zero)]
    });
    Ok(result)
}

fn range(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (start, limit, delta) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let elem = start.elem;
    if let (Some(a), Some(b), Some(d)) = (start.splat(), limit.splat(), delta.splat()) {
        if d.is_zero() {
            return invalid("`delta` is 0");
        }
        let count = ((b.float() - a.float()) / d.float()).ceil().max(0.0) as usize;
        if count > 1 << 16 {
            return ramp(c, elem, Dim::fixed(count as i64), &start, &delta);
        }
        let numbers = (0..count).map(|i| match (a, d) {
            (Num::I(a), Num::I(d)) => Num::I(a + i as i128 * d),
            _ => Num::F(a.float() + i as f64 * d.float()),
        });
        return Ok(vec![Value::constant(Tensor::from_numbers(elem, vec![count], numbers))]);
    }
    if elem.is_float() {
        // The length, computed as the specification says, when the program runs.
        let values = [start.clone(), limit, delta.clone()];
        let mut read = Vec::new();
        for v in &values {
            let flat = c.reshape(v, &[])?;
            let ssa = c.ssa(&flat);
            read.push(c.body().extract(&ssa, &flat.ty(), elem, &[]));
        }
        let mut b = c.body();
        let zero = b.like(&read[2], 0.0);
        let moves = b.compare(Order::Eq, &read[2], &zero);
        let moves = b.not(&moves);
        let span = b.sub(&read[1], &read[0]);
        let ratio = b.div(&span, &read[2]);
        let steps = b.math("ceil", &ratio);
        let zero = b.like(&steps, 0.0);
        let steps = b.max(&steps, &zero);
        // Neither NaN nor more than memory holds.
        let most = b.like(&steps, if elem == Elem::F16 { 65_504.0 } else { 1e15 });
        let counts = b.compare(Order::Le, &steps, &most);
        let fine = b.and(&moves, &counts);
        let values: Vec<_> = read.iter().map(|v| Ok((v.name.clone(), elem.mlir()))).collect();
        c.check_values(&fine.name, "from {0} to {1} in steps of {2} there is no end", &values);
        let mut b = c.body();
        let count = b.cast(&steps, Elem::I64);
        let count = b.to_index(&count).name;
        let count = c.fresh_symbol(count);
        return ramp(c, elem, count, &start, &delta);
    }
    let one = |c: &mut Context<'_>, v: &Value| -> Outcome<Dim> {
        let flat = c.reshape(v, &[])?;
        Ok(c.read_dims(&flat)?.remove(0))
    };
    let (a, b, d) = (one(c, &start)?, one(c, &limit)?, one(c, &delta)?);
    let span = b.minus(&a);
    let count = match d.get() {
        Some(0) => return invalid("`delta` is 0"),
        Some(d) => {
            let up = if d > 0 { span.offset(d - 1) } else { span.offset(d + 1) };
            c.size_over(&up, &Dim::fixed(d))
        }
        None => {
            c.require(Rule::NotZero(d.clone()), "`delta` is {0}", &[&d])?;
            let (x, y) = (c.index(&span), c.index(&d));
            let count = c.w.value(format!("arith.ceildivsi {x}, {y} : index"));
            c.fresh_number(count)
        }
    };
    let count = c.size_max(&count, &Dim::fixed(0));
    ramp(c, elem, count, &start, &delta)
}

fn ramp(c: &mut Context<'_>, elem: Elem, count: Dim, start: &Value, delta: &Value) -> Outcome {
    let (start, delta) = (c.reshape(start, &[])?, c.reshape(delta, &[])?);
    Ok(vec![c.elementwise_to(&[count], &[start, delta], elem, |b, v| {
        let at = b.position(0);
        let at = b.cast(&at, elem);
        let part = b.mul(&at, &v[1]);
        b.add(&v[0], &part)
    })?])
}

fn one_hot(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (indices, depth, values) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let depth = c.read_dim(&depth)?;
    c.require_count(&depth, "`depth`")?;
    if values.rank() != 1 {
        return invalid(format!("the values of type `{}` are not a list of two", values.ty()));
    }
    c.require_size((&values, 0), &Dim::fixed(2), "one for off and one for on")?;
    let values = c.settle(&values);
    let axis = n.axis(n.int("axis", -1), indices.rank() + 1)?;
    let mut shape = indices.shape.clone();
    shape.insert(axis, depth.clone());
    let mut spread = indices.shape.clone();
    spread.insert(axis, Dim::fixed(1));
    let indices = c.reshape(&indices, &spread)?;
    let (off, on) = (c.take(&values, 0, &Dim::fixed(0))?, c.take(&values, 0, &Dim::fixed(1))?);
    let depth = c.index(&depth);
    let result = c.elementwise_to(&shape, &[indices, off, on], values.elem, |b, v| {
        // Indices count from the end if negative; those out of range are off everywhere.
        let index = b.cast(&v[0], Elem::I64);
        let index = crate::onnx::Scalar::index(b.to_index(&index).name);
        let index = crate::onnx::ops::gather::from_end(b, &index, &crate::onnx::Scalar::index(&depth));
        let here = b.position(axis);
        let hit = b.compare(Order::Eq, &index, &here);
        b.select(&hit, &v[2], &v[1])
    })?;
    Ok(vec![result])
}
