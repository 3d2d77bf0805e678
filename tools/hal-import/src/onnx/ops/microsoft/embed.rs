//! The embeddings at the start of BERT.
use super::{
    super::{Entry, apply},
    build::{float, int, op, ranked, sum},
};
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("EmbedLayerNormalization", embed), ("QEmbedLayerNormalization", quantized)];

/// The inputs of the normalisation.
struct Tables {
    word: Value,
    position: Value,
    segment: Option<Value>,
    gamma: Value,
    beta: Value,
}

fn embed(c: &mut Context<'_>, n: &Node) -> Outcome {
    let tables = Tables {
        word: n.input(2)?.clone(),
        position: n.input(3)?.clone(),
        segment: n.optional(4).cloned(),
        gamma: n.input(5)?.clone(),
        beta: n.input(6)?.clone(),
    };
    embedded(c, n, &tables, n.optional(7).cloned(), n.optional(8).cloned())
}

/// Tables of integers, each with a scale and a zero point.
fn quantized(c: &mut Context<'_>, n: &Node) -> Outcome {
    let mut table = |at: usize, scale: usize, zero: usize| -> Outcome<Value> {
        op(c, n, "DequantizeLinear", &[n.input(at)?, n.input(scale)?, n.input(zero)?], &[])
    };
    let tables = Tables {
        word: table(2, 8, 13)?,
        position: table(3, 9, 14)?,
        segment: if n.optional(4).is_some() { Some(table(4, 10, 15)?) } else { None },
        gamma: table(5, 11, 16)?,
        beta: table(6, 12, 17)?,
    };
    embedded(c, n, &tables, n.optional(7).cloned(), None)
}

fn embedded(c: &mut Context<'_>, n: &Node, tables: &Tables, mask: Option<Value>, positions: Option<Value>) -> Outcome {
    let ids = n.input(0)?.clone();
    ranked(&ids, 2)?;
    ranked(&tables.word, 2)?;
    ranked(&tables.position, 2)?;
    let (epsilon, kind) = (n.float("epsilon", 1e-12), n.int("mask_index_type", 0));
    let word = op(c, n, "Gather", &[&tables.word, &ids], &[int("axis", 0)])?;
    let position = match positions {
        Some(at) => op(c, n, "Gather", &[&tables.position, &at], &[int("axis", 0)])?,
        None => {
            let length = ids.shape[1].clone();
            let text = "there are {1} positions, but {0} tokens";
            let rows = tables.position.shape[0].clone();
            let rule = crate::onnx::context::require::Rule::AtLeast(rows.clone(), length.clone());
            c.require(rule, text, &[&length, &rows])?;
            super::build::cut(c, &tables.position, 0, &Dim::fixed(0), &length)
        }
    };
    let mut parts = vec![word, position];
    if let Some(segment) = &tables.segment {
        let Some(at) = n.optional(1).cloned() else {
            return invalid("there is a table of segments, but input 1 is missing");
        };
        parts.push(op(c, n, "Gather", &[segment, &at], &[int("axis", 0)])?);
    }
    let whole = sum(c, n, &parts.iter().collect::<Vec<_>>())?;
    let inputs = vec![Some(whole.clone()), Some(tables.gamma.clone()), Some(tables.beta.clone())];
    let result =
        apply(c, n, "LayerNormalization", inputs, vec![int("axis", -1), float("epsilon", epsilon)])?.swap_remove(0);
    if n.wants(1) && kind > 1 {
        return unsupported(format!("`mask_index_type` is {kind}"));
    }
    let index = match mask {
        // How many tokens are no padding.
        Some(mask) => {
            ranked(&mask, 2)?;
            let ones = c.elementwise(&[mask], Elem::I32, |b, v| {
                let one = b.like(&v[0], 1.0);
                let is = b.compare(crate::onnx::Order::Eq, &v[0], &one);
                b.cast(&is, Elem::I32)
            })?;
            c.reduce(&ones, &[1], Elem::I32, Num::I(0), |b, v, a| b.add(a, v))
        }
        None => c.filled(Elem::I32, &[ids.shape[0].clone()], Num::I(0)),
    };
    Ok(vec![result, index, whole])
}
