//! What hand-written kernels are used for in the model: the calls say it.
use halyard_ir::{
    Op,
    form::{ExecutableOrigin, Program},
    origins_of,
};
use std::collections::BTreeMap;

/// Writes to each executable that was not formed here which nodes call it.
pub(super) fn of_calls(program: Program) {
    let executables = program.executables_by_name();
    let entries: BTreeMap<String, String> =
        program.entries().into_iter().filter_map(|e| Some((e.name(), e.target().ok()?.0))).collect();
    let mut found: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    for function in program.functions() {
        function.walk(&mut |op: Op| {
            let callee = op.callee();
            if let Some(executable) = callee.filter(|_| op.is("func.call")).and_then(|name| entries.get(&name)) {
                found.entry(executable).or_default().extend(origins_of(op));
            }
        });
    }
    for (name, origins) in found {
        if let Some(executable) = executables.get(name).filter(|e| ExecutableOrigin::of(e.op).names().is_empty()) {
            ExecutableOrigin::new(&origins).set(executable.op);
        }
    }
}
