//! Recurrent networks: `RNN`, `GRU`, `LSTM`. Computation that does not depend on the previous step is one matrix
//! product over the whole sequence; the rest is a loop of the host program.
mod activations;
mod direction;
mod gates;
mod steps;
mod weights;

use super::{Entry, reverse::reversed};
use crate::onnx::{
    Context, Dim, Node, Num, Outcome, Tensor, Value,
    context::require::dimension,
    problem::{invalid, unsupported},
};
use activations::Activation;
use direction::Direction;
pub(super) use weights::QuantisedWeights;
use weights::Weights;

pub(super) const OPS: &[Entry] = &[
    ("RNN", |c, n| recurrent(c, n, Kind::Rnn, None)),
    ("GRU", |c, n| recurrent(c, n, Kind::Gru, None)),
    ("LSTM", |c, n| recurrent(c, n, Kind::Lstm, None)),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rnn,
    Gru,
    Lstm,
}

impl Kind {
    fn gates(self) -> i64 {
        match self {
            Self::Rnn => 1,
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }

    /// The default activations of the specification.
    fn activations(self) -> &'static [&'static str] {
        match self {
            Self::Rnn => &["Tanh"],
            Self::Gru => &["Sigmoid", "Tanh"],
            Self::Lstm => &["Sigmoid", "Tanh", "Tanh"],
        }
    }
}

/// An `LSTM` of which the weights of input and state, the first of which are given turned, are `weights`.
pub(super) fn quantised_lstm(c: &mut Context<'_>, n: &Node, weights: &[QuantisedWeights; 2]) -> Outcome {
    recurrent(c, n, Kind::Lstm, Some(weights))
}

fn recurrent(c: &mut Context<'_>, n: &Node, kind: Kind, quantised: Option<&[QuantisedWeights; 2]>) -> Outcome {
    let (x, w, r) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let batch_first = n.int("layout", 0) != 0;
    if let Some(v) = [&x, &w, &r].into_iter().find(|v| v.rank() != 3) {
        return invalid(format!("input `{}` is not of rank 3", v.ty()));
    }
    c.require_same((&x, 2), (&w, 2))?;
    let (x, w) = (c.settle(&x), c.settle(&w));
    let x = if batch_first { c.transpose(&x, &[1, 0, 2]) } else { x };
    let [steps, batch, _] = &x.shape[..] else { return invalid(format!("input `{}` is not of rank 3", x.ty())) };
    let (steps, batch) = (steps.clone(), batch.clone());
    let told = n.int("hidden_size", 0);
    if told > 0 {
        c.require_size((&r, 2), &Dim::fixed(told), "as `hidden_size` says")?;
    }
    let r = c.settle(&r);
    let Some(hidden) = r.shape[2].get().filter(|&h| h > 0) else {
        return unsupported(format!(
            "{} is the hidden size, which is dynamic; give `hidden_size`, or fix it by `--dim` or `--input-shape`",
            dimension(&r, 2)
        ));
    };
    let gates = kind.gates();
    let directions: &[bool] = match n.string("direction", "forward").as_str() {
        "forward" => &[false],
        "reverse" => &[true],
        "bidirectional" => &[false, true],
        other => return invalid(format!("`direction` is `{other}`")),
    };
    fits(c, n, (&w, &r), directions.len() as i64, hidden, gates * hidden, (&steps, &batch, batch_first))?;
    let (steps, batch) = (c.settle_dim(&steps), c.settle_dim(&batch));
    let (x, w, r) = (c.settle(&x), c.settle(&w), c.settle(&r));
    let defaults = kind.activations();
    let given = n
        .strings("activations")
        .filter(|a| !a.is_empty())
        .unwrap_or_else(|| directions.iter().flat_map(|_| defaults.iter().map(|s| (*s).to_owned())).collect());
    if given.len() != defaults.len() * directions.len() {
        return invalid(format!("there are {} activations for {} directions", given.len(), directions.len()));
    }
    let (alphas, betas) = (n.floats("activation_alpha"), n.floats("activation_beta"));
    let given = Activation::list(&given, alphas.unwrap_or_default(), betas.unwrap_or_default())?;
    // Lengths that are all that of the sequence say nothing.
    let lengths = n.optional(4).filter(|v| v.splat().is_none_or(|l| !steps.is(l.int() as i64))).cloned();
    let lengths = lengths.map(|v| c.settle(&v));
    let elem = x.elem;
    let (mut ys, mut last_h, mut last_c) = (Vec::new(), Vec::new(), Vec::new());
    for (d, &backward) in directions.iter().enumerate() {
        let at = Dim::fixed(d as i64);
        let weights = Weights::of(c, &w, quantised.map(|[w, _]| w), &at)?;
        let recurrence = Weights::of(c, &r, quantised.map(|[_, r]| r), &at)?;
        // Backwards over sequences of different lengths is forwards over what is turned round, each as far as it goes.
        let turned = lengths.as_ref().filter(|_| backward);
        let x = turned.map_or_else(|| x.clone(), |lengths| reversed(c, &x, lengths, 1, 0));
        let flat = weights.product(c, n, &x)?;
        let mut inputs = vec![flat.clone()];
        let mut apart = None;
        if let Some(bias) = n.optional(3).map(|v| c.settle(v)) {
            let bias = c.take(&bias, 0, &at)?;
            let list = |c: &mut Context<'_>, from: i64, size: i64| {
                c.slice(&bias, &[Dim::fixed(from)], &[Dim::fixed(size)], &[1])
            };
            inputs.push(list(c, 0, gates * hidden));
            if kind == Kind::Gru {
                // The last gate's recurrence has its bias inside the product with the reset gate, where asked for.
                let both = list(c, gates * hidden, 2 * hidden);
                let zeros = Value::constant(Tensor::splat(elem, vec![hidden as usize], Num::I(0)));
                inputs.push(c.concat(&[both, zeros], 0)?);
                apart = Some(list(c, (gates + 2) * hidden, hidden));
            } else {
                inputs.push(list(c, gates * hidden, gates * hidden));
            }
        }
        let fixed = c.elementwise_to(&flat.shape.clone(), &inputs, elem, |b, v| {
            let sum = v[1..].iter().fold(v[0].clone(), |a, x| {
                let x = b.cast(x, flat.elem);
                b.add(&a, &x)
            });
            b.cast(&sum, elem)
        })?;
        let start = |c: &mut Context<'_>, input: usize| -> Outcome<Value> {
            let Some(given) = n.optional(input).map(|v| c.settle(v)) else {
                return Ok(c.filled(elem, &[batch.clone(), Dim::fixed(hidden)], Num::I(0)));
            };
            if batch_first { c.take(&given, 1, &at) } else { c.take(&given, 0, &at) }
        };
        let (h, cell) = (start(c, 5)?, if kind == Kind::Lstm { Some(start(c, 6)?) } else { None });
        let peepholes = match n.optional(7).filter(|_| kind == Kind::Lstm).map(|v| c.settle(v)) {
            None => None,
            Some(p) => {
                let p = c.take(&p, 0, &at)?;
                Some((0..3).map(|i| c.slice(&p, &[Dim::fixed(i * hidden)], &[Dim::fixed(hidden)], &[1])).collect())
            }
        };
        let direction = Direction {
            kind,
            fixed,
            recurrence,
            apart,
            peepholes,
            activations: given[d * defaults.len()..(d + 1) * defaults.len()].to_vec(),
            clip: n.has("clip").then(|| n.float("clip", 0.0)),
            hidden,
            linear_before_reset: n.int("linear_before_reset", 0) != 0,
            input_forget: n.int("input_forget", 0) != 0,
            backward: backward && turned.is_none(),
            lengths: lengths.clone(),
        };
        let (mut y, h, cell) = direction.run(c, n, (&steps, &batch), h, cell)?;
        if let Some(lengths) = turned {
            y = reversed(c, &y, lengths, 1, 0);
        }
        ys.push(c.reshape(&y, &[steps.clone(), Dim::fixed(1), batch.clone(), Dim::fixed(hidden)])?);
        let one = [Dim::fixed(1), batch.clone(), Dim::fixed(hidden)];
        last_h.push(c.reshape(&h, &one)?);
        last_c.extend(cell.map(|v| c.reshape(&v, &one)).transpose()?);
    }
    let y = c.concat(&ys, 1)?;
    let mut results = vec![y, c.concat(&last_h, 0)?];
    if !last_c.is_empty() {
        results.push(c.concat(&last_c, 0)?);
    }
    if batch_first {
        results[0] = c.transpose(&results[0], &[2, 0, 1, 3]);
        for v in &mut results[1..] {
            *v = c.transpose(v, &[1, 0, 2]);
        }
    }
    Ok(results)
}

/// Weights, biases and states have the sizes that the specification says, and lengths are within the sequence. `rows`: those
/// of all gates; `sequence`: its steps, the batch, and whether the batch comes first.
fn fits(
    c: &mut Context<'_>,
    n: &Node,
    (w, r): (&Value, &Value),
    directions: i64,
    hidden: i64,
    rows: i64,
    sequence: (&Dim, &Dim, bool),
) -> Outcome<()> {
    let (steps, batch, batch_first) = sequence;
    let fixed = Dim::fixed;
    let states = |own: Dim| {
        if batch_first {
            vec![own, fixed(directions), fixed(hidden)]
        } else {
            vec![fixed(directions), own, fixed(hidden)]
        }
    };
    let mut wanted = vec![(w, vec![fixed(directions), fixed(rows)]), (r, vec![fixed(directions), fixed(rows)])];
    let lists = [
        (3, vec![fixed(directions), fixed(2 * rows)]),
        (4, vec![batch.clone()]),
        (7, vec![fixed(directions), fixed(3 * hidden)]),
    ];
    let all = lists.into_iter().chain([(5, states(batch.clone())), (6, states(batch.clone()))]);
    for (input, sizes) in all {
        let Some(v) = n.optional(input) else { continue };
        if v.rank() != sizes.len() {
            return invalid(format!("input {input} of type `{}` is not of rank {}", v.ty(), sizes.len()));
        }
        wanted.push((v, sizes));
    }
    for (v, sizes) in wanted {
        for (i, size) in sizes.iter().enumerate() {
            c.require_size((v, i), size, "by directions, gates, batch and hidden size")?;
        }
    }
    n.optional(4).map_or(Ok(()), |lengths| c.require_range(lengths, &Dim::fixed(0), steps))
}
