//! Assumptions of a program about its inputs: one that is surely false is an import error, one that is surely true
//! needs no code, and any other becomes a run-time check.
use super::Context;
pub(crate) use super::rule::Rule;
use crate::{
    onnx::{Dim, Outcome, Value, dims::LARGEST, problem::invalid, writer::quote},
    sizes::DimRule,
};
use halyard_diag::Template;
use std::fmt::Write as _;

impl Context<'_> {
    /// Names the node that what follows belongs to, for messages of the program.
    pub(crate) fn at_node(&mut self, op: &str, name: Option<&str>, output: &str) {
        self.node = node(op, name, output);
    }

    /// The node in hand, to come back to after others.
    pub(crate) fn here(&self) -> (String, usize) {
        (self.node.clone(), self.w.location())
    }

    /// Returns to a node.
    pub(crate) fn back(&mut self, (node, location): (String, usize)) {
        self.node = node;
        self.w.relocate(location);
    }

    /// Does the same as [`Context::at_node`] for the name of a size that inputs share.
    pub(crate) fn at_inputs(&mut self, parameter: &str) {
        self.node = format!("size `{}`", Template::escape(parameter));
    }

    /// Does the same as [`Context::at_node`] for a dimension of an input.
    pub(crate) fn at_input(&mut self, input: &str, axis: usize) {
        self.node = format!("dimension {axis} of input `{}`", Template::escape(input));
    }

    /// Does the same as [`Context::at_node`] for an input of the model.
    pub(crate) fn at_input_of(&mut self, input: &str) {
        self.node = format!("input `{}`", Template::escape(input));
    }

    /// Requires a rule of the command line about a size.
    pub(crate) fn require_rule(&mut self, size: &Dim, rule: &DimRule) -> Outcome<()> {
        let asked = format!("; the program is compiled for `--dim {}`", Template::escape(&rule.text));
        self.require(Rule::AtLeast(size.clone(), Dim::fixed(rule.least)), &format!("it is {{0}}{asked}"), &[size])?;
        if let Some(most) = rule.most {
            self.require(Rule::AtLeast(Dim::fixed(most), size.clone()), &format!("it is {{0}}{asked}"), &[size])?;
        }
        if rule.divisor > 1 {
            self.quotient(size, &Dim::fixed(rule.divisor), &format!("it is {{0}}{asked}"))?;
        }
        Ok(())
    }

    /// Does the same as [`Context::at_node`] for an output of the model.
    pub(crate) fn at_output(&mut self, output: &str) {
        self.node = format!("output `{}`", Template::escape(output));
    }

    /// Demands a condition. `text` says what is wrong without it, with `{0}`, `{1}` … for `sizes`; names in it are escaped.
    pub(crate) fn require(&mut self, rule: Rule, text: &str, sizes: &[&Dim]) -> Outcome<()> {
        let rule = self.settle_rule(rule);
        if let Rule::Equal(a, b) = &rule
            && let Some(size) = [a, b].into_iter().filter_map(Dim::get).find(|&size| size > LARGEST)
        {
            return invalid(format!("a size is {size}, larger than any memory"));
        }
        match self.decide(&rule) {
            Some(true) => return Ok(()),
            Some(false) => {
                let sizes: Vec<_> = sizes.iter().map(|d| self.settle_dim(d)).collect();
                return invalid(fill(text, |i| {
                    sizes.get(i).and_then(Dim::get).map_or("unknown".into(), |d| d.to_string())
                }));
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

    /// Records that a condition holds by construction of its sizes.
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
        let text = format!("{} is {{0}}, not {{1}}, {}", dimension(a, i), Template::escape(why));
        self.require(Rule::Equal(own.clone(), size.clone()), &text, &[own, size])
    }

    /// Requires that an integer of the program's data that is used as a size is not negative.
    pub(crate) fn require_count(&mut self, size: &Dim, what: &str) -> Outcome<()> {
        let text = format!("{} is {{0}}, which is negative", Template::escape(what));
        self.require(Rule::AtLeast(size.clone(), Dim::fixed(0)), &text, &[size])
    }

    /// Divides a size into `by` equal parts.
    pub(crate) fn divided(&mut self, (v, axis): (&Value, usize), by: i64, what: &str) -> Outcome<Dim> {
        let text =
            format!("{} is {{0}}, which does not split into {by} {}", dimension(v, axis), Template::escape(what));
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

    /// Checks like [`Context::check`], with scalars and their types, or texts of known values.
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
                Err(text) => Template::escape(text),
            });
        }
        let message = format!("{}: {}", self.node, replaced(text, |i| places.get(i).cloned().unwrap_or_default()));
        let types = types.join(", ");
        let key = format!("({types}) {message}");
        let count = self.declared_checks.len();
        let number = *self.declared_checks.entry(key).or_insert(count);
        if number == count {
            let _ = writeln!(
                self.checks,
                "  func.func private @check_{number}({types}) attributes {{hal.check = {}}}",
                quote(&message)
            );
        }
        self.w.line(format!("func.call @check_{number}({}) : ({types}) -> ()", operands.join(", ")));
    }

    /// Records the consequences of a condition that has been checked.
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

/// A node by its name, or by its first output, for messages of the program.
pub(crate) fn node(op: &str, name: Option<&str>, output: &str) -> String {
    match name.filter(|n| !n.is_empty()) {
        Some(name) => format!("{} `{}`", Template::escape(op), Template::escape(name)),
        None => format!("{} of output `{}`", Template::escape(op), Template::escape(output)),
    }
}

/// `dimension 1 of `x``, for messages of the program.
pub(crate) fn dimension(v: &Value, axis: usize) -> String {
    format!("dimension {axis} of {}", shown(v))
}

/// A value by its name in the model, for messages of the program.
pub(crate) fn shown(v: &Value) -> String {
    v.label.as_ref().map_or("an operand".into(), |l| format!("`{}`", Template::escape(l)))
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

/// Fills the placeholders of a template.
fn fill(text: &str, place: impl Fn(usize) -> String) -> String {
    // The text for a placeholder has no braces: it is a number.
    replaced(text, place).replace("{{", "{").replace("}}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_keep_braces_of_names() {
        let text = format!("`{}` is {{0}}, not {{1}}", Template::escape("a{0}"));
        assert_eq!(replaced(&text, |i| format!("<{i}>")), "`a{{0}}` is <0>, not <1>");
        assert_eq!(fill(&text, |i| i.to_string()), "`a{0}` is 0, not 1");
    }
}
