//! Finds the function that computes the workgroup count of an export.
use super::abi;
use halyard_diag::Error;
use halyard_ir::{Attr, Module, Op, Session, Value};

pub(crate) fn no_workgroups(name: &str, why: &str) -> Error {
    Error::input(format!("export `@{name}` {why} is no `@{}`", abi::workgroups_name(name)))
        .code("no-workgroups")
        .hint("add a function of that name from the constants of the export, as `index`, to three `index`")
}

/// Removes and returns `@EXPORT_workgroups` from a module, if it is there.
pub(crate) fn given_workgroups(module: &Module<'_>, name: &str) -> Option<Op> {
    let wanted = abi::workgroups_name(name);
    let ops = Op::from(module).body()?.ops();
    let found = ops.into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(&*wanted))?;
    found.detach();
    found.remove_attr("sym_visibility");
    Some(found)
}

pub(crate) fn redundant_workgroups(session: &Session, count: Op, export: &str) -> Error {
    let error = Error::input(format!(
        "export `@{export}` never asks which workgroup it is, so several would all do the whole work"
    ))
    .code("unused-workgroups")
    .hint("divide the work by `gpu.block_id`, or leave the count out: then there is one workgroup");
    error.at(session.span(count))
}

/// Whether the count is always one workgroup.
pub(crate) fn is_one(count: Op) -> bool {
    let end = count.body().and_then(|b| b.terminator());
    let one = |v: Value| v.def().and_then(|d| d.attr("value")).and_then(Attr::as_int) == Some(1);
    end.is_some_and(|end| end.operands().into_iter().all(one))
}
