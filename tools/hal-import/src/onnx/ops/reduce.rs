//! Reductions over axes.
use super::{
    Entry,
    matmul::narrowed,
    pool::{highest, lowest},
};
use crate::onnx::{
    Body, Context, Dim, Elem, Node, Num, Outcome, Scalar, Value,
    axes::{Axes, Named, choice},
    context::require::{Rule, shown},
    problem::unsupported,
};

pub(super) const OPS: &[Entry] = &[
    ("ReduceSum", |c, n| {
        reduce(c, n, |c, x, axes| sum(c, x, axes, |_, v| v.clone()).and_then(|s| narrowed(c, &s, x.elem)))
    }),
    ("ReduceMean", |c, n| reduce(c, n, mean)),
    ("ReduceMax", |c, n| {
        reduce(c, n, |c, x, axes| Ok(c.reduce(x, axes, x.elem, lowest(x.elem), |b, v, a| b.max(a, v))))
    }),
    ("ReduceMin", |c, n| {
        reduce(c, n, |c, x, axes| Ok(c.reduce(x, axes, x.elem, highest(x.elem), |b, v, a| b.min(a, v))))
    }),
    ("ReduceProd", |c, n| {
        reduce(c, n, |c, x, axes| {
            let elem = x.elem.accumulator();
            let product = c.reduce(x, axes, elem, Num::I(1), |b, v, a| {
                let v = b.cast(v, elem);
                b.mul(a, &v)
            });
            narrowed(c, &product, x.elem)
        })
    }),
    ("ReduceL1", |c, n| {
        reduce(c, n, |c, x, axes| sum(c, x, axes, |b, v| b.abs(v)).and_then(|s| narrowed(c, &s, x.elem)))
    }),
    ("ReduceL2", |c, n| {
        reduce(c, n, |c, x, axes| {
            let sum = sum(c, x, axes, |b, v| b.mul(v, v))?;
            finish(c, &sum, x.elem, |b, v| b.math("sqrt", v))
        })
    }),
    ("ReduceSumSquare", |c, n| {
        reduce(c, n, |c, x, axes| sum(c, x, axes, |b, v| b.mul(v, v)).and_then(|s| narrowed(c, &s, x.elem)))
    }),
    ("ReduceLogSum", |c, n| {
        reduce(c, n, |c, x, axes| {
            let sum = sum(c, x, axes, |_, v| v.clone())?;
            finish(c, &sum, x.elem, |b, v| b.math("log", v))
        })
    }),
    ("ReduceLogSumExp", |c, n| reduce(c, n, log_sum_exp)),
];

/// The axes of a node (attribute before opset 13 or 18, input from there), and what to do with the result's shape.
fn reduce(
    c: &mut Context<'_>,
    n: &Node,
    f: impl FnOnce(&mut Context<'_>, &Value, &[usize]) -> Outcome<Value>,
) -> Outcome {
    let x = n.input(0)?.clone();
    let mut axes = match Axes::of(n, "axes", 1, x.rank())? {
        Some(Axes::Known(axes)) => axes,
        Some(Axes::Data(list)) => match at_run(c, n, &x, &list)? {
            Plan::Static(axes) => axes,
            Plan::Run(named) => return Ok(vec![reduce_named(c, n, &x, &list, &named, f)?]),
        },
        // The other operations of this family map the element even so.
        None if n.int("noop_with_empty_axes", 0) != 0 => Vec::new(),
        None => (0..x.rank()).collect(),
    };
    axes.sort_unstable();
    axes.dedup();
    // Shape arithmetic of exporters: the product or sum of sizes.
    if let (Some(dims), true) =
        (x.as_dims().filter(|d| d.len() <= 64), axes.len() == x.rank() && x.rank() == 1 && !x.elem.is_unsigned())
    {
        let folded = match n.op.as_str() {
            "ReduceProd" => Some(c.product(&dims)),
            "ReduceSum" => Some(dims.iter().fold(Dim::fixed(0), |a, b| a.plus(b))),
            "ReduceMax" if !dims.is_empty() => Some(dims[1..].iter().fold(dims[0].clone(), |a, b| c.size_max(&a, b))),
            "ReduceMin" if !dims.is_empty() => Some(dims[1..].iter().fold(dims[0].clone(), |a, b| c.size_min(&a, b))),
            _ => None,
        };
        if let Some(folded) = folded {
            let shape = if n.int("keepdims", 1) != 0 { vec![Dim::fixed(1)] } else { Vec::new() };
            return Ok(vec![Value::dims(x.elem, shape, vec![folded])]);
        }
    }
    // The largest or smallest of nothing is an infinity, its mean undefined.
    if n.op == "ReduceMean" {
        some(c, &x, &axes, "mean")?;
    }
    let result = f(c, &x, &axes)?;
    if n.int("keepdims", 1) == 0 {
        return Ok(vec![result]);
    }
    let shape: Vec<_> =
        x.shape.iter().enumerate().map(|(i, d)| if axes.contains(&i) { Dim::fixed(1) } else { d.clone() }).collect();
    Ok(vec![c.reshape(&result, &shape)?])
}

/// How axes that are data are reduced.
enum Plan {
    /// There is no other choice; the run checks it.
    Static(Vec<usize>),
    Run(Named),
}

/// Plans a reduction over axes that are read at run time.
fn at_run(c: &mut Context<'_>, n: &Node, x: &Value, list: &Value) -> Outcome<Plan> {
    let (shape, declared) = (c.settle_shape(&x.shape), n.declared.first().and_then(Option::as_deref));
    let mut named = c.read_axes(list, shape.len())?;
    if let (Some(none), 0) = (&named.none, n.int("noop_with_empty_axes", 0)) {
        // An empty list means all axes.
        let none = none.clone();
        for flag in &mut named.flags {
            *flag = c.and_or("ori", flag, &none);
        }
    }
    let keeps = n.int("keepdims", 1) != 0;
    let only = choice(&shape, named.count, keeps, declared)?;
    if let Some(axes) = only {
        c.require_choice(list, &named, &shape, &axes)?;
        return Ok(Plan::Static(axes));
    }
    Ok(Plan::Run(named))
}

/// A reduction over axes that only the run knows. A single one splits the shape in three; else the dimensions that are
/// reduced go behind the others.
fn reduce_named(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    list: &Value,
    named: &Named,
    f: impl FnOnce(&mut Context<'_>, &Value, &[usize]) -> Outcome<Value>,
) -> Outcome<Value> {
    let x = &c.settle(x);
    let shape = if n.int("keepdims", 1) != 0 {
        x.shape.iter().zip(&named.flags).map(|(d, flag)| c.choose(flag, &Dim::fixed(1), d)).collect()
    } else {
        let left = c.rank_without(named, x.rank(), n.declared_rank(0), list)?;
        c.unnamed_sizes(&x.shape, &named.flags, left)
    };
    let (view, axes) = match &named.only {
        Some(axis) => (c.around(x, axis), vec![1]),
        None => (c.named_last(x, &named.flags), (x.rank()..2 * x.rank()).collect()),
    };
    if n.op == "ReduceMean" {
        some(c, &view, &axes, "mean")?;
    }
    let result = f(c, &view, &axes)?;
    let result = c.regroup(&result, &shape);
    c.as_declared(result, n.declared.first().and_then(Option::as_deref))
}

/// There are elements to be reduced, wherever there is a result.
pub(super) fn some(c: &mut Context<'_>, x: &Value, axes: &[usize], what: &str) -> Outcome<()> {
    let kept: Vec<_> = (0..x.rank()).filter(|i| !axes.contains(i)).map(|i| x.shape[i].clone()).collect();
    let (count, results) = (c.product(axes.iter().map(|&a| &x.shape[a])), c.product(&kept));
    let axes: Vec<_> = axes.iter().map(ToString::to_string).collect();
    let dimensions = if axes.len() == 1 { "dimension" } else { "dimensions" };
    let text =
        format!("{dimensions} {} of {} have {{0}} elements, of which there is no {what}", axes.join(", "), shown(x));
    let text = if axes.len() == 1 { text.replace(" have ", " has ") } else { text };
    c.require(Rule::NotZeroUnless(count.clone(), results), &text, &[&count])
}

/// The sum of `f` of the elements, in the accumulator's type.
pub(super) fn sum(
    c: &mut Context<'_>,
    x: &Value,
    axes: &[usize],
    f: impl FnOnce(&mut Body<'_>, &Scalar) -> Scalar,
) -> Outcome<Value> {
    if x.elem == Elem::Bool {
        return unsupported("the elements are bools");
    }
    let elem = x.elem.accumulator();
    Ok(c.reduce(x, axes, elem, Num::I(0), |b, v, a| {
        let wide = b.cast(v, elem);
        let v = f(b, &wide);
        b.add(a, &v)
    }))
}

/// An elementwise end of a reduction, back from the accumulator's type.
fn finish(
    c: &mut Context<'_>,
    x: &Value,
    elem: Elem,
    f: impl FnOnce(&mut Body<'_>, &Scalar) -> Scalar,
) -> Outcome<Value> {
    let float = if x.elem.is_float() { x.elem } else { Elem::F64 };
    c.elementwise(std::slice::from_ref(x), elem, |b, v| {
        let wide = b.cast(&v[0], float);
        let result = f(b, &wide);
        b.cast(&result, elem)
    })
}

/// Returns the number of elements that each result sums, as a scalar of a type.
pub(super) fn count(c: &mut Context<'_>, x: &Value, axes: &[usize]) -> (Dim, String) {
    let count = c.product(axes.iter().map(|&a| &x.shape[a]));
    let ssa = if count.get().is_some() { String::new() } else { c.index(&count) };
    (count, ssa)
}

/// Computes `sum / count` in a body.
pub(super) fn over(b: &mut Body<'_>, sum: &Scalar, count: &(Dim, String)) -> Scalar {
    let count = match count.0.get() {
        Some(n) => b.like(sum, n as f64),
        None => {
            let index = Scalar::index(&count.1);
            b.cast(&index, sum.elem.expect("an element"))
        }
    };
    b.div(sum, &count)
}

/// The mean, in the type of the elements.
pub(super) fn mean(c: &mut Context<'_>, x: &Value, axes: &[usize]) -> Outcome<Value> {
    let total = sum(c, x, axes, |_, v| v.clone())?;
    let count = count(c, x, axes);
    c.elementwise(&[total], x.elem, |b, v| {
        let mean = over(b, &v[0], &count);
        b.cast(&mean, x.elem)
    })
}

/// `max + log Σ exp(x - max)`, which does not overflow.
fn log_sum_exp(c: &mut Context<'_>, x: &Value, axes: &[usize]) -> Outcome<Value> {
    if !x.elem.is_float() {
        return unsupported(format!("the elements are of type {:?}", x.elem));
    }
    let most = c.reduce(x, axes, x.elem, lowest(x.elem), |b, v, a| b.max(a, v));
    // If all elements are -∞, their maximum must not be subtracted.
    let elem = x.elem;
    let most = c.elementwise(&[most], elem, |b, v| {
        let (low, zero) = (b.like(&v[0], f64::NEG_INFINITY), b.like(&v[0], 0.0));
        let none = b.compare(crate::onnx::Order::Eq, &v[0], &low);
        b.select(&none, &zero, &v[0])
    })?;
    let shape: Vec<_> =
        x.shape.iter().enumerate().map(|(i, d)| if axes.contains(&i) { Dim::fixed(1) } else { d.clone() }).collect();
    let spread = c.reshape(&most, &shape)?;
    let powers = c.elementwise_to(&x.shape.clone(), &[x.clone(), spread], elem, |b, v| {
        let less = b.sub(&v[0], &v[1]);
        b.math("exp", &less)
    })?;
    let total = sum(c, &powers, axes, |_, v| v.clone())?;
    c.elementwise(&[total, most], elem, |b, v| {
        let log = b.math("log", &v[0]);
        let log = b.cast(&log, elem);
        b.add(&log, &v[1])
    })
}
