//! Conversions of element types.
use super::Entry;
use crate::onnx::{
    Context, Elem, Known, Node, Num, Outcome, Problem, Tensor, Value,
    narrow::{Narrowing, Powers},
    node::STRING,
    packed::in_byte,
    problem::invalid,
};
use std::rc::Rc;

pub(super) const OPS: &[Entry] = &[
    ("Cast", |c, n| {
        // Opset 1 spells the type.
        let code = if n.opset < 6 { named(&n.string("to", ""))? } else { n.int("to", 0) as i32 };
        let x = n.input(0)?.clone();
        if code == STRING {
            narrowing(n)?;
            return to_strings(c, &x);
        }
        cast(c, &x, Elem::from_onnx(code).map_err(no_type)?, narrowing(n)?)
    }),
    ("CastLike", |c, n| {
        let (x, like) = (n.input(0)?.clone(), n.input(1)?.clone());
        if like.words.is_some() {
            narrowing(n)?;
            return to_strings(c, &x);
        }
        cast(c, &x, like.elem, narrowing(n)?)
    }),
    ("BitCast", bit_cast),
];

fn no_type(name: String) -> Problem {
    Problem::Unsupported(format!("it casts to {name}"))
}

/// Converts to strings; strings stay unchanged.
fn to_strings(c: &mut Context<'_>, x: &Value) -> Outcome {
    Ok(vec![if x.words.is_some() { x.clone() } else { c.written(x)? }])
}

fn named(name: &str) -> Outcome<i32> {
    let names = [
        "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32",
        "UINT64",
    ];
    let code = names.iter().position(|n| *n == name).ok_or_else(|| no_type(format!("`{name}`")))?;
    Ok(code as i32 + 1)
}

/// Returns the node's conversion to narrow floats.
fn narrowing(n: &Node) -> Outcome<Narrowing> {
    let powers = match &*n.string("round_mode", "up") {
        "up" => Powers::Up,
        "down" => Powers::Down,
        "nearest" => Powers::Nearest,
        other => return invalid(format!("`round_mode` is `{other}`, where `up`, `down` and `nearest` are possible")),
    };
    Ok(Narrowing { saturate: n.int("saturate", 1) != 0, powers })
}

fn cast(c: &mut Context<'_>, x: &Value, to: Elem, narrowing: Narrowing) -> Outcome {
    if x.words.is_some() {
        return Ok(vec![c.read_numbers(x, to, narrowing)?]);
    }
    if x.elem == to {
        return Ok(vec![x.clone()]);
    }
    match &x.known {
        Some(Known::Tensor(t)) => {
            // Like the scalar operations: out of range wraps.
            let narrow = (matches!(x.elem, Elem::F16 | Elem::Bf16) && to == Elem::F32).then(|| Rc::new(x.clone()));
            let wide = Value::constant(t.mapped(to, |v| match (v, to.format()) {
                (v, Some(format)) => Num::F(format.decode(format.encode(v.float(), narrowing))),
                (Num::F(f), None) if !to.is_float() && to != Elem::Bool => Num::I(f as i128),
                (v, None) => v,
            }));
            return Ok(vec![Value { narrow, ..wide }]);
        }
        Some(Known::Dims(d)) if matches!(to, Elem::I64 | Elem::I32 | Elem::U64 | Elem::U32) => {
            return Ok(vec![Value::dims(to, x.shape.clone(), d.to_vec())]);
        }
        _ => {}
    }
    Ok(vec![c.elementwise(std::slice::from_ref(x), to, |b, v| b.convert(&v[0], to, narrowing))?])
}

/// Reinterprets the bits as another type. Bools are bytes, of which all but 0 are true.
fn bit_cast(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let to = Elem::from_onnx(n.int("to", 0) as i32).map_err(no_type)?;
    let bits = |e: Elem| if e == Elem::Bool { 8 } else { e.bits() };
    if bits(x.elem) != bits(to) {
        let (from, of) = (x.elem.shown(), to.shown());
        return invalid(format!("numbers of type {from} have {} bits, those of type {of} {}", bits(x.elem), bits(to)));
    }
    if let Some(t) = x.tensor() {
        let bytes = t.bytes();
        // A code of less than a byte has the sign of its type above it.
        let bytes = if bits(to) < 8 { bytes.iter().map(|b| in_byte(to, *b)).collect::<Vec<_>>().into() } else { bytes };
        let tensor = Tensor::from_bytes(to, t.shape.clone(), bytes);
        return tensor.map_or_else(
            || invalid("the constant does not hold what its type says"),
            |t| Ok(vec![Value::constant(t)]),
        );
    }
    let ssa = c.ssa(&x);
    if x.elem.mlir() == to.mlir() && (bits(to) == 8 || !to.is_narrow()) {
        return Ok(vec![Value::new(ssa, to, x.shape.clone())]);
    }
    Ok(vec![c.elementwise(std::slice::from_ref(&x), to, |b, v| b.reinterpret(&v[0], to))?])
}
