//! The parameters of a transform script's sequence, and values for them.
//!
//! A sequence has as parameters what is named in it and in the sequences that it leads to: `transform.param.constant`
//! with a `name`, whose value is the default; `transform.tune.knob`, checked against its options;
//! `transform.tune.alternatives`; and its own arguments beyond the first, named by `hal.name`, with `hal.default`.
use super::{
    attributes::{Wanted, attribute},
    knobs,
    reading::Settings,
    sequences::sequences,
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{Attr, Builder, Op, Session, Type, names};
use std::collections::BTreeSet;

/// Where a value goes.
#[derive(Clone, Copy)]
enum Place {
    /// `transform.param.constant`
    Constant,
    /// `transform.tune.knob`
    Knob,
    /// `transform.tune.alternatives`
    Alternatives,
    /// An argument of the sequence.
    Argument,
}

/// A parameter at one place; a name may have several.
pub(super) struct Parameter {
    pub(super) name: String,
    place: Place,
    op: Op,
    /// What it is without a value from outside.
    pub(super) default: Option<Attr>,
    wanted: Option<Type>,
}

impl Parameter {
    /// Whether it is for a tuner to choose.
    pub(super) fn is_choice(&self) -> bool {
        matches!(self.place, Place::Knob | Place::Alternatives)
    }

    /// Whether its values are numbers of regions.
    pub(super) fn is_alternatives(&self) -> bool {
        matches!(self.place, Place::Alternatives)
    }

    /// Where it is declared.
    pub(super) fn op(&self) -> Op {
        self.op
    }

    /// What values it takes, for people.
    pub(super) fn describe(&self) -> String {
        let kind = match (self.place, self.op.attr("options")) {
            (Place::Knob, Some(options)) if options.as_dict().is_some() => format!(", with {options}"),
            (Place::Knob, Some(options)) => format!(", one of {options}"),
            (Place::Alternatives, _) => format!(", from 0 to {}", self.op.regions().len().saturating_sub(1)),
            _ => String::new(),
        };
        match (&self.default, self.wanted) {
            (Some(default), _) => format!("{} = {default}{kind}", self.name),
            (None, Some(ty)) => format!("{} : {ty} (needs a value)", self.name),
            (None, None) => format!("{} (needs a value){kind}", self.name),
        }
    }
}

/// The sequences that one leads to, itself first.
fn reachable(root: Op, entry: Op) -> Vec<Op> {
    let all = sequences(root);
    let (mut seen, mut found, mut queue) = (BTreeSet::new(), Vec::new(), vec![entry]);
    while let Some(sequence) = queue.pop() {
        if !seen.insert(sequence.symbol()) {
            continue;
        }
        found.push(sequence);
        // Whatever names a sequence may run it: includes, matchers, actions.
        sequence.walk(&mut |op| {
            for (_, attr) in op.attrs() {
                for symbol in attr.as_array().unwrap_or_else(|| vec![attr]) {
                    let Some(name) = symbol.leaf_symbol() else { continue };
                    queue.extend(all.iter().find(|s| s.symbol().as_deref() == Some(&*name)).copied());
                }
            }
        });
    }
    found
}

/// The parameters of a sequence: arguments first, then in the order of the text. Errors: an argument that a stage cannot
/// give.
pub(super) fn of(session: &Session, root: Op, sequence: Op) -> Result<Vec<Parameter>> {
    let mut all = arguments(session, sequence)?;
    for sequence in reachable(root, sequence) {
        sequence.walk(&mut |op| {
            let (place, default) = match op.name().as_str() {
                "transform.param.constant" => (Place::Constant, op.attr("value")),
                "transform.tune.knob" => (Place::Knob, op.attr("selected")),
                "transform.tune.alternatives" => (Place::Alternatives, op.attr("selected_region_attr")),
                _ => return,
            };
            if let Some(name) = op.attr("name").and_then(Attr::as_string) {
                all.push(Parameter { name, place, op, default, wanted: None });
            }
        });
    }
    Ok(all)
}

/// The arguments beyond the module.
fn arguments(session: &Session, sequence: Op) -> Result<Vec<Parameter>> {
    let name = sequence.symbol().unwrap_or_default();
    let types = sequence.attr("function_type").and_then(Attr::as_type).map(Type::inputs).unwrap_or_default();
    let bad = |message: String| at(session, sequence, Error::input(message).code("bad-schedule"));
    if types.is_empty() {
        return Err(bad(format!("sequence `@{name}` takes no argument; a stage gives it the module")));
    }
    let attrs = sequence.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
    let mut all = Vec::new();
    for (i, ty) in types.into_iter().enumerate().skip(1) {
        let text = ty.to_string();
        let inner = text.strip_prefix("!transform.param<").and_then(|t| t.strip_suffix('>'));
        if inner.is_none() && text != "!transform.any_param" {
            return Err(bad(format!("argument {} of sequence `@{name}` is a `{text}`", i + 1))
                .note("a stage gives a sequence the module and parameters, not other handles")
                .hint("name another sequence: `FILE.mlir[seq=NAME]`"));
        }
        let attr = |key: &str| attrs.get(i).and_then(|a| a.get(key));
        let Some(own) = attr(names::NAME).and_then(Attr::as_string) else {
            return Err(bad(format!("argument {} of sequence `@{name}` has no name to be given by", i + 1))
                .hint(format!("write `{text} {{transform.readonly, {} = \"NAME\"}}`", names::NAME)));
        };
        all.push(Parameter {
            name: own,
            place: Place::Argument,
            op: sequence,
            default: attr(names::DEFAULT),
            wanted: inner.and_then(|t| Type::parse(sequence.context(), t)),
        });
    }
    Ok(all)
}

/// Puts values into a transform script; gives the sequence to run. Errors: a name that the sequence does not have, a value of
/// another kind or outside of the options, a parameter without a value.
pub(super) fn bind(session: &Session, root: Op, sequence: Op, settings: &Settings) -> Result<Op> {
    let name = sequence.symbol().unwrap_or_default();
    let mut parameters = of(session, root, sequence)?;
    let mut known: Vec<String> = Vec::new();
    for p in &parameters {
        if !known.contains(&p.name) {
            known.push(p.name.clone());
        }
    }
    for setting in &settings.all {
        if !known.contains(&setting.name) {
            return Err(settings.unknown(setting, "parameter", &format!("sequence `@{name}`"), &known));
        }
        for p in parameters.iter_mut().filter(|p| p.name == setting.name) {
            let wanted = match p.place {
                Place::Knob => knobs::wanted(p.op),
                Place::Alternatives => Wanted::Of(Type::integer(p.op.context(), 64)),
                _ => p.default.map(Wanted::Like).or(p.wanted.map(Wanted::Of)).unwrap_or(Wanted::Any),
            };
            let fits = attribute(session, root, &setting.value, wanted).and_then(|value| {
                match p.place {
                    Place::Knob => knobs::check(p.op, value)?,
                    Place::Alternatives => knobs::check_region(p.op, value)?,
                    _ => {}
                }
                Ok(value)
            });
            match fits {
                Ok(value) => p.default = Some(value),
                Err(why) => {
                    let message = format!("parameter `{}` of sequence `@{name}` {why}", p.name);
                    let d = Diagnostic::error(message).code("bad-value").at(settings.value_span(setting));
                    return Err(Error::new(
                        halyard_diag::ErrorKind::Usage,
                        match session.span(p.op) {
                            Some(span) => d.label(span, "declared here"),
                            None => d,
                        },
                    ));
                }
            }
        }
    }
    for p in &parameters {
        match (p.place, p.default) {
            (_, None) => {
                let error = Error::usage(format!("parameter `{}` of sequence `@{name}` needs a value", p.name));
                let error = at(session, p.op, error.code("missing-parameter"));
                let error = match p.op.attr("options") {
                    Some(options) => error.note(format!("its options are {options}")),
                    None => error,
                };
                let error = error.hint(format!("write `[{name}]{{{}=…}}` after the file", p.name));
                return Err(match p.is_choice() {
                    true => error.hint("or let `hal-tune --candidate=NAME=FILE.mlir` choose it by measurement"),
                    false => error,
                });
            }
            (Place::Constant, Some(value)) => p.op.set_attr("value", value),
            (Place::Knob, Some(value)) => p.op.set_attr("selected", value),
            (Place::Alternatives, Some(value)) => p.op.set_attr("selected_region_attr", value),
            (Place::Argument, Some(_)) => {}
        }
    }
    let values: Vec<Attr> =
        parameters.iter().filter(|p| matches!(p.place, Place::Argument)).filter_map(|p| p.default).collect();
    Ok(if values.is_empty() { sequence } else { specialise(root, sequence, &values) })
}

/// A copy of a sequence whose arguments beyond the module are constants.
fn specialise(root: Op, sequence: Op, values: &[Attr]) -> Op {
    let copy = sequence.duplicate();
    let taken: BTreeSet<_> = sequences(root).into_iter().filter_map(|s| s.symbol()).collect();
    let mut name = format!("{}_bound", sequence.symbol().unwrap_or_default());
    while taken.contains(&name) {
        name.push('_');
    }
    copy.set_attr("sym_name", Attr::string(copy.context(), &name));
    if let Some(block) = sequence.block() {
        block.insert_before(sequence, copy);
    }
    let body = copy.body().expect("a sequence that is defined");
    let first = body.ops().first().copied().expect("a terminator at least");
    for (i, value) in values.iter().enumerate().rev() {
        let argument = body.args()[i + 1];
        let constant =
            Builder::before(first).value("transform.param.constant", &[], argument.ty(), &[("value", *value)]);
        argument.replace_all_uses(constant);
        body.erase_arg(i + 1);
    }
    let context = copy.context();
    let module = body.args()[0].ty();
    copy.set_attr("function_type", Attr::ty(Type::function(context, &[module], &[])));
    if let Some(attrs) = copy.attr("arg_attrs").and_then(Attr::as_array) {
        copy.set_attr("arg_attrs", Attr::array(context, &attrs[..1]));
    }
    copy
}

/// Places an error at an operation.
fn at(session: &Session, op: Op, error: Error) -> Error {
    error.at(session.span(op))
}
