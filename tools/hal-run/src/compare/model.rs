//! The common interface of the two sides of a comparison.
use halyard_diag::Result;
use halyard_runtime::{CallTrace, FunctionInfo, KernelInfo, LoadedProgram, Tensor, TracedBinding, TracedDispatch};
use halyard_tensors::Difference;
use std::collections::HashMap;

/// A program and what its dispatches did in a call.
pub(super) struct Side<'a> {
    /// The name in messages.
    pub(super) name: String,
    pub(super) program: &'a LoadedProgram,
    pub(super) trace: &'a CallTrace,
    /// The arguments of the call.
    pub(super) inputs: &'a [Tensor],
}

/// The place of a result: a binding of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    /// The index of the dispatch.
    pub(super) dispatch: usize,
    /// The index of its binding.
    pub(super) binding: usize,
}

/// A result that was compared.
pub(super) struct Compared {
    /// The place in the program.
    pub(super) place: Place,
    /// The place in the other program, if it is one.
    pub(super) other: Option<Place>,
    /// The difference, if there is one.
    pub(super) difference: Option<Difference>,
}

impl Side<'_> {
    pub(super) fn dispatch(&self, index: usize) -> &TracedDispatch {
        &self.trace.dispatches[index]
    }

    pub(super) fn binding(&self, place: Place) -> &TracedBinding {
        &self.dispatch(place.dispatch).bindings[place.binding]
    }

    pub(super) fn kernel(&self, dispatch: usize) -> &KernelInfo {
        &self.program.kernels()[self.dispatch(dispatch).kernel]
    }

    /// The number of the export in its executable: names may differ between programs.
    pub(super) fn export_number(&self, dispatch: usize) -> usize {
        let kernel = self.dispatch(dispatch).kernel;
        let executable = &self.program.kernels()[kernel].executable;
        self.program.kernels()[..kernel].iter().filter(|k| k.executable == *executable).count()
    }

    /// The results of all dispatches, in order.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        self.trace.dispatches.iter().enumerate().flat_map(|(dispatch, d)| {
            let written = d.bindings.iter().enumerate().filter(|(_, b)| b.after.is_some());
            written.map(move |(binding, _)| Place { dispatch, binding })
        })
    }

    /// Returns the tensor of a result.
    pub(super) fn result(&self, place: Place) -> Result<Tensor> {
        let binding = self.binding(place);
        binding.tensor(binding.after.as_ref().expect("results are written"))
    }

    /// Returns the number of dispatches of the call.
    pub(super) fn count(&self) -> usize {
        self.trace.dispatches.len() + self.trace.left_out
    }
}

/// A model that was run by someone else.
pub(super) struct Model {
    /// The name in messages.
    pub(super) name: String,
    /// The evaluator that ran it, with its version.
    pub(super) by: String,
    /// Its tensors by name.
    pub(super) values: HashMap<String, Tensor>,
}

impl Model {
    /// An output of the function of that model.
    pub(super) fn output(&self, function: &FunctionInfo, index: usize) -> Option<Tensor> {
        self.values.get(function.outputs[index].name.as_deref()?).cloned()
    }
}

/// The side that a program is compared with.
pub(super) trait Reference {
    /// Returns the name in messages.
    fn name(&self) -> &str;
    /// The program that it is, if it is one.
    fn side(&self) -> Option<&Side<'_>>;
    /// Returns the value that corresponds to a result of `a`.
    fn expected(&self, a: &Side<'_>, compared: &Compared) -> Option<Vec<u8>>;
}

impl Reference for Side<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn side(&self) -> Option<&Side<'_>> {
        Some(self)
    }

    fn expected(&self, _: &Side<'_>, compared: &Compared) -> Option<Vec<u8>> {
        Some(self.binding(compared.other?).after.as_ref()?.bytes().to_vec())
    }
}

impl Reference for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn side(&self) -> Option<&Side<'_>> {
        None
    }

    fn expected(&self, a: &Side<'_>, compared: &Compared) -> Option<Vec<u8>> {
        self.values.get(&a.binding(compared.place).value).map(|t| t.bytes().to_vec())
    }
}
