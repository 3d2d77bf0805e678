//! Operators that concatenate or select features.
use super::{
    super::{Entry, apply},
    post::rows,
};
use crate::onnx::{Context, Dim, Elem, Node, Num, Outcome, problem::invalid, proto::Attribute};

pub(super) const OPS: &[Entry] = &[("ArrayFeatureExtractor", extract), ("FeatureVectorizer", vectorize)];

/// Elements of the last dimension, by position. A list gives one row.
fn extract(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, places) = (n.input(0)?.clone(), n.input(1)?.clone());
    if x.rank() == 0 {
        return invalid("the input is a scalar");
    }
    let count = c.product(&places.shape);
    let label = places.label.clone();
    let places = c.reshape(&places, &[count])?;
    let places = crate::onnx::Value { label, ..places };
    let axis = Attribute { name: Some("axis".into()), i: Some(-1), ..Attribute::default() };
    let mut result = apply(c, n, "Gather", vec![Some(x.clone()), Some(places)], vec![axis])?;
    if x.rank() == 1 {
        let shape = [Dim::fixed(1), result[0].shape[0].clone()];
        result[0] = c.reshape(&result[0], &shape)?;
    }
    Ok(result)
}

/// Columns of all inputs side by side, as f32; each is cut or filled with zeros to the width that the model declares.
fn vectorize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let widths = n.ints("inputdimensions").unwrap_or_default();
    let inputs = n.all()?;
    if widths.len() != inputs.len() && !widths.is_empty() {
        return invalid(format!("there are {} inputs, but {} widths", inputs.len(), widths.len()));
    }
    let mut parts = Vec::new();
    for (i, x) in inputs.iter().enumerate() {
        let x = rows(c, x, Elem::F32)?;
        let Some(width) = widths.get(i).map(|w| Dim::fixed(*w)) else {
            parts.push(x);
            continue;
        };
        let own = x.shape[1].clone();
        let zero = Dim::fixed(0);
        let least = c.size_min(&own, &width);
        let shape = [x.shape[0].clone(), least.clone()];
        let cut = c.slice(&x, &[zero.clone(), zero.clone()], &shape, &[1, 1]);
        parts.push(c.pad(&cut, &[zero.clone(), zero.clone()], &[zero, width.minus(&least)], Num::I(0)));
    }
    Ok(vec![c.concat(&parts, 1)?])
}
