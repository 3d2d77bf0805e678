//! What a program assumes of its inputs: an error of the import where that is surely not so, nothing where it surely is,
//! and else a check that the program makes when it runs.
use super::Context;
use crate::onnx::{
    Dim, Outcome, Value,
    ops::{highest, lowest},
    problem::invalid,
    writer::quote,
};
use std::fmt::Write as _;

/// A condition on sizes.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// Both are equal.
    Equal(Dim, Dim),
    /// The first is the second or 1: it broadcasts.
    Fits(Dim, Dim),
    /// The first is not less than the second.
    AtLeast(Dim, Dim),
    /// The first is a multiple of the second, which is not 0.
    Multiple(Dim, Dim),
    /// It is not 0.
    NotZero(Dim),
    /// The first is not 0, or the second is: there is something to choose from, or nothing is asked for.
    NotZeroUnless(Dim, Dim),
}

impl Rule {
    /// The same text for the same condition.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Equal(a, b) => format!("equal {}", if a < b { a.minus(b) } else { b.minus(a) }),
            Self::Fits(a, b) => format!("fits {a} {b}"),
            Self::AtLeast(a, b) => format!("least {}", a.minus(b)),
            Self::Multiple(a, b) => format!("multiple {a} {b}"),
            Self::NotZero(a) => format!("some {a}"),
            Self::NotZeroUnless(a, b) => format!("some {a} unless {b}"),
        }
    }
}

impl Context<'_> {
    /// Names the node that what follows belongs to, for messages of the program.
    pub(crate) fn at_node(&mut self, op: &str, name: Option<&str>, output: &str) {
        self.node = match name.filter(|n| !n.is_empty()) {
            Some(name) => format!("{} `{}`", escape(op), escape(name)),
            None => format!("{} of output `{}`", escape(op), escape(output)),
        };
    }

    /// As [`Context::at_node`], for a name of sizes that inputs share.
    pub(crate) fn at_inputs(&mut self, parameter: &str) {
        self.node = format!("size `{}`", escape(parameter));
    }

    /// As [`Context::at_node`], for an output of the model.
    pub(crate) fn at_output(&mut self, output: &str) {
        self.node = format!("output `{}`", escape(output));
    }

    /// Demands a condition. `text` says what is wrong without it, with `{0}`, `{1}` … for `sizes`; names in it are escaped.
    pub(crate) fn require(&mut self, rule: Rule, text: &str, sizes: &[&Dim]) -> Outcome<()> {
        let rule = self.settle_rule(rule);
        match self.decide(&rule) {
            Some(true) => return Ok(()),
            Some(false) => {
                let sizes: Vec<_> = sizes.iter().map(|d| self.settle_dim(d)).collect();
                return invalid(fill(text, |i| sizes.get(i).and_then(Dim::get).map_or("unknown".into(), |d| d.to_string())));
            }
            None => {}
        }
        if self.checked.insert(rule.key()) {
            let condition = self.condition(&rule);
            self.check(&condition, text, sizes);
        }
        self.learn(rule);
        Ok(())
    }

    /// Says that a condition holds by the way its sizes were made.
    pub(crate) fn granted(&mut self, rule: &Rule) {
        self.checked.insert(rule.key());
    }

    /// Dimension `i` of a value and `j` of another are equal.
    pub(crate) fn require_same(&mut self, (a, i): (&Value, usize), (b, j): (&Value, usize)) -> Outcome<()> {
        let (x, y) = (&a.shape[i], &b.shape[j]);
        let second = if i == j && b.label.is_some() { format!("of {}", shown(b)) } else { dimension(b, j) };
        let text = format!("{} is {{0}}, {second} {{1}}; they must be equal", dimension(a, i));
        self.require(Rule::Equal(x.clone(), y.clone()), &text, &[x, y])
    }

    /// Dimension `i` of a value is of this size; `why` says whose it is.
    pub(crate) fn require_size(&mut self, (a, i): (&Value, usize), size: &Dim, why: &str) -> Outcome<()> {
        let own = &a.shape[i];
        let text = format!("{} is {{0}}, not {{1}}, {}", dimension(a, i), escape(why));
        self.require(Rule::Equal(own.clone(), size.clone()), &text, &[own, size])
    }

    /// A number of the program's data that stands for a size is none that is negative.
    pub(crate) fn require_count(&mut self, size: &Dim, what: &str) -> Outcome<()> {
        let text = format!("{} is {{0}}, which is negative", escape(what));
        self.require(Rule::AtLeast(size.clone(), Dim::fixed(0)), &text, &[size])
    }

    /// The elements of a list of integers lie in `0..=last`.
    pub(crate) fn require_between(&mut self, list: &Value, last: &Dim) -> Outcome<()> {
        let text = format!("{} holds numbers from {{0}} to {{1}}, where 0 to {{2}} are possible", shown(list));
        if let Some(numbers) = list.tensor().map(crate::onnx::Tensor::ints) {
            let (Some(&least), Some(&most)) = (numbers.iter().min(), numbers.iter().max()) else { return Ok(()) };
            let (least, most) = (Dim::fixed(least), Dim::fixed(most));
            self.require(Rule::AtLeast(least.clone(), Dim::fixed(0)), &text, &[&least, &most, last])?;
            return self.require(Rule::AtLeast(last.clone(), most.clone()), &text, &[&least, &most, last]);
        }
        if !self.options.check_data {
            return Ok(());
        }
        let axes: Vec<_> = (0..list.rank()).collect();
        let (elem, mut ends) = (list.elem, Vec::new());
        for (start, most) in [(highest(elem), false), (lowest(elem), true)] {
            let end = self.reduce(list, &axes, elem, start, |b, v, a| if most { b.max(a, v) } else { b.min(a, v) });
            let ssa = self.ssa(&end);
            let mut b = self.body();
            let read = b.extract(&ssa, &end.ty(), elem, &[]);
            ends.push(b.to_index(&read).name);
        }
        let (zero, last) = (self.index(&Dim::fixed(0)), self.index(last));
        let from = self.w.value(format!("arith.cmpi sge, {}, {zero} : index", ends[0]));
        let to = self.w.value(format!("arith.cmpi sle, {}, {last} : index", ends[1]));
        let fine = self.w.value(format!("arith.andi {from}, {to} : i1"));
        let values = [ends[0].clone(), ends[1].clone(), last].map(|ssa| Ok((ssa, "index")));
        self.check_values(&fine, &text, &values);
        Ok(())
    }

    /// A size in `by` equal parts.
    pub(crate) fn divided(&mut self, (v, axis): (&Value, usize), by: i64, what: &str) -> Outcome<Dim> {
        let text = format!("{} is {{0}}, which does not split into {by} {}", dimension(v, axis), escape(what));
        if by < 1 {
            return invalid(format!("there are {by} {what}"));
        }
        self.quotient(&v.shape[axis].clone(), &Dim::fixed(by), &text)
    }

    /// A size over another one, of which it is a multiple. `text` has `{0}` and `{1}` for them.
    pub(crate) fn quotient(&mut self, whole: &Dim, part: &Dim, text: &str) -> Outcome<Dim> {
        let (whole, part) = (self.settle_dim(whole), self.settle_dim(part));
        if let Some(quotient) = part.get().and_then(|by| whole.exact_quotient(by)) {
            return Ok(quotient);
        }
        self.require(Rule::Multiple(whole.clone(), part.clone()), text, &[&whole, &part])?;
        let quotient = match part.get() {
            Some(_) => self.size_over(&whole, &part),
            None => {
                let safe = self.size_max(&part, &Dim::fixed(1));
                self.size_over(&whole, &safe)
            }
        };
        if let Some(by) = part.get() {
            self.equate(&whole, &quotient.times(by));
        }
        Ok(quotient)
    }

    /// Writes a check of a condition that only a run knows. `text` is as for [`Context::require`].
    fn check(&mut self, condition: &str, text: &str, sizes: &[&Dim]) {
        let values: Vec<_> = sizes
            .iter()
            .map(|d| {
                let d = self.settle_dim(d);
                match d.get() {
                    Some(size) => Err(size.to_string()),
                    None => Ok((self.index(&d), "index")),
                }
            })
            .collect();
        self.check_values(condition, text, &values);
    }

    /// As [`Context::check`], of scalars with their types, or texts of what is known.
    pub(crate) fn check_values(&mut self, condition: &str, text: &str, values: &[Result<(String, &str), String>]) {
        let (mut operands, mut types) = (vec![condition.to_owned()], vec!["i1".to_owned()]);
        let mut places = Vec::new();
        for value in values {
            places.push(match value {
                Ok((ssa, ty)) => {
                    operands.push(ssa.clone());
                    types.push((*ty).to_owned());
                    format!("{{{}}}", operands.len() - 2)
                }
                Err(text) => escape(text),
            });
        }
        let message = format!("{}: {}", self.node, replaced(text, |i| places.get(i).cloned().unwrap_or_default()));
        let types = types.join(", ");
        let key = format!("({types}) {message}");
        let count = self.declared_checks.len();
        let number = *self.declared_checks.entry(key).or_insert(count);
        if number == count {
            let _ = writeln!(
                self.globals,
                "  func.func private @check_{number}({types}) attributes {{hal.check = {}}}",
                quote(&message)
            );
        }
        self.w.line(format!("func.call @check_{number}({}) : ({types}) -> ()", operands.join(", ")));
    }

    fn settle_rule(&self, rule: Rule) -> Rule {
        let s = |d: Dim| self.settle_dim(&d);
        match rule {
            Rule::Equal(a, b) => Rule::Equal(s(a), s(b)),
            Rule::Fits(a, b) => Rule::Fits(s(a), s(b)),
            Rule::AtLeast(a, b) => Rule::AtLeast(s(a), s(b)),
            Rule::Multiple(a, b) => Rule::Multiple(s(a), s(b)),
            Rule::NotZero(a) => Rule::NotZero(s(a)),
            Rule::NotZeroUnless(a, b) => Rule::NotZeroUnless(s(a), s(b)),
        }
    }

    /// Whether a condition surely holds, or surely does not.
    fn decide(&self, rule: &Rule) -> Option<bool> {
        match rule {
            Rule::Equal(a, b) => {
                let difference = a.minus(b);
                match difference.get() {
                    Some(d) => Some(d == 0),
                    None => self.is_not_zero(&difference).then_some(false),
                }
            }
            Rule::Fits(a, b) => match (a.get(), b.get()) {
                _ if a == b => Some(true),
                (Some(1), _) => Some(true),
                (Some(x), Some(y)) => Some(x == y),
                _ => None,
            },
            Rule::AtLeast(a, b) => {
                let difference = a.minus(b);
                match difference.get() {
                    Some(d) => Some(d >= 0),
                    None if self.is_size(&difference) => Some(true),
                    None => self.is_size(&difference.times(-1).offset(-1)).then_some(false),
                }
            }
            Rule::Multiple(a, b) => match (a.get(), b.get()) {
                (_, Some(0)) => Some(false),
                (Some(x), Some(y)) => Some(x % y == 0),
                (_, Some(y)) => a.exact_quotient(y).map(|_| true),
                _ => None,
            },
            Rule::NotZero(a) => match a.get() {
                Some(d) => Some(d != 0),
                None => self.is_not_zero(a).then_some(true),
            },
            Rule::NotZeroUnless(a, b) => match (a.get(), b.get()) {
                (_, Some(0)) => Some(true),
                (Some(0), Some(_)) => Some(false),
                _ => self.is_not_zero(a).then_some(true),
            },
        }
    }

    fn is_not_zero(&self, a: &Dim) -> bool {
        self.is_size(&a.offset(-1)) || self.is_size(&a.times(-1).offset(-1)) || a.get().is_some_and(|d| d != 0)
    }

    /// The condition as an `i1`.
    fn condition(&mut self, rule: &Rule) -> String {
        let compare = |c: &mut Self, order: &str, a: &Dim, b: &Dim| {
            let (a, b) = (c.index(a), c.index(b));
            c.w.value(format!("arith.cmpi {order}, {a}, {b} : index"))
        };
        let (zero, one) = (Dim::fixed(0), Dim::fixed(1));
        match rule {
            Rule::Equal(a, b) => compare(self, "eq", a, b),
            Rule::AtLeast(a, b) => compare(self, "sge", a, b),
            Rule::NotZero(a) => compare(self, "ne", a, &zero),
            Rule::Fits(a, b) => {
                let (same, single) = (compare(self, "eq", a, b), compare(self, "eq", a, &one));
                self.w.value(format!("arith.ori {same}, {single} : i1"))
            }
            Rule::NotZeroUnless(a, b) => {
                let (some, none) = (compare(self, "ne", a, &zero), compare(self, "eq", b, &zero));
                self.w.value(format!("arith.ori {some}, {none} : i1"))
            }
            Rule::Multiple(a, b) => {
                // A divisor of 0 is an error of its own, not a fault of the machine.
                let safe = if b.get().is_some() { b.clone() } else { self.size_max(b, &one) };
                let rest = self.size_rem(a, &safe);
                let exact = compare(self, "eq", &rest, &zero);
                if b.get().is_some() {
                    return exact;
                }
                let some = compare(self, "ne", b, &zero);
                self.w.value(format!("arith.andi {exact}, {some} : i1"))
            }
        }
    }

    /// What follows from a condition that was checked.
    fn learn(&mut self, rule: Rule) {
        match rule {
            Rule::Equal(a, b) => self.equate(&a, &b),
            Rule::AtLeast(a, b) => {
                self.not_negative.insert(a.minus(&b));
            }
            _ => {}
        }
    }
}

/// `dimension 1 of input `x``, for messages of the program.
pub(crate) fn dimension(v: &Value, axis: usize) -> String {
    format!("dimension {axis} of {}", shown(v))
}

/// A value by its name in the model, for messages of the program.
pub(crate) fn shown(v: &Value) -> String {
    v.label.as_ref().map_or("an operand".into(), |l| format!("`{}`", escape(l)))
}

/// A text that is no template.
pub(crate) fn escape(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// A template with other texts in its places; doubled braces stay.
fn replaced(text: &str, place: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out += &rest[..at];
        rest = &rest[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            out += &rest[..2];
            rest = &rest[2..];
        } else {
            let end = rest.find('}').expect("templates are written here");
            out += &place(rest[1..end].parse().expect("places are numbers"));
            rest = &rest[end + 1..];
        }
    }
    out + rest
}

/// A template as a message.
fn fill(text: &str, place: impl Fn(usize) -> String) -> String {
    // What stands in a place has no braces: it is a number.
    replaced(text, place).replace("{{", "{").replace("}}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_keep_braces_of_names() {
        let text = format!("`{}` is {{0}}, not {{1}}", escape("a{0}"));
        assert_eq!(replaced(&text, |i| format!("<{i}>")), "`a{{0}}` is <0>, not <1>");
        assert_eq!(fill(&text, |i| i.to_string()), "`a{0}` is 0, not 1");
    }

    #[test]
    fn conditions_have_one_key() {
        let (a, b) = (Dim::symbol(0), Dim::symbol(1));
        assert_eq!(Rule::Equal(a.clone(), b.clone()).key(), Rule::Equal(b.clone(), a.clone()).key());
        assert_ne!(Rule::AtLeast(a.clone(), b.clone()).key(), Rule::AtLeast(b, a).key());
    }
}
