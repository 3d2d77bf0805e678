//! Loaded programs.
use crate::{
    bind,
    calls::{call, call_into, profile, results, results_without_array},
    error::OrRaise,
    hosts,
    instances::Instances,
    out,
    records::Record,
    tensor::Tensor,
};
use halyard_diag::{Error, Result};
use halyard_runtime::{FunctionInfo, Instance, TensorSpec};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

/// A spec in parts: name, element type, sizes, names of sizes, the type of its bytes.
type Spec = (Option<String>, &'static str, Vec<Option<usize>>, Vec<String>, Option<String>);

#[pyclass(frozen, module = "halyard._native")]
pub(crate) struct Program {
    pub(crate) instances: Instances,
    device: String,
}

impl Program {
    pub(crate) fn new(instances: Instances, device: String) -> Self {
        Self { instances, device }
    }

    pub(crate) fn function(&self, py: Python<'_>, name: Option<&str>) -> PyResult<&FunctionInfo> {
        self.instances.program().function(name).or_raise(py)
    }
}

fn spec(spec: &TensorSpec) -> Spec {
    let TensorSpec { name, dtype, shape, dim_names, element } = spec.clone();
    (name, dtype.name(), shape, dim_names, element)
}

#[pymethods]
impl Program {
    /// Each function with its inputs and outputs.
    fn functions(&self) -> Vec<(String, Vec<Spec>, Vec<Spec>)> {
        let functions = self.instances.program().functions().iter();
        functions
            .map(|f| (f.name.clone(), f.inputs.iter().map(spec).collect(), f.outputs.iter().map(spec).collect()))
            .collect()
    }

    fn states(&self) -> Vec<Spec> {
        self.instances.program().states().map(spec).collect()
    }

    #[getter]
    fn device(&self) -> &str {
        &self.device
    }

    #[getter]
    fn idle_instances(&self) -> usize {
        self.instances.idle()
    }

    /// What was given to load the program and has no effect, in words.
    fn idle(&self) -> Vec<String> {
        let program = self.instances.program();
        let plugins = program.idle_plugins().iter().map(|p| format!("kernel library `{}`", p.display()));
        let modules = program.idle_modules().iter().map(|m| format!("host library {m}"));
        let constants = program.idle_constants().into_iter().map(|c| format!("constant `{c}`"));
        plugins.chain(modules).chain(constants).collect()
    }

    fn fallen_back(&self) -> Vec<String> {
        self.instances.program().fallen_back().into_iter().map(str::to_owned).collect()
    }

    #[pyo3(signature = (function, args, named = None))]
    fn call(
        &self,
        py: Python<'_>,
        function: Option<&str>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Tensor>> {
        let info = self.function(py, function)?;
        self.stateless(py)?;
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
        let info = self.function(py, function)?;
        self.stateless(py)?;
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
        let info = self.function(py, function)?;
        self.stateless(py)?;
        let inputs = bind::inputs(info, args, named)?;
        let (_, records) = self.with(py, |instance| profile(instance, &info.name, &inputs))?;
        Ok(records.iter().map(|r| Record::of(self.instances.program(), r)).collect())
    }
}

impl Program {
    /// Uses an instance that no other call uses, while other threads of Python run.
    fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut Instance) -> Result<T> + Send) -> PyResult<T> {
        let done = py.detach(|| {
            let mut instance = match self.instances.take()? {
                Ok(instance) => instance,
                Err(error) => return Ok(Err(error)),
            };
            let done = run(&mut instance);
            self.instances.put(instance);
            PyResult::Ok(done)
        })?;
        hosts::with_cause(py, done)
    }

    /// Calls of a program share instances, so that they must not have state.
    fn stateless(&self, py: Python<'_>) -> PyResult<()> {
        if self.instances.program().states().next().is_none() {
            return Ok(());
        }
        Err(Error::usage("the program keeps state between calls, and each session has its own")
            .hint("call a session: `session = program.session()`, then `session(…)`"))
        .or_raise(py)
    }
}
