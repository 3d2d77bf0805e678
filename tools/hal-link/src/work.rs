//! Converts the work of exports to the form of linked programs.
use halyard_ir::form::{ExportWork, SizeSum};
use halyard_runtime::commands::{KernelWork, WorkTerm};

/// The work of an export.
pub(crate) fn linked_work(counted: &ExportWork) -> KernelWork {
    let terms = |sum: &SizeSum| -> Vec<WorkTerm> {
        let term = |(factor, constants): (i64, &[usize])| WorkTerm {
            factor,
            constants: constants.iter().map(|c| *c as u32).collect(),
        };
        sum.terms().map(term).collect()
    };
    KernelWork {
        operations: counted.operations.as_ref().map(terms),
        kind: counted.kind.clone(),
        bytes: counted.bytes.as_ref().map(terms),
    }
}
