//! Finds the inputs and results that the rules name.
use super::rule::{StateRule, captured};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Op, Type, names};
use std::collections::BTreeSet;

/// An input or a result of a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port {
    /// The function.
    pub(super) function: Op,
    /// The index of the input or result.
    pub(super) index: usize,
    /// Its type.
    pub(super) ty: Type,
    /// Its attributes.
    pub(super) attrs: Option<Attr>,
}

impl Port {
    pub(super) fn attr(self, name: &str) -> Option<Attr> {
        self.attrs?.get(name)
    }

    fn name(self) -> Option<String> {
        self.attr(names::NAME).and_then(Attr::as_string)
    }
}

/// The inputs of a function, or its results.
pub(super) fn ports(function: Op, inputs: bool) -> Vec<Port> {
    let ty = function.attr("function_type").and_then(Attr::as_type).expect("func.func has a type");
    let attrs =
        function.attr(if inputs { "arg_attrs" } else { "res_attrs" }).and_then(Attr::as_array).unwrap_or_default();
    let types = if inputs { ty.inputs() } else { ty.results() };
    let port = |(index, ty)| Port { function, index, ty, attrs: attrs.get(index).copied() };
    types.into_iter().enumerate().map(port).collect()
}

/// A state: the inputs that it replaces, at most one in each function, and the results that are stored to it.
#[derive(Debug)]
pub(super) struct Pair<'r> {
    pub(super) rule: &'r StateRule,
    /// The state's name, in messages and for users of the program.
    pub(super) name: String,
    pub(super) past: Vec<Port>,
    pub(super) present: Vec<Port>,
    /// The result's name in messages.
    pub(super) result: String,
}

/// Finds the states in the public functions of a program. Errors: no such input or result; one that is named twice.
pub(super) fn pairs<'r>(functions: &[Op], rules: &'r [StateRule]) -> Result<Vec<Pair<'r>>> {
    let all = |inputs| functions.iter().flat_map(|f| ports(*f, inputs)).collect::<Vec<Port>>();
    let (inputs, results) = (all(true), all(false));
    let mut found: Vec<Pair<'r>> = Vec::new();
    for rule in rules {
        let matched = expand(rule, &inputs);
        if matched.is_empty() {
            return Err(unknown("input", &rule.past, rule, &inputs));
        }
        for (past, present) in matched {
            let pair = Pair {
                rule,
                name: past.parse::<usize>().map_or(past.clone(), |n| format!("state_{n}")),
                past: find(&inputs, &past),
                present: find(&results, &present),
                result: present,
            };
            if pair.present.is_empty() {
                return Err(unknown("result", &pair.result, rule, &results));
            }
            let twice = |what: &str, name: &str| {
                Error::usage(format!("{what} `{name}` is named by two `--state`s"))
                    .note(format!("the second is `--state={}`", rule.text))
                    .hint("leave one of them out")
            };
            let shared = |a: &[Port], b: &[Port]| {
                a.iter().any(|a| b.iter().any(|b| a.function == b.function && a.index == b.index))
            };
            for other in &found {
                if shared(&other.past, &pair.past) || other.name == pair.name {
                    return Err(twice("input", &past));
                }
                if shared(&other.present, &pair.present) {
                    return Err(twice("result", &pair.result));
                }
            }
            found.push(Pair { name: pair.past[0].name().unwrap_or(pair.name), ..pair });
        }
    }
    Ok(found)
}

/// The names of the inputs and results that a rule pairs.
fn expand(rule: &StateRule, inputs: &[Port]) -> Vec<(String, String)> {
    if !rule.past.contains('*') {
        let names = (rule.past.clone(), rule.present.clone());
        return if find(inputs, &rule.past).is_empty() { Vec::new() } else { vec![names] };
    }
    let mut seen = BTreeSet::new();
    let names = inputs.iter().filter_map(|i| i.name()).filter(|name| seen.insert(name.clone()));
    names.filter_map(|name| Some((name.clone(), rule.present.replace('*', captured(&rule.past, &name)?)))).collect()
}

/// Returns the ports with a name; if there is none, those with that number.
fn find(ports: &[Port], name: &str) -> Vec<Port> {
    let named: Vec<Port> = ports.iter().copied().filter(|p| p.name().as_deref() == Some(name)).collect();
    match name.parse::<usize>() {
        Ok(number) if named.is_empty() => ports.iter().copied().filter(|p| p.index == number).collect(),
        _ => named,
    }
}

fn unknown(what: &str, name: &str, rule: &StateRule, ports: &[Port]) -> Error {
    let mut known: Vec<String> = Vec::new();
    for port in ports {
        let text = port.name().map_or_else(|| port.index.to_string(), |n| format!("`{n}`"));
        if !known.contains(&text) {
            known.push(text);
        }
    }
    let error = Error::usage(format!("`--state={}`: there is no {what} `{name}`", rule.text)).code("unknown-state");
    if known.is_empty() {
        error.note(format!("the model has no {what}s"))
    } else {
        error.hint(format!("the {what}s are {}", known.join(", ")))
    }
}
