//! Writes structured operations of linalg as loop nests.
use super::body::{Body, Place, only_use, overwritten};
use crate::expression::{
    Scope,
    index::{affine_of_loops, position},
    language::Language,
    scalar::{as_stored, scalar},
    shape::loop_bounds,
};
use halyard_ir::{AffineKind, Op, Structured, Value};

/// Names of loops; more than these are numbered.
const NAMES: [&str; 8] = ["i", "j", "k", "l", "m", "n", "p", "q"];

impl Body<'_> {
    /// Loops over the elements of the operands; loops over results stand outside of those that sum up.
    pub(super) fn nest(&mut self, op: Op) -> Result<(), String> {
        let structured = Structured::of(op).ok_or("the operation has no indexing maps")?;
        let block = op.body().ok_or("the operation has no body")?;
        let operands = op.operands();
        let inits = &operands[structured.inputs..];
        let arguments = block.args();
        if arguments.len() != operands.len() {
            return Err(format!("`{}` has a body of another form", op.name()));
        }
        // Old elements matter where the body reads them, or where not all of them are written.
        let reads = |i: usize| arguments[structured.inputs + i].has_uses();
        let mut outputs = Vec::new();
        for (i, &init) in inits.iter().enumerate() {
            let map = structured.maps[structured.inputs + i];
            let whole = map.projected_permutation().is_some();
            let in_place = overwritten(op).filter(|&v| only_use(v)).map(|v| self.place(v)).transpose()?;
            outputs.push(match in_place {
                Some(place @ Place::Buffer { owned: true, .. }) => place,
                _ => self.updated(op.result(i), init, reads(i) || !whole)?,
            });
        }

        let bounds = loop_bounds(self, &structured, &operands)?;
        let parallel = structured.parallel();
        let loops = bounds.len();
        let names: Vec<String> =
            (0..loops).map(|d| NAMES.get(d).map_or_else(|| format!("d{d}"), |n| (*n).to_owned())).collect();
        self.describe(op, &structured, &operands, &outputs, &names)?;
        let reductions: Vec<usize> = (0..loops).filter(|&d| !parallel[d]).collect();
        for d in (0..loops).filter(|&d| parallel[d]) {
            self.text.each(&names[d], &bounds[d]);
        }
        if parallel.iter().all(|p| !p) {
            // Names of the sums are local.
            self.text.open("");
        }
        let mut at = Vec::new();
        for (i, output) in outputs.iter().enumerate() {
            let results = structured.maps[structured.inputs + i].results();
            at.push((output.clone(), self.indices(&results, &names)));
        }
        // Sums stay in variables until they are complete.
        let sums = !reductions.is_empty();
        let mut current = Vec::new();
        for (i, (place, index)) in at.iter().enumerate() {
            let ty = inits[i].ty().element();
            let sum = if sums {
                let old = if reads(i) { self.load(place, index, ty)? } else { "0".into() };
                let name = self.text.fresh("acc");
                self.text.line(format!("{} {name} = {old};", Language::C.computed(ty)?));
                name
            } else {
                String::new()
            };
            current.push(sum);
        }
        for &d in &reductions {
            self.text.each(&names[d], &bounds[d]);
        }
        let outer = std::mem::replace(&mut self.loops, names.clone());
        for (i, (&argument, &operand)) in arguments.iter().zip(&operands).enumerate() {
            if !argument.has_uses() {
                continue;
            }
            let value = if !operand.ty().is_tensor() {
                self.value(operand)?
            } else if let Some(output) = i.checked_sub(structured.inputs)
                && sums
            {
                current[output].clone()
            } else {
                let place = match i.checked_sub(structured.inputs) {
                    Some(output) => outputs[output].clone(),
                    None => self.place(operand)?,
                };
                let index = self.indices(&structured.maps[i].results(), &names);
                self.element(&place, &index, operand)?
            };
            self.scalars.insert(argument, value);
        }
        let end = block.terminator().ok_or("the body has no end")?;
        for inner in block.ops() {
            if inner != end {
                self.inner(inner)?;
            }
        }
        let values: Vec<String> = end.operands().into_iter().map(|v| self.value(v)).collect::<Result<_, _>>()?;
        for (i, value) in values.iter().enumerate() {
            if sums {
                self.text.line(format!("{} = {value};", current[i]));
            } else {
                self.store(&at[i].0, &at[i].1, value, inits[i])?;
            }
        }
        self.text.close(reductions.len());
        if sums {
            for (i, sum) in current.iter().enumerate() {
                self.store(&at[i].0, &at[i].1, sum, inits[i])?;
            }
        }
        self.text.close(loops - reductions.len() + usize::from(parallel.iter().all(|p| !p)));
        self.loops = outer;
        for (i, place) in outputs.into_iter().enumerate() {
            self.places.insert(op.result(i), place);
        }
        Ok(())
    }

    /// An operation in the body of another one.
    pub(super) fn inner(&mut self, op: Op) -> Result<(), String> {
        if op.result_count() != 1 || !op.regions().is_empty() || op.result(0).ty().is_tensor() {
            return Err(format!("`{}` in the body of another operation is not written in C", op.name()));
        }
        scalar(self, op)
    }

    /// Loads an element into a named variable.
    fn element(&mut self, place: &Place, index: &[String], operand: Value) -> Result<String, String> {
        let ty = operand.ty().element();
        let text = self.load(place, index, ty)?;
        if matches!(place, Place::Splat { .. }) {
            return Ok(text);
        }
        let name = self.text.fresh("x");
        self.text.line(format!("const {} {name} = {text};", Language::C.computed(ty)?));
        Ok(name)
    }

    pub(super) fn store(&mut self, place: &Place, index: &[String], value: &str, like: Value) -> Result<(), String> {
        let Place::Buffer { name, shape, .. } = place else { return Err("a result has no buffer".into()) };
        let value = as_stored(&mut self.text, value, like.ty().element());
        self.text.line(format!("{name}[{}] = {value};", position(shape, index)));
        Ok(())
    }

    fn indices(&mut self, results: &[AffineKind], names: &[String]) -> Vec<String> {
        results.iter().map(|e| affine_of_loops(&mut self.text, e, names)).collect()
    }

    /// The comment above a nest: the operation, and what is read and written where.
    fn describe(
        &mut self,
        op: Op,
        structured: &Structured,
        operands: &[Value],
        outputs: &[Place],
        names: &[String],
    ) -> Result<(), String> {
        let part = |body: &mut Self, name: &str, i: usize| {
            let index = body.indices(&structured.maps[i].results(), names);
            format!("{name}[{}]", index.join("]["))
        };
        let mut read = Vec::new();
        for (i, &operand) in operands.iter().enumerate().take(structured.inputs) {
            if !operand.ty().is_tensor() {
                continue;
            }
            match self.place(operand)? {
                Place::Buffer { name, .. } => read.push(part(self, &name, i)),
                Place::Splat { value, .. } => read.push(value),
                Place::Empty { .. } => {}
            }
        }
        let mut written = Vec::new();
        for (i, output) in outputs.iter().enumerate() {
            if let Place::Buffer { name, .. } = output {
                written.push(part(self, name, structured.inputs + i));
            }
        }
        let kind = if Language::C.narrow(op.result(0).ty().element()).is_some() { ", in bf16" } else { "" };
        let text = format!("{}{kind}: {} from {}", op.name(), written.join(", "), read.join(", "));
        let text = text.strip_suffix(" from ").map_or(text.clone(), str::to_owned);
        self.text.comment(&text.replace("[]", ""));
        Ok(())
    }
}
