//! At which sizes the host program calls executables.
//!
//! Executables of open sizes are measured where a call of the program has them. [`walk`] follows each public function from the sizes
//! of its inputs, as types and `--dim` say them, through the arithmetic on sizes to the calls.
mod known;
mod walk;

use halyard_diag::{Error, Result, nearest};
use halyard_ir::{Attr, Op, form::Program, names};
use halyard_programs::SizeArgument;
use known::Known;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use walk::Walk;

/// The sizes of all arguments of a call; of scalars their values.
pub(crate) type CallSizes = Vec<Vec<Option<i64>>>;

/// What the host program says of calls.
#[derive(Debug, Default)]
pub(crate) struct HostCalls {
    /// For each executable and export: the sizes that it is called with, and how often.
    pub(crate) of: BTreeMap<(String, String), BTreeMap<CallSizes, usize>>,
    /// What open sizes of inputs are called that nobody said.
    pub(crate) open: Vec<String>,
}

impl HostCalls {
    /// Follows the public functions of a program. Errors: a size that is for no input.
    pub(crate) fn of(program: Program, sizes: &[SizeArgument]) -> Result<Self> {
        let mut target: HashMap<String, (String, String)> = HashMap::new();
        for entry in program.entries() {
            target.insert(entry.name(), entry.target()?);
        }
        let mut calls = Self::default();
        let (mut used, mut names) = (BTreeSet::new(), Vec::new());
        let of = &mut calls.of;
        let mut on_call = |entry: &str, arguments: CallSizes| {
            if let Some(place) = target.get(entry) {
                *of.entry(place.clone()).or_default().entry(arguments).or_default() += 1;
            }
        };
        let mut open = Vec::new();
        for function in program.public_functions() {
            let arguments = inputs(function, sizes, (&mut used, &mut names, &mut open));
            Walk::new(program, &mut on_call).function(function, &arguments);
        }
        calls.open = open;
        match sizes.iter().enumerate().find(|(i, _)| !used.contains(i)) {
            None => Ok(calls),
            Some((_, idle)) => {
                let error = Error::usage(format!("`{idle}` is for no input of the program whose size is open"));
                let error = error.code("unknown-name");
                Err(match nearest(&idle.name, names.iter().map(String::as_str)).first() {
                    Some(near) if *near != idle.name => error.hint(format!("did you mean `{near}`?")),
                    _ if names.is_empty() => error.hint("all inputs have fixed sizes"),
                    _ => error.hint(format!("open are `{}`", names.join("`, `"))),
                })
            }
        }
    }
}

/// What is known of the inputs of a function. Notes which sizes were used, all names of open ones, and the names of those that nobody said.
fn inputs(
    function: Op,
    sizes: &[SizeArgument],
    (used, all, open): (&mut BTreeSet<usize>, &mut Vec<String>, &mut Vec<String>),
) -> Vec<Known> {
    let attrs = function.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
    let arguments = function.body().map(|b| b.args()).unwrap_or_default();
    let known = |(i, argument): (usize, &halyard_ir::Value)| {
        let said = attrs.get(i);
        let name = said.and_then(|d| d.get(names::NAME)).and_then(Attr::as_string);
        let dims = said.and_then(|d| d.get(names::DIM_NAMES)).and_then(Attr::as_array).unwrap_or_default();
        let Known::Shape(shape) = Known::of_type(argument.ty()) else { return Known::Number(None) };
        let mut size = |(d, fixed): (usize, Option<i64>)| {
            if fixed.is_some() {
                return fixed;
            }
            let own = dims.get(d).and_then(|n| n.as_string());
            let names = SizeArgument::names(i, d, own.as_deref(), name.as_deref());
            let mut found = None;
            for (at, said) in sizes.iter().enumerate().filter(|(_, s)| names.contains(&s.name)) {
                used.insert(at);
                found = i64::try_from(said.size).ok();
            }
            if found.is_none() && !open.contains(&names[0]) {
                open.push(names[0].clone());
            }
            all.extend(names.into_iter().filter(|n| !all.contains(n)).collect::<Vec<_>>());
            found
        };
        Known::Shape(shape.into_iter().enumerate().map(&mut size).collect())
    };
    arguments.iter().enumerate().map(known).collect()
}
