//! Limits on a program: counts its executables, dispatches and bytes of objects before it is linked, and fails if
//! there are more than allowed. It is also the example of a plugin that is a Rust crate.
use halyard_diag::{Diagnostic, Error, Result, Severity};
use halyard_ir::{
    Attr, Op, Session,
    form::{ObjectData, Program},
};
use halyard_preprocess::CompiledIn;
use halyard_stages::{Variables, grammar::OptionValue};
use std::collections::BTreeSet;

/// The plugin, as the list of compiled-in plugins names it.
pub static PLUGIN: Budget = Budget;

/// The functions that the plugin provides.
#[derive(Debug)]
pub struct Budget;

impl CompiledIn for Budget {
    fn call(&self, name: &str, session: &Session, module: Op, options: &Variables) -> Result<()> {
        debug_assert_eq!(name, "count");
        let program = Program { op: module };
        let costs = [
            ("executables", program.executables().len()),
            ("dispatches", dispatches(program)),
            ("object-bytes", object_bytes(program)?),
        ];
        let limit = |name| match options.get(name) {
            Some(OptionValue::Int(n)) => usize::try_from(*n).ok().filter(|n| *n > 0),
            _ => None,
        };
        let over: Vec<String> = costs
            .iter()
            .filter_map(|&(name, is)| Some((name, is, limit(name).filter(|limit| is > *limit)?)))
            .map(|(name, is, limit)| format!("`{name}` is {is}, its limit {limit}"))
            .collect();
        if !over.is_empty() {
            let message = format!("program `@{}` exceeds its budget: {}", program.name(), over.join("; "));
            return Err(Error::input(message)
                .code("over-budget")
                .hint("the limits are the options of plugin `budget`"));
        }
        let text: Vec<_> = costs.iter().map(|(name, is)| format!("{name} {is}")).collect();
        session.say(Diagnostic::new(Severity::Note, format!("program `@{}`: {}", program.name(), text.join(", "))));
        Ok(())
    }
}

/// Calls of entries, each counted once, however often a loop runs it.
fn dispatches(program: Program) -> usize {
    let entries: BTreeSet<String> = program.entries().into_iter().map(|e| e.name()).collect();
    let mut count = 0;
    for function in program.functions() {
        function.walk(&mut |op| {
            let callee = op.attr("callee").and_then(Attr::as_symbol);
            count += usize::from(
                op.is("func.call") && callee.is_some_and(|c| c.first().is_some_and(|c| entries.contains(c))),
            );
        });
    }
    count
}

/// Bytes of all objects that the program holds; of those that it names by path, it does not know.
fn object_bytes(program: Program) -> Result<usize> {
    let mut bytes = 0;
    for variant in program.executables().into_iter().flat_map(|e| e.variants()) {
        for object in variant.objects()? {
            if let ObjectData::Embedded(data) = object.data {
                bytes += data.len();
            }
        }
    }
    Ok(bytes)
}
