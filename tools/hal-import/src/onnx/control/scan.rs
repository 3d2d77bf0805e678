//! `Scan`: a loop over the indices of an axis. `SequenceMap`: a graph for each element of a sequence.
use super::*;
use crate::onnx::context::require::Rule;

/// The axes that a scan iterates over.
struct Over {
    value: Value,
    axis: usize,
    backwards: bool,
}

impl<'a> Importer<'a> {
    pub(super) fn scan(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let body = node.graph("body")?;
        let inputs = node.all()?;
        let carried = carried_by(node, body, inputs.len())?;
        let (axes, directions) = (node.ints("scan_input_axes"), node.ints("scan_input_directions"));
        let mut over = Vec::new();
        for (k, v) in inputs[carried..].iter().enumerate() {
            let axis = node.axis(at(axes.as_ref(), k)?, v.rank())?;
            over.push(Over { value: v.clone(), axis, backwards: at(directions.as_ref(), k)? != 0 });
        }
        let (axes, directions) = (node.ints("scan_output_axes"), node.ints("scan_output_directions"));
        let mut rows = Vec::new();
        for k in 0..body.output.len() - carried {
            rows.push(Place { axis: at(axes.as_ref(), k)?, backwards: at(directions.as_ref(), k)? != 0 });
        }
        let done = self.scan_over(inputs[..carried].to_vec(), over, rows, None, &mut |this, inputs| {
            this.subgraph(body, inputs, opsets, names)
        })?;
        Ok(done.map(|(state, rows)| [state, rows].concat()))
    }

    /// Opset 8: axis 0 is of batches, which are scanned one by one along their axis 0, each as far as its length says.
    pub(super) fn scan_batches(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let body = node.graph("body")?;
        let lengths = node.optional(0).cloned();
        let inputs: Vec<_> = (1..node.inputs.len()).map(|i| node.input(i).cloned()).collect::<Outcome<_>>()?;
        let carried = carried_by(node, body, inputs.len())?;
        if let Some(v) = inputs.iter().enumerate().find(|(k, v)| v.rank() < 1 + usize::from(*k >= carried)) {
            return invalid(format!(
                "input {} is of type `{}`, which has no axis of batches and one of steps",
                v.0 + 1,
                v.1.ty()
            ));
        }
        let directions = node.ints("directions");
        let backwards: Vec<_> = (carried..inputs.len())
            .map(|k| at(directions.as_ref(), k - carried).map(|d| d != 0))
            .collect::<Outcome<_>>()?;
        let row_count = body.output.len() - carried;
        let steps = inputs[carried..].first().map(|v| v.shape[1].clone());
        let over = |v: &Value| Over { value: v.clone(), axis: 0, backwards: false };
        let mut all: Vec<_> = inputs.iter().map(over).collect();
        if let Some(lengths) = &lengths {
            if lengths.rank() != 1 {
                return invalid(format!("the lengths are of type `{}`, no list", lengths.ty()));
            }
            let most = steps.clone().unwrap_or_else(|| Dim::fixed(0));
            self.c.require_range(lengths, &Dim::fixed(0), &most)?;
            all.push(over(lengths));
        }
        let rows = vec![Place { axis: 0, backwards: false }; carried + row_count];
        let done = self.scan_over(Vec::new(), all, rows, None, &mut |this, mut inputs| {
            let length = if lengths.is_some() { inputs.pop() } else { None };
            let length = match length {
                Some(v) => {
                    let read = this.c.read_dims(&v)?.remove(0);
                    // It is checked above.
                    let least = this.c.size_max(&read, &Dim::fixed(0));
                    let most = steps.clone().unwrap_or_else(|| Dim::fixed(0));
                    Some(this.c.size_min(&least, &most))
                }
                None => None,
            };
            let scanned = inputs.split_off(carried);
            let over = scanned
                .into_iter()
                .zip(&backwards)
                .map(|(value, &backwards)| Over { value, axis: 0, backwards })
                .collect();
            let rows = vec![Place { axis: 0, backwards: false }; row_count];
            let done = this.scan_over(inputs, over, rows, length, &mut |this, inputs| {
                this.subgraph(body, inputs, opsets, names)
            })?;
            Ok(done.map(|(state, rows)| [state, rows].concat()))
        })?;
        Ok(done.map(|(_, rows)| rows))
    }

    /// A scan; `length` is how far it goes, where that is not the whole axis.
    fn scan_over(
        &mut self,
        initial: Vec<Value>,
        over: Vec<Over>,
        rows: Vec<Place>,
        length: Option<Dim>,
        body: &mut dyn FnMut(&mut Self, Vec<Value>) -> Outcome<Option<Vec<Value>>>,
    ) -> repeat::Done {
        let Some(first) = over.first() else { return invalid("it scans nothing") };
        for other in &over[1..] {
            self.c.require_same((&other.value, other.axis), (&first.value, first.axis))?;
        }
        let steps = self.c.settle_dim(&first.value.shape[first.axis]);
        let what = Repeat {
            count: Some(length.clone().unwrap_or_else(|| steps.clone())),
            go: None,
            initial,
            rows,
            length: length.as_ref().map(|_| steps.clone()),
        };
        let carried = what.initial.len();
        let last = what.count.clone().unwrap_or_else(|| steps.clone()).offset(-1);
        self.repeat(&what, &mut |this, step, state| {
            let mut inputs = state.to_vec();
            for over in &over {
                let value = this.c.settle(&over.value);
                let at = if over.backwards { last.minus(step) } else { step.clone() };
                inputs.push(this.c.take(&value, over.axis, &at)?);
            }
            let results = body(this, inputs)?;
            Ok(results.map(|mut results| {
                let rows = results.split_off(carried);
                Step { go: None, state: results, rows }
            }))
        })
    }

    /// A graph for each element of a sequence, or of several; tensors are the same for each.
    pub(super) fn sequence_map(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let body = node.graph("body")?;
        let Some(inputs) = node.inputs.iter().cloned().collect::<Option<Vec<_>>>() else {
            return invalid("an input is missing");
        };
        if let Some(r) = inputs.iter().find_map(|v| v.ragged.clone()) {
            return self.sequence_map_ragged(body, inputs, &r.length(), opsets, names);
        }
        let Some(list) = inputs.first().and_then(|v| v.sequence.clone()) else {
            return invalid("input 0 is not a sequence");
        };
        if let Some(other) = inputs.iter().filter_map(|v| v.sequence.as_ref()).find(|l| l.len() != list.len()) {
            return invalid(format!("the sequences are of {} and {} elements", list.len(), other.len()));
        }
        let mut results = vec![Vec::new(); body.output.len()];
        for i in 0..list.len() {
            let element = |v: &Value| v.sequence.as_ref().map_or_else(|| v.clone(), |list| list[i].clone());
            let Some(made) = self.subgraph(body, inputs.iter().map(element).collect(), opsets, names)? else {
                return Ok(None);
            };
            for (list, v) in results.iter_mut().zip(made) {
                list.push(v);
            }
        }
        Ok(Some(results.into_iter().map(Value::of_sequence).collect()))
    }
}

impl<'a> Importer<'a> {
    /// Does the same as [`Importer::sequence_map`] for sequences whose length is known only at run time: a loop whose
    /// results grow.
    fn sequence_map_ragged(
        &mut self,
        body: &Graph,
        mut inputs: Vec<Value>,
        length: &Dim,
        opsets: &Opsets,
        names: &Names,
    ) -> Outcome<Option<Vec<Value>>> {
        for v in inputs.iter_mut().filter(|v| v.is_sequence()) {
            *v = self.c.ragged(v, v)?;
            let own = v.ragged.as_ref().map_or_else(|| Dim::fixed(0), |r| r.length());
            let text = "a sequence has {0} elements, another one {1}";
            self.c.require(Rule::Equal(own.clone(), length.clone()), text, &[&own, length])?;
        }
        let initial = body.output.iter().map(|_| Value::of_sequence(Vec::new())).collect();
        let what = Repeat { count: Some(length.clone()), go: None, initial, rows: Vec::new(), length: None };
        let done = self.repeat(&what, &mut |this, step, state| {
            let mut elements = Vec::new();
            for v in &inputs {
                elements.push(match &v.ragged {
                    Some(r) => this.c.ragged_at(r, step)?,
                    None => v.clone(),
                });
            }
            let Some(made) = this.subgraph(body, elements, opsets, names)? else { return Ok(None) };
            let mut next = Vec::new();
            for (list, item) in state.iter().zip(made) {
                next.push(match &list.ragged {
                    Some(r) => this.c.ragged_insert(r, &r.length(), &item)?,
                    None => {
                        Value::of_sequence([list.sequence.as_deref().cloned().unwrap_or_default(), vec![item]].concat())
                    }
                });
            }
            Ok(Some(Step { go: None, state: next, rows: Vec::new() }))
        })?;
        Ok(done.map(|(state, _)| state))
    }
}

/// Returns the number of values that a scan carries from step to step.
fn carried_by(node: &Node, body: &Graph, inputs: usize) -> Outcome<usize> {
    let scanned = node.int("num_scan_inputs", 0);
    let carried = usize::try_from(scanned).ok().filter(|&n| n > 0).and_then(|n| inputs.checked_sub(n));
    match carried {
        Some(carried) if body.input.len() == inputs && body.output.len() >= carried => Ok(carried),
        _ => invalid(format!(
            "it scans {scanned} of {inputs} inputs, its body has {} inputs and {} outputs",
            body.input.len(),
            body.output.len()
        )),
    }
}

/// An element of a list that may be left out, where it is 0.
fn at(list: Option<&Vec<i64>>, index: usize) -> Outcome<i64> {
    match list {
        None => Ok(0),
        Some(list) => list
            .get(index)
            .copied()
            .map_or_else(|| invalid(format!("a list of axes or directions has {} elements", list.len())), Ok),
    }
}
