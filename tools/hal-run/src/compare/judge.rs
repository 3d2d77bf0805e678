//! Compares corresponding results of both sides.
use super::{
    differs,
    model::{Compared, Model, Side},
    pairs::pairs,
};
use crate::{RunArgs, expect};
use halyard_diag::{Diagnostic, Result};
use halyard_runtime::{FunctionInfo, Tensor};
use halyard_tensors::Difference;
use std::collections::HashSet;

/// The results of a comparison.
pub(super) struct Findings {
    /// The compared results, in the order of execution.
    pub(super) compared: Vec<Compared>,
    /// The number of the call of the function, if there are several.
    pub(super) call: Option<u32>,
}

impl Findings {
    /// Returns the differences, in the order of execution.
    pub(super) fn differences(&self) -> impl Iterator<Item = (&Compared, &Difference)> {
        self.compared.iter().filter_map(|c| Some((c, c.difference.as_ref()?)))
    }

    /// The number of dispatches of the program that were compared.
    pub(super) fn count(&self) -> usize {
        self.compared.iter().map(|c| c.place.dispatch).collect::<HashSet<_>>().len()
    }

    /// The number of those of the other program.
    pub(super) fn count_of_other(&self) -> usize {
        self.compared.iter().filter_map(|c| Some(c.other?.dispatch)).collect::<HashSet<_>>().len()
    }

    /// The number of dispatches that differ.
    pub(super) fn differing(&self) -> usize {
        let differing = self.compared.iter().filter(|c| c.difference.is_some());
        differing.map(|c| c.place.dispatch).collect::<HashSet<_>>().len()
    }

    /// Sets the number of the call.
    pub(super) fn in_call(self, call: Option<u32>) -> Self {
        Self { call, ..self }
    }
}

/// Compares two programs. Errors: contents that are no tensors.
pub(super) fn programs(args: &RunArgs, a: &Side<'_>, b: &Side<'_>) -> Result<Findings> {
    let mut compared = Vec::new();
    for pair in pairs(a, b) {
        let (x, y) = (a.binding(pair.a), b.binding(pair.b));
        let same = x.after.as_ref().zip(y.after.as_ref()).is_some_and(|(x, y)| x.is_same(y));
        // In the shape that the first one has.
        let wanted = || Tensor::from_bytes(x.dtype, &x.shape, b.result(pair.b)?.bytes());
        let difference = if same { None } else { differs(args, &a.result(pair.a)?, &wanted()?) };
        compared.push(Compared { place: pair.a, other: Some(pair.b), difference });
    }
    Ok(Findings { compared, call: None })
}

/// Compares a program with the tensors of a model. Errors: contents that are no tensors.
pub(super) fn model(args: &RunArgs, a: &Side<'_>, model: &Model) -> Result<Findings> {
    let mut compared = Vec::new();
    for place in a.places() {
        let binding = a.binding(place);
        let Some(value) = model.values.get(&binding.value) else { continue };
        let got = a.result(place)?;
        let fits = got.dtype().is_compatible(value.dtype()) && got.element_count() == value.element_count();
        if fits {
            let wanted = Tensor::from_bytes(got.dtype(), got.shape(), value.bytes())?;
            compared.push(Compared { place, other: None, difference: differs(args, &got, &wanted) });
        }
    }
    Ok(Findings { compared, call: None })
}

/// Returns the differences between the outputs of the function. Outputs that the other side lacks are not compared.
pub(super) fn outputs(
    args: &RunArgs,
    function: &FunctionInfo,
    got: &[Tensor],
    wanted: impl Fn(usize) -> Option<Tensor>,
) -> Vec<Diagnostic> {
    let one = |(i, got): (usize, &Tensor)| {
        let wanted = wanted(i).filter(|w| w.dtype().is_compatible(got.dtype()))?;
        expect::difference(args, function, i, got, &wanted)
    };
    got.iter().enumerate().filter_map(one).collect()
}
