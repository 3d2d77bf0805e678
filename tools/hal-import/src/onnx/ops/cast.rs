//! Changes of element type.
use super::Entry;
use crate::onnx::{Context, Elem, Known, Num, Outcome, Problem, Value};

pub(super) const OPS: &[Entry] = &[
    ("Cast", |c, n| {
        // Opset 1 spells the type.
        let to = if n.opset < 6 {
            named(&n.string("to", ""))?
        } else {
            Elem::from_onnx(n.int("to", 0) as i32).map_err(no_type)?
        };
        let x = n.input(0)?.clone();
        cast(c, &x, to)
    }),
    ("CastLike", |c, n| {
        let (x, to) = (n.input(0)?.clone(), n.input(1)?.elem);
        cast(c, &x, to)
    }),
];

fn no_type(name: String) -> Problem {
    Problem::Unsupported(format!("it casts to {name}"))
}

fn named(name: &str) -> Outcome<Elem> {
    let names = [
        "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32",
        "UINT64",
    ];
    let code = names.iter().position(|n| *n == name).ok_or_else(|| no_type(format!("`{name}`")))?;
    Elem::from_onnx(code as i32 + 1).map_err(no_type)
}

fn cast(c: &mut Context<'_>, x: &Value, to: Elem) -> Outcome {
    if x.elem == to {
        return Ok(vec![x.clone()]);
    }
    match &x.known {
        Some(Known::Tensor(t)) => {
            // As the scalar operations: out of range wraps.
            return Ok(vec![Value::constant(t.mapped(to, |v| match v {
                Num::F(f) if !to.is_float() && to != Elem::Bool => Num::I(f as i128),
                v => v,
            }))]);
        }
        Some(Known::Dims(d)) if matches!(to, Elem::I64 | Elem::I32 | Elem::U64 | Elem::U32) => {
            return Ok(vec![Value::dims(to, x.shape.clone(), d.to_vec())]);
        }
        _ => {}
    }
    Ok(vec![c.elementwise(&[x.clone()], to, |b, v| b.cast(&v[0], to))?])
}
