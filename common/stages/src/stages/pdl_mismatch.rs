//! Why a PDL pattern does not match an operation: its conditions one by one, in words.
use super::pattern_root::root_of;
use halyard_ir::{Attr, Op, Value};
use std::collections::HashMap;

/// The first condition that does not hold.
#[derive(Debug)]
pub(super) struct PdlMismatch {
    /// In words.
    pub(super) why: String,
    /// The operation of the pattern that states it.
    pub(super) at: Op,
}

impl PdlMismatch {
    /// What keeps a pattern from matching an operation of the kind of its root; `None` if the operation is of another
    /// kind, or nothing is found.
    pub(super) fn of(op: Op, pattern: Op) -> Option<Self> {
        let root = root_of(pattern)?;
        let name = root.attr("opName").and_then(Attr::as_string)?;
        if !op.is(&name) {
            return None;
        }
        Matching::default().operation(op, root, IT).err()
    }
}

/// The operation that is asked about.
const IT: &str = "it";

fn of(what: &str, number: usize, whose: &str) -> String {
    if whose == IT { format!("{what} {number}") } else { format!("{what} {number} of {whose}") }
}

#[derive(Default)]
struct Matching {
    /// What stands for each value and type of the pattern so far, as text and by identity.
    values: HashMap<Value, Value>,
    types: HashMap<Value, String>,
}

type Check = Result<(), PdlMismatch>;

fn fail(why: String, at: Op) -> Check {
    Err(PdlMismatch { why, at })
}

/// The operands of a `pdl.operation`: operands, attributes, types.
fn parts(pattern: Op) -> (Vec<Value>, Vec<Value>, Vec<Value>) {
    let sizes = pattern.attr("operandSegmentSizes").and_then(Attr::as_i64s).unwrap_or_default();
    let all = pattern.operands();
    let size = |i: usize| sizes.get(i).map_or(0, |&s| s as usize);
    let (operands, rest) = all.split_at(size(0).min(all.len()));
    let (attributes, types) = rest.split_at(size(1).min(rest.len()));
    (operands.to_vec(), attributes.to_vec(), types.to_vec())
}

impl Matching {
    fn operation(&mut self, op: Op, pattern: Op, what: &str) -> Check {
        if let Some(name) = pattern.attr("opName").and_then(Attr::as_string)
            && !op.is(&name)
        {
            return fail(format!("{what} is `{}`, not `{name}`", op.name()), pattern);
        }
        let (operands, attributes, types) = parts(pattern);
        let names = pattern.attr("attributeValueNames").and_then(Attr::as_array).unwrap_or_default();
        for (name, value) in names.into_iter().filter_map(Attr::as_string).zip(attributes) {
            let Some(def) = value.def() else { continue };
            let Some(is) = op.attr(&name) else {
                return fail(format!("{what} has no attribute `{name}`"), def);
            };
            if let Some(wanted) = def.attr("value")
                && wanted != is
            {
                return fail(format!("attribute `{name}` of {what} is `{is}`, not `{wanted}`"), def);
            }
        }
        let is_range = |v: &Value| v.def().is_some_and(|d| d.is("pdl.operands") || d.is("pdl.results"));
        // PDL takes a pattern without operands or results for one of an operation that has none.
        if !operands.iter().any(is_range) {
            if op.operand_count() != operands.len() {
                return fail(format!("{what} has {} operands, not {}", op.operand_count(), operands.len()), pattern);
            }
            for (i, (value, wanted)) in op.operands().into_iter().zip(operands).enumerate() {
                self.value(value, wanted, &of("operand", i, what))?;
            }
        }
        let several = |v: &Value| v.def().is_some_and(|d| d.is("pdl.types"));
        if !types.iter().any(several) {
            if op.result_count() != types.len() {
                let hint = if types.is_empty() { "; the pattern names none (`-> (%type : !pdl.type)`)" } else { "" };
                return fail(format!("{what} has {} results, not {}{hint}", op.result_count(), types.len()), pattern);
            }
            for (i, (result, wanted)) in op.results().into_iter().zip(types).enumerate() {
                self.ty(&result.ty().to_string(), wanted, &of("result", i, what))?;
            }
        }
        Ok(())
    }

    fn value(&mut self, value: Value, wanted: Value, what: &str) -> Check {
        let Some(def) = wanted.def() else { return Ok(()) };
        if let Some(other) = self.values.insert(wanted, value)
            && other != value
        {
            return fail(format!("{what} is another value than where the pattern uses it first"), def);
        }
        if def.is("pdl.operand") {
            return match def.operands().first() {
                Some(ty) => self.ty(&value.ty().to_string(), *ty, what),
                None => Ok(()),
            };
        }
        let producer = def.operands().first().and_then(|v| v.def()).filter(|_| def.is("pdl.result"));
        let Some(producer) = producer else { return Ok(()) };
        let name =
            producer.attr("opName").and_then(Attr::as_string).map_or("an operation".into(), |n| format!("`{n}`"));
        let Some(made_by) = value.def() else {
            return fail(format!("{what} is an argument, not a result of {name}"), producer);
        };
        let index = def.attr("index").and_then(Attr::as_int).unwrap_or(0);
        if index != value.index() as i64 {
            return fail(format!("{what} is result {} of `{}`, not {index}", value.index(), made_by.name()), def);
        }
        self.operation(made_by, producer, &format!("what makes {what}"))
    }

    fn ty(&mut self, is: &str, wanted: Value, what: &str) -> Check {
        let Some(def) = wanted.def() else { return Ok(()) };
        if let Some(constant) = def.attr("constantType") {
            let constant = constant.to_string();
            if constant != is {
                return fail(format!("{what} has type `{is}`, not `{constant}`"), def);
            }
        }
        match self.types.insert(wanted, is.to_owned()) {
            Some(other) if other != is => fail(format!("{what} has type `{is}`, not `{other}` as before"), def),
            _ => Ok(()),
        }
    }
}
