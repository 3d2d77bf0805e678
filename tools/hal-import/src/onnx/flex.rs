//! `FlexAttention`: attention with graphs of the node that modify scores and weights.
use super::{
    Elem, Node, Outcome, Value,
    graph::{Importer, Names, Opsets},
    ops::{
        attention::{repeated, scores},
        matmul::{narrowed, product},
        softmax::softmax,
    },
    problem::{invalid, unsupported},
};

impl Importer<'_> {
    pub(super) fn flex_attention(&mut self, n: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let (q, k, v) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
        if let Some(v) = [&q, &k, &v].into_iter().find(|v| v.rank() != 4 || !v.elem.is_float()) {
            return invalid(format!("`{}` is no tensor of floats of rank 4", v.ty()));
        }
        for (one, other, i) in [(&q, &k, 0), (&k, &v, 0), (&k, &v, 1), (&k, &v, 2), (&q, &k, 3)] {
            self.c.require_same((one, i), (other, i))?;
        }
        let [q, k, v] = [q, k, v].map(|v| self.c.settle(&v));
        let heads = q.shape[1].clone();
        let (k, v) = (repeated(&mut self.c, &k, &heads)?, repeated(&mut self.c, &v, &heads)?);
        let elem = match n.int("softmax_precision", 0) {
            0 => q.elem.accumulator(),
            code => Elem::from_onnx(code as i32).or_else(|t| unsupported(format!("`softmax_precision` is {t}")))?,
        };
        let raw = scores(&mut self.c, &q, &k, n.has("scale").then(|| n.float("scale", 1.0)))?;
        let raw = narrowed(&mut self.c, &raw, elem)?;
        let Some(shown) = self.modified(n, "score_mod", raw, opsets, names)? else { return Ok(None) };
        let weights = softmax(&mut self.c, &shown, &[3], false)?;
        let Some(weights) = self.modified(n, "prob_mod", weights, opsets, names)? else { return Ok(None) };
        let values = narrowed(&mut self.c, &v, elem)?;
        let sum = product(&mut self.c, &weights, &values)?;
        Ok(Some(vec![narrowed(&mut self.c, &sum, q.elem)?]))
    }

    /// Applies a graph of the node to a value, if there is one; type and shape stay the same.
    fn modified(
        &mut self,
        n: &Node,
        name: &str,
        value: Value,
        opsets: &Opsets,
        names: &Names,
    ) -> Outcome<Option<Value>> {
        if !n.has(name) {
            return Ok(Some(value));
        }
        let graph = n.graph(name)?;
        if (graph.input.len(), graph.output.len()) != (1, 1) {
            return invalid(format!(
                "`{name}` has {} inputs and {} outputs, not one",
                graph.input.len(),
                graph.output.len()
            ));
        }
        let Some(mut results) = self.subgraph(graph, vec![value.clone()], opsets, names)? else { return Ok(None) };
        let result = results.remove(0).called(name);
        if result.sequence.is_some() || result.elem != value.elem || result.rank() != value.rank() {
            return invalid(format!("`{name}` makes `{}` of `{}`", result.ty(), value.ty()));
        }
        for i in 0..value.rank() {
            self.c.require_same((&result, i), (&value, i))?;
        }
        Ok(Some(self.c.settle(&result)))
    }
}
