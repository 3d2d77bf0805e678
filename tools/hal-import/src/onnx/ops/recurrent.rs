//! Recurrent networks: `RNN`, `GRU`, `LSTM`. What does not depend on the step before is one matrix product over the
//! whole sequence; the rest is a loop of the host program.
use super::{Entry, activation::sigmoid, matmul::narrowed};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Outcome, Scalar, Tensor, Value,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[
    ("RNN", |c, n| recurrent(c, n, Kind::Rnn)),
    ("GRU", |c, n| recurrent(c, n, Kind::Gru)),
    ("LSTM", |c, n| recurrent(c, n, Kind::Lstm)),
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

/// What one direction computes with.
struct Direction {
    kind: Kind,
    /// `[steps, batch, gates · hidden]`: the part of the gates that the input decides, biases included.
    fixed: Value,
    /// `[gates · hidden, hidden]`.
    recurrence: Value,
    /// The bias of the recurrence of a GRU's last gate, which is applied apart: `[hidden]`.
    apart: Option<Value>,
    /// `[hidden]` each: input, output, forget.
    peepholes: Option<Vec<Value>>,
    activations: Vec<String>,
    clip: Option<f64>,
    hidden: i64,
    linear_before_reset: bool,
    input_forget: bool,
    backward: bool,
    lengths: Option<Value>,
}

fn recurrent(c: &mut Context<'_>, n: &Node, kind: Kind) -> Outcome {
    let (x, w, r) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let batch_first = n.int("layout", 0) != 0;
    let x = if batch_first { c.transpose(&x, &[1, 0, 2]) } else { x };
    let [steps, batch, _] = &x.shape[..] else { return invalid(format!("input `{}` is not of rank 3", x.ty())) };
    let (steps, batch) = (steps.clone(), batch.clone());
    let Some(hidden) = r.shape.last().and_then(Dim::get).filter(|&h| h > 0) else {
        return unsupported("the hidden size is dynamic");
    };
    let gates = kind.gates();
    let directions: &[bool] = match n.string("direction", "forward").as_str() {
        "forward" => &[false],
        "reverse" => &[true],
        "bidirectional" => &[false, true],
        other => return invalid(format!("`direction` is `{other}`")),
    };
    let defaults = kind.activations();
    let given = n
        .strings("activations")
        .filter(|a| !a.is_empty())
        .unwrap_or_else(|| directions.iter().flat_map(|_| defaults.iter().map(|s| (*s).to_owned())).collect());
    if let Some(bad) = given.iter().find(|a| !["Sigmoid", "Tanh", "Relu"].contains(&a.as_str())) {
        return unsupported(format!("activation `{bad}`"));
    }
    if given.len() != defaults.len() * directions.len() {
        return invalid(format!("there are {} activations for {} directions", given.len(), directions.len()));
    }
    // Lengths that are all that of the sequence say nothing.
    let lengths = n.optional(4).filter(|v| v.splat().is_none_or(|l| !steps.is(l.int() as i64))).cloned();
    if lengths.is_some() && directions.contains(&true) {
        return unsupported("it runs backwards over sequences of different lengths (`sequence_lens`, input 4)");
    }
    let elem = x.elem;
    let (mut ys, mut last_h, mut last_c) = (Vec::new(), Vec::new(), Vec::new());
    for (d, &backward) in directions.iter().enumerate() {
        let at = Dim::fixed(d as i64);
        let (w, recurrence) = (c.take(&w, 0, &at)?, c.take(&r, 0, &at)?);
        let flat = product_with_rows(c, &x, &w)?;
        let mut inputs = vec![flat.clone()];
        let mut apart = None;
        if let Some(bias) = n.optional(3).cloned() {
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
            let Some(given) = n.optional(input).cloned() else {
                return Ok(c.filled(elem, &[batch.clone(), Dim::fixed(hidden)], Num::I(0)));
            };
            if batch_first { c.take(&given, 1, &at) } else { c.take(&given, 0, &at) }
        };
        let (h, cell) = (start(c, 5)?, if kind == Kind::Lstm { Some(start(c, 6)?) } else { None });
        let peepholes = match n.optional(7).filter(|_| kind == Kind::Lstm).cloned() {
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
            backward,
            lengths: lengths.clone(),
        };
        let (y, h, cell) = direction.run(c, &steps, &batch, h, cell)?;
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

/// `x · wᵀ` over the last dimension, in the accumulator's type.
fn product_with_rows(c: &mut Context<'_>, x: &Value, w: &Value) -> Outcome<Value> {
    let elem = x.elem.accumulator();
    let outer = x.rank() - 1;
    let shape = [x.shape[..outer].to_vec(), vec![w.shape[0].clone()]].concat();
    let init = c.filled(elem, &shape, Num::I(0));
    let iters = [vec![Iter::Parallel; outer + 1], vec![Iter::Reduction]].concat();
    let left: Vec<_> = (0..outer).chain([outer + 1]).collect();
    let all: Vec<_> = (0..=outer).collect();
    let map = crate::onnx::generic::map;
    let product =
        c.generic(&iters, &[(x, map(&left)), (w, map(&[outer, outer + 1]))], &[(&init, map(&all))], |b, v| {
            let (x, w) = (b.cast(&v[0], elem), b.cast(&v[1], elem));
            let product = b.mul(&x, &w);
            vec![b.add(&v[2], &product)]
        });
    Ok(product.into_iter().next().expect("one result"))
}

impl Direction {
    /// All steps: `[steps, batch, hidden]`, and the last states.
    fn run(
        &self,
        c: &mut Context<'_>,
        steps: &Dim,
        batch: &Dim,
        h: Value,
        cell: Option<Value>,
    ) -> Outcome<(Value, Value, Option<Value>)> {
        let elem = h.elem;
        let (zero, one, end) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)), c.index(steps));
        let last = c.index(&steps.offset(-1));
        let y = c.filled(elem, &[steps.clone(), batch.clone(), Dim::fixed(self.hidden)], Num::I(0));
        // Constants that the loop uses are written before it.
        c.ssa(&self.fixed);
        c.ssa(&self.recurrence);
        let mut state = vec![y, h];
        state.extend(cell);
        // The loop's values are dynamic where their sizes are; a batch is the same in every step.
        let types: Vec<_> = state.iter().map(Value::ty).collect();
        let initial: Vec<_> = state.iter().map(|v| c.ssa(v)).collect();
        let (step, names): (String, Vec<String>) = (c.w.name(), state.iter().map(|_| c.w.name()).collect());
        let carried: Vec<_> = names.iter().zip(&initial).map(|(n, i)| format!("{n} = {i}")).collect();
        let results = c.w.open_values(
            state.len(),
            &format!(
                "scf.for {step} = {zero} to {end} step {one} iter_args({}) -> ({}) {{",
                carried.join(", "),
                types.join(", ")
            ),
        );
        let scope = c.enter();
        let inner: Vec<_> =
            names.iter().zip(&state).map(|(n, v)| Value::new(n.clone(), v.elem, v.shape.clone())).collect();
        let place = if self.backward { c.w.value(format!("arith.subi {last}, {step} : index")) } else { step.clone() };
        let next = self.step(c, &place, batch, &inner)?;
        let yielded: Vec<_> = next.iter().map(|v| c.ssa(v)).collect();
        c.leave(scope);
        c.w.line(format!("scf.yield {} : {}", yielded.join(", "), types.join(", ")));
        c.w.close("}");
        let mut done = results.into_iter().zip(&state).map(|(n, v)| Value::new(n, v.elem, v.shape.clone()));
        let (y, h) = (done.next().expect("the sequence"), done.next().expect("the state"));
        Ok((y, h, done.next()))
    }

    /// One step: the sequence with this step's result, and the new states.
    fn step(&self, c: &mut Context<'_>, place: &str, batch: &Dim, state: &[Value]) -> Outcome<Vec<Value>> {
        let (y, h) = (&state[0], &state[1]);
        let elem = h.elem;
        let shape = [batch.clone(), Dim::fixed(self.hidden)];
        let at = c.fresh_symbol(place.to_owned());
        let fixed = c.take(&self.fixed, 0, &at)?;
        let parts: Vec<_> = (0..self.kind.gates()).collect();
        let gate = |c: &mut Context<'_>, v: &Value, g: i64| {
            c.slice(v, &[Dim::fixed(0), Dim::fixed(g * self.hidden)], &shape, &[1, 1])
        };
        let weights = |c: &mut Context<'_>, from: i64, count: i64| {
            c.slice(
                &self.recurrence,
                &[Dim::fixed(from * self.hidden), Dim::fixed(0)],
                &[Dim::fixed(count * self.hidden), Dim::fixed(self.hidden)],
                &[1, 1],
            )
        };
        let mut next = match self.kind {
            Kind::Rnn => {
                let r = product_with_rows(c, h, &self.recurrence)?;
                vec![c.elementwise_to(&shape, &[fixed, r], elem, |b, v| {
                    let sum = self.sum(b, &v[0], &v[1]);
                    self.activate(b, 0, &sum)
                })?]
            }
            Kind::Lstm => {
                let r = product_with_rows(c, h, &self.recurrence)?;
                let mut inputs = vec![state[2].clone()];
                for &g in &parts {
                    inputs.push(gate(c, &fixed, g));
                    inputs.push(gate(c, &r, g));
                }
                inputs.extend(self.peepholes.clone().into_iter().flatten());
                let cell = c.elementwise_to(&shape, &inputs, elem, |b, v| self.cell(b, v))?;
                inputs[0] = cell.clone();
                let h = c.elementwise_to(&shape, &inputs, elem, |b, v| {
                    let mut output = self.sum(b, &v[3], &v[4]);
                    if let Some(p) = v.get(10) {
                        let part = b.mul(p, &v[0]);
                        output = b.add(&output, &part);
                    }
                    let output = self.activate(b, 0, &output);
                    let cell = self.activate(b, 2, &v[0]);
                    b.mul(&output, &cell)
                })?;
                vec![h, cell]
            }
            Kind::Gru => {
                let r = {
                    let first = weights(c, 0, 2);
                    product_with_rows(c, h, &first)?
                };
                let (z_in, r_in) = (gate(c, &fixed, 0), gate(c, &fixed, 1));
                let (z_r, r_r) = (gate(c, &r, 0), gate(c, &r, 1));
                let reset = c.elementwise_to(&shape, &[r_in, r_r], elem, |b, v| {
                    let sum = self.sum(b, &v[0], &v[1]);
                    self.activate(b, 0, &sum)
                })?;
                let last = weights(c, 2, 1);
                let inner = if self.linear_before_reset {
                    h.clone()
                } else {
                    c.elementwise_to(&shape, &[h.clone(), reset.clone()], elem, |b, v| b.mul(&v[0], &v[1]))?
                };
                let turned = product_with_rows(c, &inner, &last)?;
                let turned = narrowed(c, &turned, elem)?;
                let mut inputs = vec![gate(c, &fixed, 2), turned, reset, z_in, z_r, h.clone()];
                inputs.extend(self.apart.clone());
                vec![c.elementwise_to(&shape, &inputs, elem, |b, v| {
                    let mut part = v[1].clone();
                    if let Some(bias) = v.get(6) {
                        part = b.add(&part, bias);
                    }
                    if self.linear_before_reset {
                        part = b.mul(&part, &v[2]);
                    }
                    let sum = self.sum(b, &v[0], &part);
                    let fresh = self.activate(b, 1, &sum);
                    let sum = self.sum(b, &v[3], &v[4]);
                    let update = self.activate(b, 0, &sum);
                    let one = b.like(&update, 1.0);
                    let rest = b.sub(&one, &update);
                    let (new, old) = (b.mul(&rest, &fresh), b.mul(&update, &v[5]));
                    b.add(&new, &old)
                })?]
            }
        };
        let mut shown = next[0].clone();
        if let Some(lengths) = &self.lengths {
            // Past its end a sequence keeps its state and shows nothing.
            let column = c.reshape(lengths, &[batch.clone(), Dim::fixed(1)])?;
            let now = Scalar::index(place);
            let live = |b: &mut Body<'_>, length: &Scalar| {
                let length = b.to_index(length);
                b.compare(crate::onnx::Order::Lt, &now, &length)
            };
            shown = c.elementwise_to(&shape, &[shown, column.clone()], elem, |b, v| {
                let (live, zero) = (live(b, &v[1]), b.like(&v[0], 0.0));
                b.select(&live, &v[0], &zero)
            })?;
            for (new, old) in next.iter_mut().zip(&state[1..]) {
                *new = c.elementwise_to(&shape, &[new.clone(), old.clone(), column.clone()], elem, |b, v| {
                    let live = live(b, &v[2]);
                    b.select(&live, &v[0], &v[1])
                })?;
            }
        }
        let rows = c.index(batch);
        let rows = batch.get().map_or(rows, |d| d.to_string());
        let (part, whole) = (c.ssa(&shown), c.ssa(y));
        let text = format!(
            "tensor.insert_slice {part} into {whole}[{place}, 0, 0] [1, {rows}, {}] [1, 1, 1] : {} into {}",
            self.hidden,
            shown.ty(),
            y.ty()
        );
        let y = c.value(text, elem, y.shape.clone());
        Ok([vec![y], next].concat())
    }

    /// The new cell of an LSTM from the old one and the gates, in the order input, output, forget, cell.
    fn cell(&self, b: &mut Body<'_>, v: &[Scalar]) -> Scalar {
        let gate = |b: &mut Body<'_>, g: usize, peephole: Option<usize>| {
            let mut sum = self.sum(b, &v[1 + 2 * g], &v[2 + 2 * g]);
            if let Some(p) = peephole.and_then(|p| v.get(9 + p)) {
                let part = b.mul(p, &v[0]);
                sum = b.add(&sum, &part);
            }
            sum
        };
        let input = gate(b, 0, Some(0));
        let input = self.activate(b, 0, &input);
        let forget = if self.input_forget {
            let one = b.like(&input, 1.0);
            b.sub(&one, &input)
        } else {
            let forget = gate(b, 2, Some(2));
            self.activate(b, 0, &forget)
        };
        let fresh = gate(b, 3, None);
        let fresh = self.activate(b, 1, &fresh);
        let (kept, added) = (b.mul(&forget, &v[0]), b.mul(&input, &fresh));
        b.add(&kept, &added)
    }

    /// The sum of both parts of a gate, clipped where asked for.
    fn sum(&self, b: &mut Body<'_>, fixed: &Scalar, part: &Scalar) -> Scalar {
        let part = b.cast(part, fixed.elem.unwrap_or(Elem::F32));
        b.add(fixed, &part)
    }

    fn activate(&self, b: &mut Body<'_>, which: usize, x: &Scalar) -> Scalar {
        let mut x = x.clone();
        if let Some(clip) = self.clip {
            let (low, high) = (b.like(&x, -clip), b.like(&x, clip));
            x = b.max(&x, &low);
            x = b.min(&x, &high);
        }
        match self.activations[which].as_str() {
            "Sigmoid" => sigmoid(b, &x),
            "Tanh" => b.math("tanh", &x),
            _ => {
                let zero = b.like(&x, 0.0);
                b.max(&x, &zero)
            }
        }
    }
}
