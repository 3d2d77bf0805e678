//! Control flow: nodes that hold graphs.
use super::{
    Dim, Elem, Node, Outcome, Value,
    graph::{Importer, Names, Opsets},
    problem::unsupported,
    value::tensor_type,
};

impl Importer<'_> {
    pub(super) fn control(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        match node.op.as_str() {
            "If" => self.branch(node, opsets, names),
            _ => unsupported("the operator has no lowering"),
        }
    }

    /// `If`: the branch that is known to be taken, or `scf.if`.
    fn branch(&mut self, node: &Node, opsets: &Opsets, names: &Names) -> Outcome<Option<Vec<Value>>> {
        let condition = node.input(0)?;
        let (yes, no) = (node.graph("then_branch")?, node.graph("else_branch")?);
        if let Some(tensor) = condition.tensor() {
            let taken = if tensor.len() > 0 && !tensor.get(0).is_zero() { yes } else { no };
            return self.subgraph(taken, Vec::new(), opsets, names);
        }
        let flat = self.c.reshape(condition, &[])?;
        let ssa = self.c.ssa(&flat);
        let flag = self.c.body().extract(&ssa, "tensor<i1>", Elem::Bool, &[]).name;
        // The types of the results are known only after both branches.
        let mut branches = Vec::new();
        for graph in [yes, no] {
            let before = self.c.w.capture();
            let scope = self.c.enter();
            let results = self.subgraph(graph, Vec::new(), opsets, names);
            if let Ok(Some(values)) = &results
                && values.iter().any(|v| v.sequence.is_some())
            {
                return unsupported("a branch gives a sequence");
            }
            let named = results.map(|r| {
                r.map(|values| {
                    values
                        .into_iter()
                        .map(|v| {
                            let ssa = self.c.ssa(&v);
                            (ssa, v)
                        })
                        .collect::<Vec<_>>()
                })
            });
            self.c.leave(scope);
            let text = self.c.w.release(before);
            match named? {
                Some(values) => branches.push((text, values)),
                None => return Ok(None),
            }
        }
        let mut types = Vec::new();
        for ((_, a), (_, b)) in branches[0].1.iter().zip(&branches[1].1) {
            if a.elem != b.elem || a.rank() != b.rank() || a.sequence.is_some() || b.sequence.is_some() {
                return unsupported(format!("the branches give `{}` and `{}`", a.ty(), b.ty()));
            }
            types.push((
                a.elem,
                a.shape.iter().zip(&b.shape).map(|(x, y)| x.get().filter(|_| x == y)).collect::<Vec<_>>(),
            ));
        }
        let text = |(elem, dims): &(Elem, Vec<Option<i64>>)| {
            format!(
                "tensor<{}{}>",
                dims.iter().map(|d| d.map_or("?x".into(), |d| format!("{d}x"))).collect::<String>(),
                elem.mlir()
            )
        };
        let list: Vec<_> = types.iter().map(text).collect();
        let results = self.c.w.open_values(types.len(), &format!("scf.if {flag} -> ({}) {{", list.join(", ")));
        for (i, (body, values)) in branches.iter().enumerate() {
            if i == 1 {
                self.c.w.between("} else {");
            }
            self.c.w.paste(body);
            let mut yielded = Vec::new();
            for ((ssa, value), ty) in values.iter().zip(&list) {
                let same = tensor_type(value.elem, &value.shape) == *ty;
                yielded.push(if same {
                    ssa.clone()
                } else {
                    self.c.w.value(format!("tensor.cast {ssa} : {} to {ty}", value.ty()))
                });
            }
            self.c.w.line(format!("scf.yield {} : {}", yielded.join(", "), list.join(", ")));
        }
        self.c.w.close("}");
        let values = results.into_iter().zip(types).zip(&list).map(|((ssa, (elem, dims)), ty)| {
            let shape = dims
                .iter()
                .enumerate()
                .map(|(i, d)| {
                    d.map_or_else(
                        || {
                            let at = self.c.index(&Dim::fixed(i as i64));
                            let size = self.c.w.value(format!("tensor.dim {ssa}, {at} : {ty}"));
                            self.c.fresh_symbol(size)
                        },
                        Dim::fixed,
                    )
                })
                .collect();
            Value::new(ssa, elem, shape)
        });
        Ok(Some(values.collect()))
    }
}
