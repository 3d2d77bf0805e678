//! Writes the text of a loop whose body has been written: `scf.for`, or `scf.while` if a condition ends it or its
//! values change their shape.
use super::{super::rows::Rows, Carry, Repeat, Step};
use crate::onnx::{
    Context, Dim, Elem, Num, Outcome, Value, context::Scope, dims::open, graph::Importer, problem::invalid,
};

/// A body that has been written, and what belongs to it.
pub(super) struct Written<'w> {
    pub(super) what: &'w Repeat,
    pub(super) initial: &'w [Value],
    pub(super) carry: &'w [Carry],
    /// The values that change, as the body has them.
    pub(super) args: Vec<Value>,
    /// The name of the number of the step.
    pub(super) number: String,
    pub(super) step: Dim,
    /// The number of symbols before the loop.
    pub(super) symbols: usize,
}

impl<'a> Importer<'a> {
    /// Writes the loop around its body, whose text is being captured.
    pub(super) fn write(
        &mut self,
        l: Written<'_>,
        (before, scope): (String, Scope),
        result: Step,
        next: &[Value],
    ) -> Outcome<(Vec<Value>, Vec<Value>)> {
        let what = l.what;
        // Whether there is a step after this one, where that is not only a matter of their number.
        let goes_on = result.go.as_ref().and_then(|go| go.splat()).is_some_and(|go| !go.is_zero());
        let asks = what.go.is_some() && !goes_on;
        let go = match (&what.go, &result.go) {
            (Some(_), Some(go)) if asks => Some(self.flag(go)),
            _ => None,
        };
        let mut yielded = Vec::new();
        let changing: Vec<_> =
            l.initial.iter().zip(l.carry).zip(next).filter(|((_, c), _)| **c != Carry::Same).collect();
        for ((_, next), arg) in changing.iter().zip(&l.args) {
            let value = self.c.cast(next, &arg.shape);
            yielded.push(self.c.ssa(&value));
        }
        let ended = asks || what.count.is_none();
        let rows: Outcome<Vec<_>> = what
            .rows
            .iter()
            .zip(&result.rows)
            .map(|(place, row)| {
                let row = self.c.settle(row);
                Rows::of(self, *place, row, what.count.as_ref().filter(|_| !ended), what.length.as_ref(), l.symbols)
            })
            .collect();
        let mut rows = match rows {
            Ok(rows) => rows,
            Err(problem) => {
                self.c.leave(scope);
                self.c.w.release(before);
                return Err(problem);
            }
        };
        for rows in &mut rows {
            yielded.push(rows.add(self, &l.step));
        }
        let following = self.c.index(&l.step.offset(1));
        self.c.leave(scope);
        let text = self.c.w.release(before);
        let go = go.transpose()?;
        if what.count.is_none() && !asks {
            return invalid("it has no bound, and no condition ends it");
        }
        // The initial values, written before it.
        let mut types: Vec<_> = l.args.iter().map(Value::ty).collect();
        let mut names: Vec<_> = l.args.iter().map(|v| self.c.ssa(v)).collect();
        let mut first = Vec::new();
        // Upstream's simplifications of `scf.for` give what it carries the type that it starts with, as if no step could change that.
        let mut widened = rows.iter().any(Rows::grows);
        for (((v, _), _), arg) in changing.iter().zip(&l.args) {
            widened |= arg.shape.iter().zip(&v.shape).any(|(a, d)| a.get().is_none() && d.get().is_some());
            let fixed: Vec<_> = arg.shape.iter().map(|a| Some(a.clone()).filter(|a| a.get().is_some())).collect();
            let value = self.c.cast(v, &open(&fixed));
            first.push(self.c.ssa(&value));
        }
        for rows in &rows {
            let (initial, ty) = rows.initial(self);
            names.push(rows.name.clone());
            first.push(initial);
            types.push(ty);
        }
        let (mut results, taken) = if first.is_empty() && !asks {
            (Vec::new(), None)
        } else if ended || widened {
            let condition = match &what.go {
                Some(go) => self.flag(go)?,
                None => self.c.scalar(Elem::Bool, Num::I(1)),
            };
            let results = self.write_while(what.count.as_ref(), &l.number, (&names, &types, &first), &condition, |c| {
                c.w.paste(&text);
                let go = go.clone().unwrap_or_else(|| c.scalar(Elem::Bool, Num::I(1)));
                let all = [vec![following.clone(), go], yielded.clone()].concat();
                let types = [vec!["index".to_owned(), "i1".to_owned()], types.clone()].concat();
                c.w.line(format!("scf.yield {} : {}", all.join(", "), types.join(", ")));
            });
            let mut results = results.into_iter();
            let taken = results.next().map(|name| self.c.fresh_symbol(name));
            (results.collect::<Vec<_>>(), taken)
        } else {
            let mut count = what.count.clone().unwrap_or_else(|| Dim::fixed(0));
            if let Some(go) = what.go.as_ref().filter(|go| go.splat().is_none_or(|v| v.is_zero())) {
                // The condition can only keep it from its first step.
                let (go, most, none) = (self.flag(go)?, self.c.index(&count), self.c.index(&Dim::fixed(0)));
                let steps = self.c.w.value(format!("arith.select {go}, {most}, {none} : index"));
                count = self.c.fresh_symbol(steps);
            }
            let (zero, one, end) = (self.c.index(&Dim::fixed(0)), self.c.index(&Dim::fixed(1)), self.c.index(&count));
            let pairs: Vec<_> = names.iter().zip(&first).map(|(n, i)| format!("{n} = {i}")).collect();
            let head = format!(
                "scf.for {} = {zero} to {end} step {one} iter_args({}) -> ({}) {{",
                l.number,
                pairs.join(", "),
                types.join(", ")
            );
            let results = self.c.w.open_values(first.len(), &head);
            self.c.w.paste(&text);
            self.c.w.line(format!("scf.yield {} : {}", yielded.join(", "), types.join(", ")));
            self.c.w.close("}");
            (results, Some(count))
        };
        let row_results = results.split_off(l.args.len());
        let mut results = results.into_iter();
        let mut tensors = Vec::new();
        for (v, carry) in l.initial.iter().zip(l.carry) {
            tensors.push(match carry {
                Carry::Same => v.clone(),
                Carry::Changing(dims) => self.c.sized(results.next().expect("a result for each"), v.elem, dims),
            });
        }
        let mut tensors = tensors.into_iter();
        let state = what.initial.iter().map(|v| v.of_tensors(&mut tensors)).collect();
        let mut whole = Vec::new();
        for (rows, name) in rows.iter().zip(row_results) {
            whole.push(rows.result(self, name, taken.as_ref())?);
        }
        Ok((state, whole))
    }

    /// An `scf.while`: its number of steps, then what it carries.
    fn write_while(
        &mut self,
        count: Option<&Dim>,
        number: &str,
        (names, types, first): (&[String], &[String], &[String]),
        condition: &str,
        body: impl FnOnce(&mut Context<'a>),
    ) -> Vec<String> {
        let zero = self.c.index(&Dim::fixed(0));
        let bound = count.map(|c| self.c.index(c));
        let asked: Vec<_> = (0..first.len() + 2).map(|_| self.c.w.name()).collect();
        let start = [vec![zero, condition.to_owned()], first.to_vec()].concat();
        let pairs: Vec<_> = asked.iter().zip(&start).map(|(n, i)| format!("{n} = {i}")).collect();
        let kept = [vec!["index".to_owned()], types.to_vec()].concat();
        let all = [vec!["index".to_owned(), "i1".to_owned()], types.to_vec()].concat();
        let head = format!("scf.while ({}) : ({}) -> ({}) {{", pairs.join(", "), all.join(", "), kept.join(", "));
        let results = self.c.w.open_values(kept.len(), &head);
        let mut goes = asked[1].clone();
        if let Some(bound) = bound {
            let within = self.c.w.value(format!("arith.cmpi slt, {}, {bound} : index", asked[0]));
            goes = self.c.w.value(format!("arith.andi {goes}, {within} : i1"));
        }
        let passed = [&asked[..1], &asked[2..]].concat();
        self.c.w.line(format!("scf.condition({goes}) {} : {}", passed.join(", "), kept.join(", ")));
        self.c.w.between("} do {");
        let args: Vec<_> = std::iter::once(number.to_owned()).chain(names.iter().cloned()).zip(kept).collect();
        self.c.w.named_block(&args);
        body(&mut self.c);
        self.c.w.close("}");
        results
    }
}
