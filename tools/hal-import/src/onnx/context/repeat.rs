//! Loops of the host program, whose trip count may be known only at run time.
use super::Context;
use crate::onnx::{Dim, Outcome, Value};

impl Context<'_> {
    /// The state after `count` steps. `step` is given the number of the step and the state, and gives the next state, whose
    /// types are the same.
    pub(crate) fn repeat(
        &mut self,
        count: &Dim,
        state: &[Value],
        step: impl FnOnce(&mut Self, &Dim, &[Value]) -> Outcome<Vec<Value>>,
    ) -> Outcome<Vec<Value>> {
        let state: Vec<_> = state.iter().map(|v| self.settle(v)).collect();
        let (zero, one, end) = (self.index(&Dim::fixed(0)), self.index(&Dim::fixed(1)), self.index(count));
        let types = state.iter().map(Value::ty).collect::<Vec<_>>().join(", ");
        let initial: Vec<_> = state.iter().map(|v| self.ssa(v)).collect();
        let (number, names): (String, Vec<String>) = (self.w.name(), state.iter().map(|_| self.w.name()).collect());
        let carried: Vec<_> = names.iter().zip(&initial).map(|(n, i)| format!("{n} = {i}")).collect();
        let head =
            format!("scf.for {number} = {zero} to {end} step {one} iter_args({}) -> ({types}) {{", carried.join(", "));
        let results = self.w.open_values(state.len(), &head);
        let scope = self.enter();
        let at = self.fresh_symbol(number);
        let inner: Vec<_> =
            names.into_iter().zip(&state).map(|(n, v)| Value::new(n, v.elem, v.shape.clone())).collect();
        let next = step(self, &at, &inner)?;
        let yielded: Vec<_> = next
            .iter()
            .zip(&state)
            .map(|(new, old)| {
                let fitting = self.cast(new, &old.shape);
                self.ssa(&fitting)
            })
            .collect();
        self.leave(scope);
        self.w.line(format!("scf.yield {} : {types}", yielded.join(", ")));
        self.w.close("}");
        Ok(results.into_iter().zip(state).map(|(n, v)| Value::new(n, v.elem, v.shape)).collect())
    }

    /// `whole` with `part`, of one dimension less, at a position of its first dimension.
    pub(crate) fn with_part(&mut self, whole: &Value, part: &Value, at: &Dim) -> Value {
        let sizes: Vec<_> =
            part.shape.iter().map(|d| d.get().map_or_else(|| self.index(d), |d| d.to_string())).collect();
        let (part_ssa, whole_ssa, at) = (self.ssa(part), self.ssa(whole), self.index(at));
        let list = |first: &str, rest: &str| {
            format!("[{}]", [vec![first.to_owned()], vec![rest.to_owned(); sizes.len()]].concat().join(", "))
        };
        let text = format!(
            "tensor.insert_slice {part_ssa} into {whole_ssa}{} [{}] {} : {} into {}",
            list(&at, "0"),
            [vec!["1".to_owned()], sizes.clone()].concat().join(", "),
            list("1", "1"),
            part.ty(),
            whole.ty()
        );
        self.value(text, whole.elem, whole.shape.clone())
    }
}
