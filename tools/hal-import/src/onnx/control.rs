//! Control flow: nodes that contain graphs.
mod branch;
mod repeat;
mod rows;
mod scan;

use super::{
    Dim, Elem, Node, Outcome, Value,
    graph::{Importer, Names, Opsets},
    problem::{invalid, unsupported},
    proto::{Graph, ValueInfo},
    value::tensor_type,
};
use repeat::{Repeat, Step};
use rows::Place;

/// The operators whose nodes hold graphs.
pub(super) const OPS: &[&str] = &["If", "Loop", "Scan", "SequenceMap"];

/// From this trip count on, exporters mean an unbounded loop.
const ENDLESS: i64 = 1 << 62;

impl Importer<'_> {
    pub(super) fn control(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        match node.op.as_str() {
            "If" => self.branch(node, opsets, names),
            "Loop" => self.looped(node, opsets, names),
            "Scan" if node.opset < 9 => self.scan_batches(node, opsets, names),
            "Scan" => self.scan(node, opsets, names),
            "SequenceMap" => self.sequence_map(node, opsets, names),
            _ => unsupported("the operator has no lowering"),
        }
    }

    /// `Loop`: at most a number of steps, while a condition holds.
    fn looped(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let body = node.graph("body")?;
        let initial: Vec<_> = match node.inputs.get(2..).unwrap_or_default().iter().cloned().collect() {
            Some(list) => list,
            None => return invalid("a value that the loop starts with is missing"),
        };
        let inputs = body.input.len();
        if inputs != initial.len() + 2 || body.output.len() <= initial.len() {
            let (values, outputs) = (initial.len(), body.output.len());
            return invalid(format!(
                "the loop carries {values} values, its body has {inputs} inputs and {outputs} outputs"
            ));
        }
        let count = match node.optional(0) {
            None => None,
            Some(m) => {
                let flat = self.c.reshape(m, &[])?;
                let count = self.c.read_dims(&flat)?.remove(0);
                Some(self.c.size_max(&count, &Dim::fixed(0))).filter(|c| c.get().is_none_or(|n| n < ENDLESS))
            }
        };
        let what = Repeat {
            count,
            go: node.optional(1).cloned(),
            rows: vec![Place { axis: 0, backwards: false }; body.output.len() - 1 - initial.len()],
            length: None,
            initial,
        };
        let (carried, shapes) = (what.initial.len(), [scalar_shape(&body.input[0]), scalar_shape(&body.input[1])]);
        let done = self.repeat(&what, &mut |this, step, state| {
            // It is only ever asked when it held.
            let go = super::Tensor::splat(Elem::Bool, shapes[1].iter().map(|_| 1).collect(), super::Num::I(1));
            let mut inputs = vec![Value::dims(Elem::I64, shapes[0].clone(), vec![step.clone()]), Value::constant(go)];
            inputs.extend(state.iter().cloned());
            let results = this.subgraph(body, inputs, opsets, names)?;
            Ok(results.map(|mut results| {
                let rows = results.split_off(1 + carried);
                let go = results.remove(0);
                Step { go: Some(go), state: results, rows }
            }))
        })?;
        Ok(done.map(|(state, rows)| [state, rows].concat()))
    }
}

/// The shape of a scalar input of a body: some models have it in a list of one.
fn scalar_shape(info: &ValueInfo) -> Vec<Dim> {
    let shape = info.ty.as_ref().and_then(|t| t.tensor.as_ref()).and_then(|t| t.shape.as_ref());
    vec![Dim::fixed(1); shape.map_or(0, |s| s.dim.len().min(1))]
}
