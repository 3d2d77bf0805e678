//! `If`: the branch that is known to be taken, or `scf.if`.
use super::*;

impl Importer<'_> {
    pub(super) fn branch(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let condition = node.input(0)?;
        let (yes, no) = (node.graph("then_branch")?, node.graph("else_branch")?);
        if let Some(tensor) = condition.tensor() {
            let taken = if tensor.len() > 0 && !tensor.get(0).is_zero() { yes } else { no };
            return self.subgraph(taken, Vec::new(), opsets, names);
        }
        let flag = self.flag(condition)?;
        let symbols = self.c.symbol_count();
        // The types of the results are known only after both branches.
        let mut branches = Vec::new();
        let mark = self.c.mark();
        for graph in [yes, no] {
            let before = self.c.w.capture();
            let scope = self.c.enter();
            let results = self.subgraph(graph, Vec::new(), opsets, names).map(|results| {
                results.map(|values| {
                    let values: Vec<_> = values.iter().map(|v| self.c.settle(v)).collect();
                    let tensors: Vec<_> = values.iter().flat_map(Value::tensors).collect();
                    let named: Vec<_> = tensors.into_iter().map(|v| (self.c.ssa(&v), v)).collect();
                    (values, named)
                })
            });
            self.c.leave(scope);
            let text = self.c.w.release(before);
            match results? {
                Some((values, named)) => branches.push((text, values, named)),
                None => return Ok(None),
            }
        }
        let (_, yes_values, yes_named) = &branches[0];
        let (_, no_values, no_named) = &branches[1];
        for ((a, b), name) in yes_values.iter().zip(no_values).zip(&node.outputs) {
            if !a.is_made_as(b) {
                return unsupported(format!(
                    "the branches give {} and {}; make the condition a constant, or give both branches results of one kind",
                    a.kind(),
                    b.kind()
                ));
            }
            if a.sequence.is_none() && !a.is_absent() && a.rank() != b.rank() {
                // What reads the result takes one of both ranks; the model may say which.
                let ranks = [a.rank(), b.rank()];
                let declared = self.ranks.get(name).copied().filter(|r| ranks.contains(r));
                let Some(rank) = declared else {
                    return unsupported(format!(
                        "the branches give {} and {}, and the model does not declare the rank of `{name}`",
                        a.kind(),
                        b.kind()
                    ));
                };
                self.c.rewind(mark);
                return self.only(node, (flag, a.rank() == rank), rank, opsets, names);
            }
        }
        let mut types: Vec<(Elem, Vec<Option<Dim>>)> = Vec::new();
        for ((_, a), (_, b)) in yes_named.iter().zip(no_named) {
            if a.elem != b.elem || a.rank() != b.rank() {
                return unsupported(format!("the branches give `{}` and `{}`", a.ty(), b.ty()));
            }
            let outside = |d: &Dim| d.terms().iter().all(|t| t.0 < symbols);
            let dims = a.shape.iter().zip(&b.shape).map(|(x, y)| Some(x.clone()).filter(|x| x == y && outside(x)));
            types.push((a.elem, dims.collect()));
        }
        let text = |(elem, dims): &(Elem, Vec<Option<Dim>>)| {
            tensor_type(*elem, &super::super::dims::open(dims))
        };
        let list: Vec<_> = types.iter().map(text).collect();
        let results = if list.is_empty() {
            Vec::new()
        } else {
            let results = self.c.w.open_values(types.len(), &format!("scf.if {flag} -> ({}) {{", list.join(", ")));
            for (i, (body, _, named)) in branches.iter().enumerate() {
                if i == 1 {
                    self.c.w.between("} else {");
                }
                self.c.w.paste(body);
                let mut yielded = Vec::new();
                for ((ssa, value), ty) in named.iter().zip(&list) {
                    let same = value.ty() == *ty;
                    yielded.push(if same {
                        ssa.clone()
                    } else {
                        self.c.w.value(format!("tensor.cast {ssa} : {} to {ty}", value.ty()))
                    });
                }
                self.c.w.line(format!("scf.yield {} : {}", yielded.join(", "), list.join(", ")));
            }
            self.c.w.close("}");
            results
        };
        let mut tensors = Vec::new();
        for (ssa, (elem, dims)) in results.into_iter().zip(types) {
            tensors.push(self.c.sized(ssa, elem, &dims));
        }
        let mut tensors = tensors.into_iter();
        Ok(Some(yes_values.iter().map(|v| v.of_tensors(&mut tensors)).collect()))
    }

    /// The only branch whose result has the rank that the model declares; a run that would take the other one fails.
    fn only(
        &mut self,
        node: &Node,
        (flag, then): (String, bool),
        rank: usize,
        opsets: &Opsets,
        names: &Names,
    ) -> Outcome<Option<Vec<Value>>> {
        let fine = if then {
            flag
        } else {
            let flag = super::super::Scalar::new(flag, Elem::Bool);
            self.c.body().not(&flag).name
        };
        let text = format!("the condition chooses the branch whose result is not of rank {rank}, which the model declares");
        self.c.check_values(&fine, &text, &[]);
        self.subgraph(node.graph(if then { "then_branch" } else { "else_branch" })?, Vec::new(), opsets, names)
    }
}
