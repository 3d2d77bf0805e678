//! Steps that are repeated: a loop of the host program.
//!
//! What is known of the values that it carries is found by trying: the body is imported with each value as it was before the
//! loop, and again as long as a value comes out that is another one, or of another shape.
use super::super::{Dim, Elem, Outcome, Problem, Value, graph::Importer, problem::{invalid, unsupported}};
use super::rows::{Place, Rows};

/// The most steps that are written one after another.
const UNROLLED: i64 = 1024;

/// A loop.
pub(super) struct Repeat {
    /// How many steps there are at most, if there is a bound; not negative.
    pub(super) count: Option<Dim>,
    /// The condition on the first step; without it, what steps say of the next one does not count.
    pub(super) go: Option<Value>,
    /// The values before the first step.
    pub(super) initial: Vec<Value>,
    /// Where the rows of each step go.
    pub(super) rows: Vec<Place>,
    /// How many rows there are in any case; those of steps that are not taken are 0.
    pub(super) length: Option<Dim>,
}

/// What a step gives.
pub(super) struct Step {
    /// Whether there is a next one.
    pub(super) go: Option<Value>,
    /// As many as the loop starts with.
    pub(super) state: Vec<Value>,
    pub(super) rows: Vec<Value>,
}

/// The final values, and the rows of all steps; `None` where something in the body could not be imported.
pub(super) type Done = Outcome<Option<(Vec<Value>, Vec<Value>)>>;

/// Writes a step: it is given its number and the values that the one before left.
pub(super) type BodyOf<'b, 'a> = &'b mut dyn FnMut(&mut Importer<'a>, &Dim, &[Value]) -> Outcome<Option<Step>>;

/// A tensor that the loop carries.
#[derive(Clone, PartialEq)]
enum Carry {
    /// No step changes it.
    Same,
    /// It changes, and its sizes where they are `None`.
    Changing(Vec<Option<Dim>>),
}

impl<'a> Importer<'a> {
    pub(super) fn repeat(&mut self, what: &Repeat, body: BodyOf<'_, 'a>) -> Done {
        let initial: Vec<_> = what.initial.iter().flat_map(Value::tensors).collect();
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
                let Some(step) = step else { return Ok(None) };
                if step.state.iter().zip(&what.initial).any(|(a, b)| !a.is_made_as(b)) {
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
                    Some((step, None)) => {
                        let Some(count) = what.count.as_ref().and_then(Dim::get).filter(|n| *n <= UNROLLED) else {
                            let pair = step.state.iter().zip(&what.initial).find(|(a, b)| !a.is_made_as(b));
                            let (after, from) = pair.map_or_else(Default::default, |(a, b)| (a.kind(), b.kind()));
                            return unsupported(format!(
                                "a step makes {after} of {from}, and the number of steps is not known at import; make it a constant, or carry a tensor"
                            ));
                        };
                        return self.unrolled(what, count, body);
                    }
                }
                continue;
            }
            let Ok(Some((step_result, Some((next, _))))) = next else { unreachable!("it is stable") };
            let loop_ = Written { what, initial: &initial, carry: &carry, args, number, step, symbols };
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
            None => unsupported("its steps change the length of a sequence, and whether there is a next one is not known at import"),
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
            let Some(first) = parts.first() else { return unsupported("it never takes a step, which leaves the shape of its results open") };
            let axis = place.of(first.rank() - 1)?;
            if place.backwards {
                parts.reverse();
            }
            whole.push(self.c.concat(&parts, axis)?);
        }
        Ok(Some((state, whole)))
    }
}

/// A body that has been written, and what belongs to it.
struct Written<'w> {
    what: &'w Repeat,
    initial: &'w [Value],
    carry: &'w [Carry],
    /// The values that change, as the body has them.
    args: Vec<Value>,
    /// The name of the number of the step.
    number: String,
    step: Dim,
    /// How many symbols there were before.
    symbols: usize,
}

impl<'a> Importer<'a> {
    /// Writes the loop around its body, whose text is being captured.
    fn write(
        &mut self,
        l: Written<'_>,
        (before, scope): (String, super::super::context::Scope),
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
        let changing: Vec<_> = l.initial.iter().zip(l.carry).zip(next).filter(|((_, c), _)| **c != Carry::Same).collect();
        for ((_, next), arg) in changing.iter().zip(&l.args) {
            let value = self.c.cast(next, &arg.shape);
            yielded.push(self.c.ssa(&value));
        }
        let ended = asks || what.count.is_none();
        let rows: Outcome<Vec<_>> = what.rows.iter().zip(&result.rows).map(|(place, row)| {
            let row = self.c.settle(row);
            Rows::of(self, *place, row, what.count.as_ref().filter(|_| !ended), what.length.as_ref(), l.symbols)
        }).collect();
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
        // What it starts with, written before it.
        let mut types: Vec<_> = l.args.iter().map(Value::ty).collect();
        let mut names: Vec<_> = l.args.iter().map(|v| self.c.ssa(v)).collect();
        let mut first = Vec::new();
        // Upstream's simplifications of `scf.for` give what it carries the type that it starts with, as if no step could change that.
        let mut widened = rows.iter().any(Rows::grows);
        for (((v, _), _), arg) in changing.iter().zip(&l.args) {
            widened |= arg.shape.iter().zip(&v.shape).any(|(a, d)| a.get().is_none() && d.get().is_some());
            let fixed: Vec<_> = arg.shape.iter().map(|a| Some(a.clone()).filter(|a| a.get().is_some())).collect();
            let value = self.c.cast(v, &super::super::dims::open(&fixed));
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
                None => self.c.scalar(Elem::Bool, super::super::Num::I(1)),
            };
            let results = self.write_while(what.count.as_ref(), &l.number, (&names, &types, &first), &condition, |c| {
                c.w.paste(&text);
                let go = go.clone().unwrap_or_else(|| c.scalar(Elem::Bool, super::super::Num::I(1)));
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
        body: impl FnOnce(&mut super::super::Context<'a>),
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

/// What is known of each tensor after a step that was written by what was known before.
fn carried(initial: &[Value], carry: &[Carry], given: &[Value], next: &[Value]) -> Result<Vec<Carry>, Problem> {
    let mut now = Vec::new();
    for (((start, carry), given), next) in initial.iter().zip(carry).zip(given).zip(next) {
        if start.elem != next.elem {
            return invalid(format!("a step makes `{}` of `{}`", next.ty(), start.ty()));
        }
        if start.rank() != next.rank() {
            return unsupported(format!("a step makes `{}` of `{}`; the rank of what a loop carries must stay", next.ty(), start.ty()));
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

