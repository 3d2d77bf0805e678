//! Sessions: instances with their own state.
use crate::{
    array::read_argument,
    bind,
    calls::{call, call_into, profile, results, results_without_array},
    error::{OrRaise, bug},
    hosts, out,
    program::Program,
    records::Record,
    tensor::Tensor,
};
use halyard_diag::{Error, Result};
use halyard_runtime::{Instance, Tensor as RuntimeTensor, TensorSpec};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::sync::{Mutex, TryLockError};

#[pyclass(frozen, module = "halyard._native")]
pub(crate) struct Session {
    instance: Mutex<Instance>,
    program: Py<Program>,
    /// The process that made it.
    process: u32,
}

/// Makes a session of a program.
#[pyfunction]
pub(crate) fn session(program: &Bound<'_, Program>) -> PyResult<Session> {
    let (py, this) = (program.py(), program.get());
    let instance = py.detach(|| this.instances.make()).or_raise(py)?;
    Ok(Session { instance: Mutex::new(instance), program: program.clone().unbind(), process: std::process::id() })
}

impl Session {
    /// Uses the instance, while other threads of Python run.
    fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut Instance) -> Result<T> + Send) -> PyResult<T> {
        let done = py.detach(|| {
            if self.process != std::process::id() {
                return Ok(Err(Error::usage("the session was made before a fork, and its threads are gone")
                    .hint("make a session in each process")));
            }
            match self.instance.try_lock() {
                Ok(mut instance) => Ok(run(&mut instance)),
                Err(TryLockError::WouldBlock) => {
                    Ok(Err(Error::usage("the session is in a call of another thread, or of a function that it calls")
                        .hint("use one session a thread")))
                }
                Err(TryLockError::Poisoned(_)) => Err(bug("a call of this session panicked")),
            }
        })?;
        hosts::with_cause(py, done)
    }

    fn state_spec(&self, name: &str) -> Option<TensorSpec> {
        let states = self.program.get().instances.program().states();
        states.into_iter().find(|s| s.name.as_deref() == Some(name)).cloned()
    }
}

#[pymethods]
impl Session {
    #[pyo3(signature = (function, args, named = None))]
    fn call(
        &self,
        py: Python<'_>,
        function: Option<&str>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Tensor>> {
        let info = self.program.get().function(py, function)?;
        let inputs = bind::inputs(info, args, named)?;
        let outputs = self.with(py, |instance| call(instance, &info.name, &inputs))?;
        Ok(results(info, outputs))
    }

    /// Calls a function with an array, or none, for each result. Gives the results without one.
    #[pyo3(signature = (function, out, args, named = None))]
    fn call_into(
        &self,
        py: Python<'_>,
        function: Option<&str>,
        out: Vec<Option<Bound<'_, PyAny>>>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Option<Tensor>>> {
        let info = self.program.get().function(py, function)?;
        let inputs = bind::inputs(info, args, named)?;
        let arrays = out::arrays(info, &out)?;
        let outputs = self.with(py, |instance| call_into(instance, info, &inputs, &arrays))?;
        Ok(results_without_array(info, outputs, &arrays))
    }

    #[pyo3(signature = (function, args, named = None))]
    fn profile(
        &self,
        py: Python<'_>,
        function: Option<&str>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Record>> {
        let program = self.program.get();
        let info = program.function(py, function)?;
        let inputs = bind::inputs(info, args, named)?;
        let (_, records) = self.with(py, |instance| profile(instance, &info.name, &inputs))?;
        Ok(records.iter().map(|r| Record::of(program.instances.program(), r)).collect())
    }

    fn state(&self, py: Python<'_>, name: &str) -> PyResult<Tensor> {
        let tensor = self.with(py, |instance| instance.state(name))?;
        Ok(Tensor::new(tensor, self.state_spec(name).and_then(|s| s.element)))
    }

    fn set_state(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(spec) = self.state_spec(name) else {
            // Fails, and names the states that there are.
            return self.with(py, |instance| instance.reset_state(name));
        };
        let given = read_argument(value, &spec, &|| format!("state `{name}`"))?;
        self.with(py, |instance| {
            let view = given.view()?;
            instance.set_state(name, &RuntimeTensor::from_bytes(view.dtype(), view.shape(), view.bytes())?)
        })
    }

    #[pyo3(signature = (name = None))]
    fn reset(&self, py: Python<'_>, name: Option<&str>) -> PyResult<()> {
        self.with(py, |instance| match name {
            Some(name) => instance.reset_state(name),
            None => instance.reset_states(),
        })
    }

    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |instance| Ok(instance.threads()))
    }
}
