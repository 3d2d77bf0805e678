//! Repeated steps: a loop of the host program.
//!
//! The types of the carried values are found iteratively: the body is imported with each value as it was before the
//! loop, and again while a value changes or has another shape.
mod write;

use super::super::{
    Dim, Elem, Outcome, Problem, Value,
    graph::Importer,
    problem::{invalid, unsupported},
    strings::refuse,
};
use super::rows::Place;
use write::Written;

/// The most steps that are written one after another.
const UNROLLED: i64 = 64;

/// A loop.
#[derive(Clone)]
pub(super) struct Repeat {
    /// The largest number of steps, if it is bounded; not negative.
    pub(super) count: Option<Dim>,
    /// The condition on the first step; without it, what steps say of the next one does not count.
    pub(super) go: Option<Value>,
    /// The values before the first step.
    pub(super) initial: Vec<Value>,
    /// The destination of each step's rows.
    pub(super) rows: Vec<Place>,
    /// The number of rows, if it is fixed; rows of steps that are not executed are 0.
    pub(super) length: Option<Dim>,
}

/// The results of a step.
pub(super) struct Step {
    /// Whether there is a next step.
    pub(super) go: Option<Value>,
    /// The carried values.
    pub(super) state: Vec<Value>,
    pub(super) rows: Vec<Value>,
}

/// The final values, and the rows of all steps; `None` where something in the body could not be imported.
pub(super) type Done = Outcome<Option<(Vec<Value>, Vec<Value>)>>;

/// Writes a step: it is given its number and the values that the one before left.
pub(super) type BodyOf<'b, 'a> = &'b mut dyn FnMut(&mut Importer<'a>, &Dim, &[Value]) -> Outcome<Option<Step>>;

/// How the loop carries a tensor.
#[derive(Clone, PartialEq)]
enum Carry {
    /// No step changes it.
    Same,
    /// Its contents change, and those of its sizes that are `None`.
    Changing(Vec<Option<Dim>>),
}

impl<'a> Importer<'a> {
    pub(super) fn repeat(&mut self, what: &Repeat, body: BodyOf<'_, 'a>) -> Done {
        let mut what = what.clone();
        for v in &mut what.initial {
            *v = self.c.with_spans(v)?;
        }
        let mut initial: Vec<_> = what.initial.iter().flat_map(Value::tensors).collect();
        let mut carry = vec![Carry::Same; initial.len()];
        loop {
            let (mark, symbols) = (self.c.mark(), self.c.symbol_count());
            let before = self.c.w.capture();
            let scope = self.c.enter();
            let number = self.c.w.name();
            let step = self.c.fresh_symbol(number.clone());
            if let Some(count) = &what.count {
                self.c.assume_at_least(&count.offset(-1), &step);
            }
            let (args, given) = self.arguments(&initial, &carry);
            let mut tensors = given.iter().cloned();
            let state: Vec<_> = what.initial.iter().map(|v| v.of_tensors(&mut tensors)).collect();
            let next = body(self, &step, &state).and_then(|step| {
                let Some(mut step) = step else { return Ok(None) };
                for row in &step.rows {
                    refuse(row, "a row of each step")?;
                }
                for (next, v) in step.state.iter_mut().zip(&what.initial) {
                    if v.ragged.is_some() && next.sequence.is_some() {
                        *next = self.c.ragged(next, v)?;
                    }
                    *next = self.c.with_spans(next)?;
                }
                if what.initial.iter().zip(&step.state).any(|(a, b)| !a.is_made_as(b)) {
                    return Ok(Some((step, None)));
                }
                let next: Vec<_> = step.state.iter().flat_map(Value::tensors).map(|v| self.c.settle(&v)).collect();
                let next_carry = carried(&initial, &carry, &given, &next)?;
                Ok(Some((step, Some((next, next_carry)))))
            });
            let stable = matches!(&next, Ok(Some((_, Some((_, now))))) if *now == carry);
            if !stable {
                self.c.leave(scope);
                self.c.w.release(before);
                self.c.rewind(mark);
                match next? {
                    None => return Ok(None),
                    Some((_, Some((_, now)))) => carry = now,
                    // The length of a sequence changes.
                    Some((step, None)) => {
                        let counted = what.count.as_ref().and_then(Dim::get).filter(|n| *n <= UNROLLED);
                        let sure = |v: &Option<Value>| v.as_ref().is_none_or(|v| v.splat().is_some());
                        if let Some(count) = counted.filter(|_| what.go.is_none() || sure(&what.go) && sure(&step.go)) {
                            return self.unrolled(&what, count, body);
                        }
                        for (v, next) in
                            what.initial.iter_mut().zip(&step.state).filter(|(v, next)| !next.is_made_as(v))
                        {
                            if !v.is_sequence() || !next.is_sequence() || v.ragged.is_some() {
                                return unsupported(format!("a step makes {} of {}", next.kind(), v.kind()));
                            }
                            *v = self.c.ragged(v, next)?;
                        }
                        initial = what.initial.iter().flat_map(Value::tensors).collect();
                        carry = vec![Carry::Same; initial.len()];
                    }
                }
                continue;
            }
            let Ok(Some((step_result, Some((next, _))))) = next else { unreachable!("it is stable") };
            let loop_ = Written { what: &what, initial: &initial, carry: &carry, args, number, step, symbols };
            return self.write(loop_, (before, scope), step_result, &next).map(Some);
        }
    }

    /// The values that a step starts with: all of them, and the names and values of those that change.
    fn arguments(&mut self, initial: &[Value], carry: &[Carry]) -> (Vec<Value>, Vec<Value>) {
        let (mut args, mut all) = (Vec::new(), Vec::new());
        for (v, carry) in initial.iter().zip(carry) {
            let Carry::Changing(dims) = carry else {
                all.push(v.clone());
                continue;
            };
            let name = self.c.w.name();
            let arg = self.c.sized(name, v.elem, dims);
            args.push(arg.clone());
            all.push(arg);
        }
        (args, all)
    }

    /// A scalar of the module: a condition.
    pub(super) fn flag(&mut self, condition: &Value) -> Outcome<String> {
        if condition.elem != Elem::Bool {
            return invalid(format!("the condition is of type `{}`, no bool", condition.ty()));
        }
        let flat = self.c.reshape(condition, &[])?;
        if let Some(known) = flat.splat() {
            return Ok(self.c.scalar(Elem::Bool, known));
        }
        let ssa = self.c.ssa(&flat);
        Ok(self.c.body().extract(&ssa, "tensor<i1>", Elem::Bool, &[]).name)
    }

    /// Steps one after another, of a number that is known.
    fn unrolled(&mut self, what: &Repeat, count: i64, body: BodyOf<'_, 'a>) -> Done {
        let known = |v: &Value| match v.splat() {
            Some(go) => Ok(!go.is_zero()),
            None => unsupported(
                "its steps change the length of a sequence, and whether there is a next one is not known at import",
            ),
        };
        let mut go = what.go.as_ref().map_or(Ok(true), known)?;
        let (mut state, mut rows) = (what.initial.clone(), Vec::new());
        for number in 0..count {
            if !go {
                break;
            }
            let Some(step) = body(self, &Dim::fixed(number), &state)? else { return Ok(None) };
            if what.go.is_some() {
                go = step.go.as_ref().map_or(Ok(true), known)?;
            }
            state = step.state;
            rows.push(step.rows);
        }
        let mut whole = Vec::new();
        for (k, place) in what.rows.iter().enumerate() {
            let mut parts = Vec::new();
            for row in &rows {
                let axis = place.of(row[k].rank())?;
                let mut shape = row[k].shape.clone();
                shape.insert(axis, Dim::fixed(1));
                parts.push(self.c.reshape(&row[k], &shape)?);
            }
            let Some(first) = parts.first() else {
                return unsupported("it never takes a step, which leaves the shape of its results open");
            };
            let axis = place.of(first.rank() - 1)?;
            if place.backwards {
                parts.reverse();
            }
            whole.push(self.c.concat(&parts, axis)?);
        }
        Ok(Some((state, whole)))
    }
}

/// Returns how each tensor is carried, after a step that was written with the present assumptions.
fn carried(initial: &[Value], carry: &[Carry], given: &[Value], next: &[Value]) -> Result<Vec<Carry>, Problem> {
    let mut now = Vec::new();
    for (((start, carry), given), next) in initial.iter().zip(carry).zip(given).zip(next) {
        if start.elem != next.elem {
            return invalid(format!("a step makes `{}` of `{}`", next.ty(), start.ty()));
        }
        if start.rank() != next.rank() {
            return unsupported(format!(
                "a step makes `{}` of `{}`; the rank of what a loop carries must stay",
                next.ty(),
                start.ty()
            ));
        }
        now.push(match carry {
            Carry::Same if given.is_same(next) => Carry::Same,
            _ => {
                let known: Vec<_> = match carry {
                    Carry::Same => start.shape.iter().cloned().map(Some).collect(),
                    Carry::Changing(dims) => dims.clone(),
                };
                let kept = known.into_iter().zip(&next.shape).map(|(known, d)| known.filter(|k| k == d)).collect();
                Carry::Changing(kept)
            }
        });
    }
    Ok(now)
}
