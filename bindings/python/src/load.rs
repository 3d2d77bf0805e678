//! Loading programs.
use crate::{error::OrRaise, hosts, instances::Instances, program::Program};
use halyard_diag::Error;
use halyard_runtime::{DeviceKind, LoadOptions, LoadedProgram};
use pyo3::{prelude::*, types::PyDict};
use std::{collections::BTreeMap, path::PathBuf};

#[pyfunction]
#[pyo3(signature = (path, *, device = "cpu", threads = 0, fallback = false, libraries = vec![], modules = vec![], functions = None, constants = BTreeMap::new()))]
#[expect(clippy::too_many_arguments, reason = "named in Python")]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    device: &str,
    threads: usize,
    fallback: bool,
    libraries: Vec<PathBuf>,
    modules: Vec<PathBuf>,
    functions: Option<&Bound<'_, PyDict>>,
    constants: BTreeMap<String, i64>,
) -> PyResult<Program> {
    let mut options = LoadOptions { plugins: libraries, constants, ..LoadOptions::default() };
    options.device.device =
        device.parse().map_err(|why| Error::usage(format!("`{device}` is not a device: {why}"))).or_raise(py)?;
    options.device.fallback = fallback;
    if let Some(functions) = functions {
        hosts::add(&mut options.modules, functions)?;
    }
    let loaded = py.detach(|| {
        for library in &modules {
            options.modules.add_library(library)?;
        }
        halyard_builtins::add(&mut options.modules)?;
        LoadedProgram::load_with(&path, &options)
    });
    let loaded = loaded.or_raise(py)?;
    Ok(Program::new(Instances::new(loaded, threads), options.device.device.to_string()))
}

/// The devices that programs can run on: name, title, bytes of memory.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> Vec<(String, String, u64)> {
    // A kind without a driver has no devices.
    let all = py.detach(|| {
        DeviceKind::ALL.into_iter().filter_map(|kind| halyard_runtime::devices(kind).ok()).flatten().collect::<Vec<_>>()
    });
    all.into_iter().filter(|d| d.problem.is_none()).map(|d| (d.name.to_string(), d.title, d.memory)).collect()
}
