//! Writes an element of the result of a structured operation: a value, or a sum in loops.
use super::element::Elements;
use crate::expression::{Scope, index::affine_of_loops, shape::loop_bounds};
use halyard_ir::{AffineKind, Block, Op, Structured, Value};
use std::collections::HashSet;

impl Elements {
    /// An element of a result; those of the others at the same place are computed with it.
    pub(super) fn nest(&mut self, op: Op, result: usize, index: &[String]) -> Result<String, String> {
        let structured = Structured::of(op).ok_or("the operation has no indexing maps")?;
        let block = op.body().ok_or("the operation has no body")?;
        let end = block.terminator().ok_or("the body has no end")?;
        let (operands, arguments, inputs) = (op.operands(), block.args(), structured.inputs);
        if arguments.len() != operands.len() {
            return Err(format!("`{}` has a body of another form", op.name()));
        }
        let written = structured.maps[inputs + result].results();
        let mut dims: Vec<Option<String>> = vec![None; structured.loops()];
        for (e, i) in written.iter().zip(index) {
            match e {
                AffineKind::Dim(d) if dims[*d].is_none() => dims[*d] = Some(i.clone()),
                AffineKind::Constant(_) => {}
                _ => return Err(format!("`{}` writes its result at places that are computed", op.name())),
            }
        }
        let together: Vec<usize> =
            (0..op.result_count()).filter(|&r| structured.maps[inputs + r].results() == written).collect();
        let yields: Vec<Value> = together.iter().map(|&r| end.operand(r)).collect();
        let needed = needed(&block, &yields);
        let read: Vec<bool> = arguments
            .iter()
            .map(|a| yields.contains(a) || a.uses().iter().any(|(user, _)| needed.contains(user)))
            .collect();

        let bounds = loop_bounds(self, &structured, &operands)?;
        let sums = dims.iter().any(Option::is_none);
        let mut current = Vec::new();
        for &r in together.iter().filter(|_| sums) {
            let ty = op.result(r).ty().element();
            let old = if read[inputs + r] { self.element(operands[inputs + r], index)? } else { self.zero(ty) };
            current.push(self.variable("acc", ty, &old)?);
        }
        let loops = dims.iter().filter(|d| d.is_none()).count();
        let mut names = Vec::new();
        for (dim, bound) in dims.iter().zip(&bounds) {
            names.push(match dim {
                Some(name) => name.clone(),
                None => self.each(bound),
            });
        }
        let done = self.yielded(op, &structured, &names, (&needed, &read), &|r| {
            let sum = together.iter().position(|t| *t == r).filter(|_| sums);
            sum.map(|i| current[i].clone())
        });
        let values = done.and_then(|()| self.values(&yields));
        if let (Ok(values), true) = (&values, sums) {
            current.iter().zip(values).for_each(|(sum, value)| self.text.line(format!("{sum} = {value};")));
        }
        (0..loops).for_each(|_| self.close());
        let values = if sums { values.map(|_| current) } else { values }?;
        for (&r, value) in together.iter().zip(&values) {
            self.know(op.result(r), index, value);
        }
        let own = together.iter().position(|r| *r == result).ok_or("a result has no value")?;
        Ok(values[own].clone())
    }

    /// Writes the body of an operation for one place in its loops: the operations that are needed, of the arguments those
    /// that they read. `sum` is what is summed up so far of a result.
    fn yielded(
        &mut self,
        op: Op,
        structured: &Structured,
        names: &[String],
        (needed, read): (&HashSet<Op>, &[bool]),
        sum: &dyn Fn(usize) -> Option<String>,
    ) -> Result<(), String> {
        let block = op.body().ok_or("the operation has no body")?;
        let outer = std::mem::replace(&mut self.loops, names.to_vec());
        for (i, (argument, operand)) in block.args().into_iter().zip(op.operands()).enumerate() {
            if !read[i] {
                continue;
            }
            let result = i.checked_sub(structured.inputs);
            let value = match result.and_then(sum) {
                Some(name) => name,
                None if !operand.ty().is_tensor() => self.value(operand)?,
                None if result.is_some() && names.len() > structured.maps[i].results().len() => {
                    return Err("results of different shapes are summed up in one loop nest".into());
                }
                None => {
                    let results = structured.maps[i].results();
                    let at = results.iter().map(|e| affine_of_loops(&mut self.text, e, names)).collect();
                    let at = self.named(at)?;
                    self.element(operand, &at)?
                }
            };
            self.bind(argument, value);
        }
        for inner in block.ops().into_iter().filter(|inner| needed.contains(inner)) {
            self.inner(inner)?;
        }
        self.loops = outer;
        Ok(())
    }
}

/// The operations of a block that values are made of.
fn needed(block: &Block, values: &[Value]) -> HashSet<Op> {
    let inside: HashSet<Op> = block.ops().into_iter().collect();
    let mut needed = HashSet::new();
    let mut open: Vec<Value> = values.to_vec();
    while let Some(value) = open.pop() {
        if let Some(op) = value.def().filter(|op| inside.contains(op))
            && needed.insert(op)
        {
            open.extend(op.operands());
        }
    }
    needed
}
