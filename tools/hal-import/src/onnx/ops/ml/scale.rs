//! Operators that transform numbers elementwise or row by row.
use super::{
    super::{Entry, pool::lowest, reduce::sum, softmax::kept},
    post::rows,
};
use crate::onnx::{Context, Dim, Elem, Node, Num, Order, Outcome, Tensor, Value, problem::invalid};

pub(super) const OPS: &[Entry] =
    &[("Scaler", scaler), ("Normalizer", normalizer), ("Imputer", imputer), ("Binarizer", binarizer)];

/// A list of an attribute in a shape that broadcasts to the input: one number, or one for each index of the last dimension.
fn per_feature(c: &mut Context<'_>, n: &Node, x: &Value, what: &str, list: Tensor) -> Outcome<Value> {
    let list = Value::constant(list.named(Some(format!("{}_{what}", n.name))));
    match list.shape[0].get() {
        Some(1) => c.reshape(&list, &[]),
        Some(count) if x.rank() > 0 => {
            c.require_size((x, x.rank() - 1), &Dim::fixed(count), &format!("as `{what}` has elements"))?;
            Ok(list)
        }
        _ => invalid(format!("`{what}` has several elements, the input is a scalar")),
    }
}

fn floats(list: &[f32], elem: Elem) -> Tensor {
    Tensor::from_numbers(elem, vec![list.len()], list.iter().map(|v| Num::F(f64::from(*v))))
}

/// Computes `(x - offset) · scale` in f32.
fn scaler(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (offset, scale) = (n.floats("offset"), n.floats("scale"));
    let (Some(offset), Some(scale)) = (offset.filter(|l| !l.is_empty()), scale.filter(|l| !l.is_empty())) else {
        return invalid("`offset` or `scale` is missing");
    };
    let offset = per_feature(c, n, &x, "offset", floats(&offset, Elem::F32))?;
    let scale = per_feature(c, n, &x, "scale", floats(&scale, Elem::F32))?;
    let x = c.settle(&x);
    Ok(vec![c.elementwise_to(&x.shape.clone(), &[x, offset, scale], Elem::F32, |b, v| {
        let wide = b.cast(&v[0], Elem::F32);
        let centred = b.sub(&wide, &v[1]);
        b.mul(&centred, &v[2])
    })?])
}

/// Rows over their largest size, the sum of sizes or the root of the sum of squares.
fn normalizer(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let norm = n.string("norm", "MAX");
    let rank = x.rank();
    let x = rows(c, &x, Elem::F32)?;
    let size = match &*norm {
        // As the specification has it: not the largest size, but the largest element.
        "MAX" => c.reduce(&x, &[1], Elem::F32, lowest(Elem::F32), |b, v, a| b.max(a, v)),
        "L1" => sum(c, &x, &[1], |b, v| b.abs(v))?,
        "L2" => {
            let squares = sum(c, &x, &[1], |b, v| b.mul(v, v))?;
            c.elementwise(&[squares], Elem::F32, |b, v| b.math("sqrt", &v[0]))?
        }
        _ => return invalid(format!("`norm` is `{norm}`")),
    };
    let shape = x.shape.clone();
    let size = kept(c, &size, &shape, &[1])?;
    let result = c.elementwise_to(&shape, &[x, size], Elem::F32, |b, v| {
        let zero = b.like(&v[1], 0.0);
        let none = b.compare(Order::Eq, &v[1], &zero);
        let ratio = b.div(&v[0], &v[1]);
        b.select(&none, &v[0], &ratio)
    })?;
    Ok(vec![if rank == 1 { c.reshape(&result, &shape[1..])? } else { result }])
}

/// Numbers in place of those that are missing: NaN, or another mark.
fn imputer(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (of_floats, of_ints) = (n.floats("imputed_value_floats"), n.ints("imputed_value_int64s"));
    let (mark_float, mark_int) = (n.float("replaced_value_float", 0.0), n.int("replaced_value_int64", 0));
    let (list, mark) = if x.elem.is_float() {
        (of_floats.map(|l| floats(&l, x.elem)), Num::F(mark_float))
    } else {
        let list = of_ints.map(|l| Tensor::from_ints(x.elem, &l));
        (list, Num::I(mark_int.into()))
    };
    let Some(list) = list.filter(|l| l.len() > 0) else {
        return invalid("there is no list of imputed values for elements of this type");
    };
    let list = per_feature(c, n, &x, "imputed_value", list)?;
    let x = c.settle(&x);
    let elem = x.elem;
    Ok(vec![c.elementwise_to(&x.shape.clone(), &[x, list], elem, |b, v| {
        let missing = match mark {
            Num::F(mark) if mark.is_nan() => b.is_nan(&v[0]),
            mark => {
                let mark = b.number(elem, mark);
                b.compare(Order::Eq, &v[0], &mark)
            }
        };
        b.select(&missing, &v[1], &v[0])
    })?])
}

/// 1 above the threshold, 0 elsewhere.
fn binarizer(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let threshold = n.float("threshold", 0.0);
    let elem = x.elem;
    Ok(vec![c.elementwise(&[x], elem, |b, v| {
        let above = if elem.is_float() {
            let threshold = b.float(elem, threshold);
            b.compare(Order::Gt, &v[0], &threshold)
        } else {
            // The threshold need not be whole.
            let wide = b.cast(&v[0], Elem::F64);
            let threshold = b.float(Elem::F64, threshold);
            b.compare(Order::Gt, &wide, &threshold)
        };
        let (one, zero) = (b.number(elem, Num::I(1)), b.number(elem, Num::I(0)));
        b.select(&above, &one, &zero)
    })?])
}
