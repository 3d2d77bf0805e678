//! Integers that follow from the place of each, see [`Ramp`].
use super::Value;
use crate::onnx::{Elem, Ramp, Tensor};
use std::rc::Rc;

impl Value {
    /// How the elements of a tensor of integers follow from their places, if they do, whether they are known or not.
    pub(crate) fn ramp(&self) -> Option<Ramp> {
        match self.ramps.as_deref().map(Vec::as_slice) {
            Some([ramp]) => Some(ramp.clone()),
            Some(_) => None,
            None => self.integers().and_then(|tensor| Ramp::of(&tensor.ints(), &tensor.shape)),
        }
    }

    /// The same of each element of the lists that the last dimension has.
    pub(crate) fn ramps_of_lists(&self) -> Option<Vec<Ramp>> {
        let depth = self.shape.last()?.get()? as usize;
        match self.ramps.as_deref().map(Vec::as_slice) {
            Some([ramp]) => return (0..depth as i64).map(|n| ramp.nth(n)).collect(),
            Some(ramps) => return (ramps.len() == depth).then(|| ramps.to_vec()),
            None => {}
        }
        let tensor = self.integers()?;
        let (numbers, outer) = (tensor.ints(), &tensor.shape[..tensor.shape.len() - 1]);
        let column = |n: usize| numbers.iter().copied().skip(n).step_by(depth).collect::<Vec<_>>();
        (0..depth).map(|n| Ramp::of(&column(n), outer).map(Ramp::extended)).collect()
    }

    /// The ramps of the lists that tensors are joined to along their last dimension, of which each has one element.
    pub(crate) fn joined_ramps(values: &[Self], axis: usize) -> Option<Rc<Vec<Ramp>>> {
        let single = |v: &Self| axis + 1 == v.rank() && v.shape[axis].is(1);
        if values.len() < 2 || !values.iter().all(single) {
            return None;
        }
        values.iter().map(Self::ramp).collect::<Option<Vec<_>>>().map(Rc::new)
    }

    fn integers(&self) -> Option<&Tensor> {
        self.tensor().filter(|tensor| matches!(tensor.elem, Elem::I32 | Elem::I64))
    }
}
