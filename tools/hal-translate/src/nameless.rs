//! Finds executables that differ only in names.
use halyard_ir::{
    Attr,
    form::{Executable, print},
    names,
};

/// The text of an executable without its names: what its code depends on.
pub(crate) fn nameless(executable: Executable) -> String {
    let context = executable.op.context();
    let copy = Executable { op: executable.op.duplicate() };
    copy.variants().into_iter().for_each(|v| v.op.erase());
    for name in ["sym_name", names::ORIGIN, names::KEY, names::WORK] {
        copy.op.remove_attr(name);
    }
    for (i, export) in copy.exports().into_iter().enumerate() {
        export.op.set_attr("sym_name", Attr::string(context, &format!("export {i}")));
    }
    let text = print(copy.op);
    copy.op.erase();
    text
}
