//! Poolings.
use super::{Entry, dequantised::selected, window::Window};
use crate::onnx::{
    Body, Context, Dim, Elem, Node, Num, Order, Outcome, Scalar, Tensor, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("MaxPool", max_pool),
    ("AveragePool", average_pool),
    ("LpPool", lp_pool),
    ("GlobalMaxPool", |c, n| {
        global(c, n, |c, x, axes| {
            let start = lowest(x.elem);
            Ok(c.reduce(x, axes, x.elem, start, |b, v, a| b.max(a, v)))
        })
    }),
    ("GlobalAveragePool", |c, n| global(c, n, super::reduce::mean)),
    ("GlobalLpPool", |c, n| {
        let p = n.int("p", 2) as f64;
        global(c, n, |c, x, axes| {
            let sum = c.reduce(x, axes, x.elem.accumulator(), Num::I(0), |b, v, a| {
                let power = power(b, v, p, a.elem);
                b.add(a, &power)
            });
            root(c, &sum, p, x.elem)
        })
    }),
];

/// Returns the neutral element of a maximum.
pub(crate) fn lowest(elem: Elem) -> Num {
    match elem {
        e if e.is_float() => Num::F(f64::NEG_INFINITY),
        e if e.is_unsigned() => Num::I(0),
        e => Num::I(-(1 << (e.bits() - 1))),
    }
}

/// Returns the neutral element of a minimum.
pub(crate) fn highest(elem: Elem) -> Num {
    match elem {
        e if e.is_float() => Num::F(f64::INFINITY),
        e if e.is_unsigned() => Num::I((1 << e.bits()) - 1),
        e => Num::I((1 << (e.bits() - 1)) - 1),
    }
}

fn window(c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome<Window> {
    if x.rank() < 3 {
        return invalid(format!("the input has rank {}, less than 3", x.rank()));
    }
    let Some(kernel) = n.ints("kernel_shape") else { return invalid("`kernel_shape` is missing") };
    Window::of(c, n, &x.shape[2..], kernel)
}

/// The named operation for a pooling of signless or float elements, if there is one.
fn named(c: &mut Context<'_>, what: &str, padded: &Value, window: &Window, elem: Elem, start: Num) -> Option<Value> {
    let name = match window.rank() {
        1 => format!("pooling_ncw_{what}"),
        2 => format!("pooling_nchw_{what}"),
        _ => return None,
    };
    let shape = [padded.shape[..2].to_vec(), window.output.clone()].concat();
    let init = c.filled(elem, &shape, start);
    let shape_only = window.shape_only(c, padded.elem);
    let (x, w, out, ty) = (c.ssa(padded), c.ssa(&shape_only), c.ssa(&init), init.ty());
    let text = format!(
        "linalg.{name} {} ins({x}, {w} : {}, {}) outs({out} : {ty}) -> {ty}",
        window.attributes(),
        padded.ty(),
        shape_only.ty()
    );
    Some(c.value(text, elem, shape))
}

fn max_pool(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let alone = (!n.wants(1)).then(|| selected(c, n, &x, max_pool_of)).flatten();
    alone.unwrap_or_else(|| max_pool_of(c, n, &x))
}

fn max_pool_of(c: &mut Context<'_>, n: &Node, x: &Value) -> Outcome {
    let window = window(c, n, x)?;
    let start = lowest(x.elem);
    let padded = window.pad(c, x, start);
    if n.wants(1) {
        return max_with_indices(c, n, x, &padded, &window);
    }
    if !x.elem.is_unsigned()
        && let Some(result) = named(c, "max", &padded, &window, x.elem, start)
    {
        return Ok(vec![result]);
    }
    Ok(window.reduce(c, &padded, &[(x.elem, start)], |b, v| vec![b.max(&v[1], &v[0])]))
}

/// The second result is the position of each maximum in the whole input, row-major, or with the spatial dimensions in
/// column-major order where `storage_order` is 1.
fn max_with_indices(c: &mut Context<'_>, n: &Node, x: &Value, padded: &Value, window: &Window) -> Outcome {
    let rank = window.rank();
    let column_major = n.int("storage_order", 0) != 0;
    let mut order: Vec<_> = (0..rank).collect();
    if column_major {
        order.reverse();
    }
    let low: Vec<_> = window.low.iter().map(|d| Scalar::index(c.index(d))).collect();
    let sizes: Vec<_> = x.shape.iter().map(|d| Scalar::index(c.index(d))).collect();
    let starts = [(x.elem, lowest(x.elem)), (Elem::I64, Num::I(-1))];
    let (strides, dilations) = (window.strides.clone(), window.dilations.clone());
    Ok(window.reduce(c, padded, &starts, |b, v| {
        let zero = b.index_constant(0);
        let mut inside: Option<Scalar> = None;
        let mut places = Vec::new();
        for d in 0..rank {
            let (o, k) = (b.position(2 + d), b.position(2 + rank + d));
            let (stride, dilation) = (b.index_constant(strides[d]), b.index_constant(dilations[d]));
            let (begin, step) = (b.mul(&o, &stride), b.mul(&k, &dilation));
            let sum = b.add(&begin, &step);
            let place = b.sub(&sum, &low[d]);
            for check in [b.compare(Order::Ge, &place, &zero), b.compare(Order::Lt, &place, &sizes[2 + d])] {
                inside = Some(match inside {
                    Some(before) => b.and(&before, &check),
                    None => check,
                });
            }
            places.push(place);
        }
        let (batch, channel) = (b.position(0), b.position(1));
        let first = b.mul(&batch, &sizes[1]);
        let mut flat = b.add(&first, &channel);
        for &d in &order {
            let scaled = b.mul(&flat, &sizes[2 + d]);
            flat = b.add(&scaled, &places[d]);
        }
        let flat = b.cast(&flat, Elem::I64);
        let greater = b.compare(Order::Gt, &v[0], &v[1]);
        let none = b.int(Elem::I64, 0);
        let nothing_yet = b.compare(Order::Lt, &v[2], &none);
        let better = b.or(&greater, &nothing_yet);
        // Of equal elements the first counts, in any order of traversal.
        let (equal, before) = (b.compare(Order::Eq, &v[0], &v[1]), b.compare(Order::Lt, &flat, &v[2]));
        let tie = b.and(&equal, &before);
        let better = b.or(&better, &tie);
        let take = match &inside {
            Some(inside) => b.and(inside, &better),
            None => better,
        };
        vec![b.select(&take, &v[0], &v[1]), b.select(&take, &flat, &v[2])]
    }))
}

fn average_pool(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let window = window(c, n, &x)?;
    let include = n.int("count_include_pad", 0) != 0;
    let elem = x.elem.accumulator();
    let padded = window.pad(c, &x, Num::I(0));
    let sum = match named(c, "sum", &padded, &window, elem, Num::I(0)) {
        Some(sum) => sum,
        None => window
            .reduce(c, &padded, &[(elem, Num::I(0))], |b, v| {
                let wide = b.cast(&v[0], elem);
                vec![b.add(&v[1], &wide)]
            })
            .remove(0),
    };
    // How many elements each window counts is a product of one factor for each dimension.
    let (mut constant, mut inputs, mut dynamic) = (1.0, vec![sum.clone()], Vec::new());
    for d in 0..window.rank() {
        match counts(&window, d, include) {
            Some(list) if list.iter().all(|&v| v == list[0]) => constant *= list.first().map_or(1.0, |&v| v as f64),
            Some(list) => {
                let mut shape = vec![1; window.rank() - d];
                shape[0] = list.len();
                let tensor = Tensor::from_numbers(elem, shape, list.into_iter().map(|v| Num::I(v.into())));
                inputs.push(Value::constant(tensor.named(Some(format!("{}_count_{d}", n.name)))));
            }
            None if window.kernel[d] > COUNTED => {
                return unsupported(format!(
                    "the window has {} elements along spatial dimension {d}; there may be {COUNTED} at most",
                    window.kernel[d]
                ));
            }
            None => dynamic.push((
                d,
                Scalar::index(c.index(&window.input[d])),
                Scalar::index(c.index(&window.low[d])),
                Scalar::index(c.index(&window.high[d])),
            )),
        }
    }
    let shape = sum.shape.clone();
    Ok(vec![c.elementwise_to(&shape, &inputs, x.elem, |b, v| {
        let mut count = b.like(&v[0], constant);
        for factor in &v[1..] {
            count = b.mul(&count, factor);
        }
        for (d, size, low, high) in &dynamic {
            let factor = count_at(b, &window, *d, include, [size, low, high]);
            let factor = b.cast(&factor, elem);
            count = b.mul(&count, &factor);
        }
        let mean = b.div(&v[0], &count);
        b.cast(&mean, x.elem)
    })?])
}

/// Larger results are not listed.
const LISTED: i64 = 1 << 20;

/// Larger windows are not counted element by element.
const COUNTED: i64 = 1 << 12;

/// Returns the number of elements that windows cover along a dimension, for each output position; `None` if these are not known, or many.
fn counts(window: &Window, d: usize, include_pad: bool) -> Option<Vec<i64>> {
    let (kernel, stride, dilation) = (window.kernel[d], window.strides[d], window.dilations[d]);
    let pads = (window.low[d].get(), window.high[d].get());
    if include_pad && window.reach[d] == window.high[d] || pads == (Some(0), Some(0)) && window.reach[d].is(0) {
        return Some(vec![kernel]);
    }
    let ((Some(low), Some(high)), Some(size), Some(output)) = (pads, window.input[d].get(), window.output[d].get())
    else {
        return None;
    };
    let (first, last) = if include_pad { (-low, size + high) } else { (0, size) };
    let count = |o: i64| {
        let start = o * stride - low;
        let from = if start < first { (first - start + dilation - 1) / dilation } else { 0 };
        let to = if start < last { ((last - start + dilation - 1) / dilation).min(kernel) } else { 0 };
        (to - from).max(0)
    };
    (output <= LISTED).then(|| (0..output).map(count).collect())
}

/// Does the same as [`counts`] for the current position.
fn count_at(b: &mut Body<'_>, window: &Window, d: usize, include_pad: bool, [size, low, high]: [&Scalar; 3]) -> Scalar {
    let (stride, zero, one) = (b.index_constant(window.strides[d]), b.index_constant(0), b.index_constant(1));
    let o = b.position(2 + d);
    let begin = b.mul(&o, &stride);
    let begin = b.sub(&begin, low);
    let (first, last) = if include_pad { (b.sub(&zero, low), b.add(size, high)) } else { (zero.clone(), size.clone()) };
    let mut count = zero.clone();
    for k in 0..window.kernel[d] {
        let step = b.index_constant(k * window.dilations[d]);
        let place = b.add(&begin, &step);
        let (above, below) = (b.compare(Order::Ge, &place, &first), b.compare(Order::Lt, &place, &last));
        let inside = b.and(&above, &below);
        let more = b.add(&count, &one);
        count = b.select(&inside, &more, &count);
    }
    count
}

fn power(b: &mut Body<'_>, x: &Scalar, p: f64, elem: Option<Elem>) -> Scalar {
    let x = b.cast(x, elem.expect("an element"));
    let size = b.abs(&x);
    match p {
        1.0 => size,
        2.0 => b.mul(&x, &x),
        p => {
            let p = b.like(&x, p);
            b.math2("powf", &size, &p)
        }
    }
}

fn root(c: &mut Context<'_>, sum: &Value, p: f64, elem: Elem) -> Outcome<Value> {
    c.elementwise(std::slice::from_ref(sum), elem, |b, v| {
        let result = match p {
            1.0 => v[0].clone(),
            2.0 => b.math("sqrt", &v[0]),
            p => {
                let p = b.like(&v[0], 1.0 / p);
                b.math2("powf", &v[0], &p)
            }
        };
        b.cast(&result, elem)
    })
}

fn lp_pool(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let p = if n.opset < 2 { n.float("p", 2.0) } else { n.int("p", 2) as f64 };
    let window = window(c, n, &x)?;
    let elem = x.elem.accumulator();
    let padded = window.pad(c, &x, Num::I(0));
    let sum = window.reduce(c, &padded, &[(elem, Num::I(0))], |b, v| {
        let power = power(b, &v[0], p, Some(elem));
        vec![b.add(&v[1], &power)]
    });
    Ok(vec![root(c, &sum[0], p, x.elem)?])
}

/// A reduction of all spatial dimensions, which stay with size 1.
fn global(
    c: &mut Context<'_>,
    n: &Node,
    reduce: impl FnOnce(&mut Context<'_>, &Value, &[usize]) -> Outcome<Value>,
) -> Outcome {
    let x = n.input(0)?.clone();
    if x.rank() < 2 {
        return unsupported(format!("the input has rank {}", x.rank()));
    }
    let axes: Vec<_> = (2..x.rank()).collect();
    if n.op != "GlobalLpPool" {
        super::reduce::some(c, &x, &axes, if n.op == "GlobalMaxPool" { "extreme" } else { "mean" })?;
    }
    let result = reduce(c, &x, &axes)?;
    let mut shape = x.shape[..2].to_vec();
    shape.resize(x.rank(), Dim::fixed(1));
    Ok(vec![c.reshape(&result, &shape)?])
}
