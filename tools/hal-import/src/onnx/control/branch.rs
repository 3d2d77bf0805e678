//! `If`: the branch that is surely taken, or `scf.if`.
use super::*;

/// A branch: its text, its results, and the tensors of these by name.
type Written = (String, Vec<Value>, Vec<(String, Value)>);

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
        let mark = self.c.mark();
        let Some(mut branches) = self.branches([yes, no], &[], opsets, names)? else { return Ok(None) };
        let counts = [branches[0].1.len(), branches[1].1.len()];
        if counts != [node.outputs.len(); 2] {
            return invalid(format!(
                "its branches give {} and {} results, and it has {} outputs",
                counts[0],
                counts[1],
                node.outputs.len()
            ));
        }
        // Sequences of different lengths are one whose length only a run knows.
        let uneven: Vec<_> = (branches[0].1.iter().zip(&branches[1].1))
            .map(|(a, b)| {
                let uneven = a.is_sequence() && b.is_sequence() && !a.is_made_as(b);
                uneven.then(|| if b.tensors().is_empty() { a.clone() } else { b.clone() })
            })
            .collect();
        if uneven.iter().any(Option::is_some) {
            self.c.rewind(mark.clone());
            let Some(even) = self.branches([yes, no], &uneven, opsets, names)? else { return Ok(None) };
            branches = even;
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
            if a.is_tensor() && a.rank() != b.rank() {
                // Readers of the result expect one of both ranks; the model may state which.
                let ranks = [a.rank(), b.rank()];
                let declared = self.ranks.get(name).copied().filter(|r| ranks.contains(r));
                let (then, why) = match (declared, self.choices.get(&node.name)) {
                    (Some(rank), _) => (a.rank() == rank, "which the model declares"),
                    (None, Some(then)) => (*then, "the only one with which the rest of the model fits"),
                    (None, None) => {
                        self.undecided.push(node.name.clone());
                        return unsupported(format!(
                            "the branches give {} and {}, and what follows does not tell which of them; declare the rank of `{name}`, or make the condition a constant",
                            a.kind(),
                            b.kind()
                        ));
                    }
                };
                let rank = if then { a.rank() } else { b.rank() };
                self.c.rewind(mark);
                return self.only(node, (flag, then), &format!("{rank}, {why}"), opsets, names);
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
        let text = |(elem, dims): &(Elem, Vec<Option<Dim>>)| tensor_type(*elem, &super::super::dims::open(dims));
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

    /// Both branches: their text, their results, and the tensors of these by name. What `ragged` has a sequence for becomes one of
    /// unknown length, with elements as those of that sequence.
    fn branches(
        &mut self,
        graphs: [&Graph; 2],
        ragged: &[Option<Value>],
        opsets: &Opsets,
        names: &Names,
    ) -> Outcome<Option<Vec<Written>>> {
        let mut branches = Vec::new();
        for graph in graphs {
            let before = self.c.w.capture();
            let scope = self.c.enter();
            let results = self.subgraph(graph, Vec::new(), opsets, names).and_then(|results| {
                let Some(mut values) = results else { return Ok(None) };
                for (v, like) in values.iter_mut().zip(ragged.iter().chain(std::iter::repeat(&None))) {
                    if let Some(like) = like {
                        *v = self.c.ragged(v, like)?;
                    }
                    *v = self.c.with_spans(v)?;
                }
                let values: Vec<_> = values.iter().map(|v| self.c.settle(v)).collect();
                let tensors: Vec<_> = values.iter().flat_map(Value::tensors).collect();
                let named: Vec<_> = tensors.into_iter().map(|v| (self.c.ssa(&v), v)).collect();
                Ok(Some((values, named)))
            });
            self.c.leave(scope);
            let text = self.c.w.release(before);
            match results? {
                Some((values, named)) => branches.push((text, values, named)),
                None => return Ok(None),
            }
        }
        Ok(Some(branches))
    }

    /// The only branch whose result is of a rank that fits, with the reason; a run that would take the other one fails.
    fn only(
        &mut self,
        node: &Node,
        (flag, then): (String, bool),
        rank: &str,
        opsets: &Opsets,
        names: &Names,
    ) -> Outcome<Option<Vec<Value>>> {
        let fine = if then {
            flag
        } else {
            let flag = super::super::Scalar::new(flag, Elem::Bool);
            self.c.body().not(&flag).name
        };
        let text = format!("the condition chooses the branch whose result is not of rank {rank}");
        self.c.check_values(&fine, &text, &[]);
        self.subgraph(node.graph(if then { "then_branch" } else { "else_branch" })?, Vec::new(), opsets, names)
    }
}
