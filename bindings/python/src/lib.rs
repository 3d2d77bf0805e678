//! `halyard._native`: the runtime for Python. The package `halyard` beside it is what people import.

mod array;
mod bind;
mod calls;
mod copy;
mod dlpack;
mod error;
mod export;
mod hosts;
mod instances;
mod load;
mod out;
mod program;
mod records;
mod session;
mod tensor;

use pyo3::prelude::*;

/// Names the kernel that crashes, on this file descriptor, before the process ends.
#[pyfunction]
#[pyo3(signature = (file = 2))]
fn report_crashes(file: i32) {
    halyard_runtime::crash::install(Some(file));
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        load::{devices, load},
        program::Program,
        report_crashes,
        session::{Session, session},
        tensor::{Tensor, empty},
    };
}
