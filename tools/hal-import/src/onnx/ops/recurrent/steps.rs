//! The steps of one direction: a loop of the host program.
use super::{super::matmul::narrowed, Kind, direction::Direction};
use crate::onnx::{Body, Context, Dim, Node, Num, Outcome, Scalar, Value};

impl Direction {
    /// Runs all steps: returns `[steps, batch, hidden]`, and the last states.
    pub(super) fn run(
        &self,
        c: &mut Context<'_>,
        n: &Node,
        (steps, batch): (&Dim, &Dim),
        h: Value,
        cell: Option<Value>,
    ) -> Outcome<(Value, Value, Option<Value>)> {
        let elem = h.elem;
        let (zero, one, end) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)), c.index(steps));
        let last = c.index(&steps.offset(-1));
        let y = c.filled(elem, &[steps.clone(), batch.clone(), Dim::fixed(self.hidden)], Num::I(0));
        // Constants that the loop uses are written before it.
        c.ssa(&self.fixed);
        self.recurrence.write(c);
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
        let next = self.step(c, n, (&place, batch), &inner)?;
        let yielded: Vec<_> = next.iter().map(|v| c.ssa(v)).collect();
        c.leave(scope);
        c.w.line(format!("scf.yield {} : {}", yielded.join(", "), types.join(", ")));
        c.w.close("}");
        let mut done = results.into_iter().zip(&state).map(|(n, v)| Value::new(n, v.elem, v.shape.clone()));
        let (y, h) = (done.next().expect("the sequence"), done.next().expect("the state"));
        Ok((y, h, done.next()))
    }

    /// Runs one step: returns the sequence with this step's result, and the new states.
    fn step(
        &self,
        c: &mut Context<'_>,
        n: &Node,
        (place, batch): (&str, &Dim),
        state: &[Value],
    ) -> Outcome<Vec<Value>> {
        let (y, h) = (&state[0], &state[1]);
        let elem = h.elem;
        let shape = [batch.clone(), Dim::fixed(self.hidden)];
        let at = c.fresh_symbol(place.to_owned());
        let fixed = c.take(&self.fixed, 0, &at)?;
        let parts: Vec<_> = (0..self.kind.gates()).collect();
        let gate = |c: &mut Context<'_>, v: &Value, g: i64| {
            c.slice(v, &[Dim::fixed(0), Dim::fixed(g * self.hidden)], &shape, &[1, 1])
        };
        let mut next = match self.kind {
            Kind::Rnn => {
                let r = self.recurrence.product(c, n, h)?;
                vec![c.elementwise_to(&shape, &[fixed, r], elem, |b, v| {
                    let sum = self.sum(b, &v[0], &v[1]);
                    self.activate(b, 0, &sum)
                })?]
            }
            Kind::Lstm => {
                let r = self.recurrence.product(c, n, h)?;
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
                    let cell = self.output(b, &v[0]);
                    b.mul(&output, &cell)
                })?;
                vec![h, cell]
            }
            Kind::Gru if self.linear_before_reset => {
                let r = self.recurrence.product(c, n, h)?;
                let mut inputs = vec![h.clone()];
                for &g in &parts {
                    inputs.push(gate(c, &fixed, g));
                    inputs.push(gate(c, &r, g));
                }
                inputs.extend(self.apart.clone());
                vec![c.elementwise_to(&shape, &inputs, elem, |b, v| {
                    let reset = self.gate(b, &v[3], &v[4]);
                    let mut part = b.cast(&v[6], elem);
                    if let Some(bias) = v.get(7) {
                        part = b.add(&part, bias);
                    }
                    let part = b.mul(&part, &reset);
                    let update = self.gate(b, &v[1], &v[2]);
                    self.state(b, (&update, &v[0]), (&v[5], &part))
                })?]
            }
            Kind::Gru => {
                let first = self.recurrence.rows(c, (0, 2 * self.hidden));
                let r = first.product(c, n, h)?;
                let (z_in, r_in) = (gate(c, &fixed, 0), gate(c, &fixed, 1));
                let (z_r, r_r) = (gate(c, &r, 0), gate(c, &r, 1));
                let inner = c.elementwise_to(&shape, &[h.clone(), r_in, r_r], elem, |b, v| {
                    let reset = self.gate(b, &v[1], &v[2]);
                    b.mul(&v[0], &reset)
                })?;
                let last = self.recurrence.rows(c, (2 * self.hidden, self.hidden));
                let turned = last.product(c, n, &inner)?;
                let turned = narrowed(c, &turned, elem)?;
                let mut inputs = vec![gate(c, &fixed, 2), turned, z_in, z_r, h.clone()];
                inputs.extend(self.apart.clone());
                vec![c.elementwise_to(&shape, &inputs, elem, |b, v| {
                    let mut part = v[1].clone();
                    if let Some(bias) = v.get(5) {
                        part = b.add(&part, bias);
                    }
                    let update = self.gate(b, &v[2], &v[3]);
                    self.state(b, (&update, &v[4]), (&v[0], &part))
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
}
