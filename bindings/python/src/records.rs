//! Dispatches of a call, with times.
use halyard_runtime::{DispatchRecord, LoadedProgram};
use pyo3::IntoPyObject;

/// A dispatch; Python gets a dictionary.
#[derive(IntoPyObject)]
pub(crate) struct Record {
    kernel: String,
    executable: String,
    variant: String,
    origin: Vec<String>,
    workgroups: (u32, u32, u32),
    scalars: Vec<i64>,
    bytes: Vec<u64>,
    nanoseconds: u64,
}

impl Record {
    pub(crate) fn of(program: &LoadedProgram, record: &DispatchRecord) -> Self {
        let kernel = &program.kernels()[record.kernel];
        let [x, y, z] = record.workgroups;
        Self {
            kernel: kernel.export.clone(),
            executable: kernel.executable.clone(),
            variant: kernel.variant.clone(),
            origin: kernel.identity.origin.clone(),
            workgroups: (x, y, z),
            scalars: record.constants.clone(),
            bytes: record.bindings.clone(),
            nanoseconds: record.nanos,
        }
    }
}
