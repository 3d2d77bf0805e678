//! Finds the source of an executable, and its variants with objects.
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Phase, Program, Variant, write},
};

/// Whether all exports have bodies.
pub(crate) fn has_source(executable: Executable) -> bool {
    let has_body = |op: &Op| op.regions().first().is_some_and(|r| r.first_block().is_some());
    let exports: Vec<Op> =
        executable.body().ops().into_iter().filter(|op| op.has_attr(halyard_ir::names::EXPORT)).collect();
    !exports.is_empty() && exports.iter().all(has_body)
}

/// Returns the variants that have objects.
pub(crate) fn with_objects(executable: Executable) -> Vec<Variant> {
    executable
        .variants()
        .into_iter()
        .filter(|v| v.op.attr(halyard_ir::names::OBJECTS).and_then(Attr::as_array).is_some_and(|o| !o.is_empty()))
        .collect()
}

/// A program of these executables alone, without host functions: what generating code needs. Their generated variants
/// are left out.
pub(crate) fn bare_program(session: &Session, executables: &[Executable]) -> Vec<u8> {
    let module = session.empty_module();
    let op = Op::from(&module);
    let body = op.body().expect("a module has a body");
    for executable in executables {
        let copy = Executable { op: executable.op.duplicate() };
        with_objects(copy).into_iter().for_each(|v| v.op.erase());
        body.append(copy.op);
    }
    Program::stamp(op, Phase::Executables);
    write(op, true)
}
