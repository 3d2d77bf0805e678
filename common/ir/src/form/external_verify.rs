//! Verifies declarations of hand-written kernels and functions, as far as no files are needed.
use super::{
    Interface,
    external_kernel::{ExternalCount, ExternalKernel},
};
use crate::{Attr, Op, names};

/// Checks that a function with a body does not name another implementation, which would be ignored.
pub(super) fn verify_own(function: Op, say: &mut dyn FnMut(Op, String)) {
    let own = [names::OBJECTS, names::WORKGROUPS, names::IMPORT, names::ARGUMENTS, names::SYMBOL];
    let found = own.into_iter().find(|n| function.has_attr(n));
    if let Some(attr) = found {
        let name = function.symbol().unwrap_or_default();
        say(function, format!("function `@{name}` has a body and `{attr}`, which is for declarations"));
    }
}

/// Checks a declaration: whatever can be wrong with it without looking at files. `find` gives the functions of the
/// program by name.
pub(super) fn verify_external_kernel(
    given: ExternalKernel,
    find: &dyn Fn(&str) -> Option<Op>,
    say: &mut dyn FnMut(Op, String),
) {
    let name = given.name();
    let (objects, import) = (given.op.has_attr(names::OBJECTS), given.is_import());
    match given.targets() {
        Err(e) => return say(given.op, e.to_string()),
        Ok(targets) if objects && targets.is_empty() => {
            say(given.op, format!("`{}` of `@{name}` is empty", names::OBJECTS))
        }
        Ok(_) => {}
    }
    if objects && import {
        say(given.op, format!("`@{name}` has objects and is imported; it is either or"));
    }
    if !given.is_kernel() {
        return;
    }
    if import {
        say(given.op, format!("kernel `@{name}` cannot be imported from a plugin; functions that kernels call can"));
    } else if !objects {
        say(given.op, format!("kernel `@{name}` has a workgroup count, but no objects (`{}`)", names::OBJECTS));
    }
    super::verify::verify_interface(given.op, say);
    let interface = Interface::of(given.op);
    if interface.inputs.iter().chain(&interface.results).any(|t| t.is_tensor() && !t.is_ranked_tensor()) {
        return;
    }
    let entries = given.targets().unwrap_or_default();
    for (attr, key) in [(names::ARGUMENTS, "arguments"), (names::SYMBOL, "symbol")] {
        if given.op.has_attr(attr) && !entries.is_empty() && entries.iter().all(|t| t.attr.get(key).is_some()) {
            say(given.op, format!("`{attr}` of `@{name}` is used by none of its entries: each has its own"));
        }
    }
    // One that all entries have their own instead of may be left out.
    let own = !entries.is_empty() && entries.iter().all(|t| t.workgroups.is_some());
    let mut counts: Vec<ExternalCount> = entries.into_iter().filter_map(|t| t.workgroups).collect();
    match given.count() {
        Err(_) if own && !given.op.has_attr(names::WORKGROUPS) => {}
        Err(e) => say(given.op, e.to_string()),
        Ok(count) => counts.insert(0, count),
    }
    for count in counts {
        let ExternalCount::Function(count) = count else { continue };
        match find(&count) {
            None => say(given.op, format!("workgroup count `@{count}` of kernel `@{name}` does not exist")),
            Some(function) => verify_count(given, function, say),
        }
    }
}

fn verify_count(given: ExternalKernel, function: Op, say: &mut dyn FnMut(Op, String)) {
    let name = function.symbol().unwrap_or_default();
    if function.body().is_none() {
        return say(function, format!("workgroup count `@{name}` is declared, not defined"));
    }
    let Some(ty) = function.attr("function_type").and_then(Attr::as_type) else { return };
    let constants = Interface::of(given.op).constant_count();
    if ty.inputs().len() != constants || ty.inputs().iter().any(|t| !t.is_index()) {
        say(
            function,
            format!(
                "workgroup count `@{name}` takes {}; kernel `@{}` has {constants} constants, each an `index`",
                list(&ty.inputs()),
                given.name()
            ),
        );
    }
    if ty.results().len() != 3 || ty.results().iter().any(|t| !t.is_index()) {
        say(
            function,
            format!("workgroup count `@{name}` returns {}, not three `index`: x, y and z", list(&ty.results())),
        );
    }
}

fn list(types: &[crate::Type]) -> String {
    let all: Vec<String> = types.iter().map(|t| format!("`{t}`")).collect();
    if all.is_empty() { "nothing".into() } else { all.join(", ") }
}
