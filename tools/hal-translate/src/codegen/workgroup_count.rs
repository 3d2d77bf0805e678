//! The function of an export that counts its workgroups.
use super::abi;
use halyard_diag::Error;
use halyard_ir::{Module, Op};

pub(crate) fn no_workgroups(name: &str, why: &str) -> Error {
    Error::input(format!("export `@{name}` {why} is no `@{}`", abi::workgroups_name(name)))
        .code("no-workgroups")
        .hint("add a function of that name from the constants of the export, as `index`, to three `index`")
}

/// Takes `@EXPORT_workgroups` out of a module, if it is there.
pub(crate) fn given_workgroups(module: &Module<'_>, name: &str) -> Option<Op> {
    let wanted = abi::workgroups_name(name);
    let ops = Op::from(module).body()?.ops();
    let found = ops.into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(&*wanted))?;
    found.detach();
    found.remove_attr("sym_visibility");
    Some(found)
}
