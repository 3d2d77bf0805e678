//! Tensors of integers that follow from the place of each: lists of positions, as exporters write the indices of slices that are assigned to.
//! They say which part of a tensor such indices mean, without a number of them in memory.
use super::{Dim, tensor::strides};

/// Integers `first + Σ steps[d] · i[d]` at the indices `i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ramp {
    first: i64,
    steps: Vec<i64>,
}

impl Ramp {
    /// Of known integers.
    pub(crate) fn of(numbers: &[i64], shape: &[usize]) -> Option<Self> {
        let (first, strides) = (*numbers.first()?, strides(shape));
        let step = |d: usize| if shape[d] > 1 { numbers[strides[d]].checked_sub(first) } else { Some(0) };
        let ramp = Self { first, steps: (0..shape.len()).map(step).collect::<Option<_>>()? };
        let at = |place: usize| {
            (0..shape.len()).try_fold(first, |sum, d| {
                let index = (place / strides[d] % shape[d]) as i64;
                ramp.steps[d].checked_mul(index).and_then(|n| n.checked_add(sum))
            })
        };
        numbers.iter().enumerate().all(|(place, n)| at(place) == Some(*n)).then_some(ramp)
    }

    /// The `n`-th of those that a ramp is along its last dimension.
    pub(crate) fn nth(&self, n: i64) -> Option<Self> {
        let first = self.steps.last()?.checked_mul(n)?.checked_add(self.first)?;
        Some(Self { first, ..self.clone() })
    }

    /// With a new last dimension of one element.
    pub(crate) fn extended(mut self) -> Self {
        self.steps.push(0);
        self
    }

    /// That of the same tensor repeated along dimensions of one element, and new first ones.
    pub(crate) fn broadcast(mut self, rank: usize) -> Self {
        let new = rank.saturating_sub(self.steps.len());
        self.steps.splice(0..0, std::iter::repeat_n(0, new));
        self
    }

    /// That of the same tensor in another shape, if only dimensions of one element come or go.
    pub(crate) fn reshaped(&self, from: &[Dim], to: &[Dim]) -> Option<Self> {
        let long = |shape: &[Dim]| shape.iter().filter(|d| !d.is(1)).cloned().collect::<Vec<_>>();
        if long(from) != long(to) {
            return None;
        }
        let mut kept = from.iter().zip(&self.steps).filter(|(d, _)| !d.is(1)).map(|(_, step)| *step);
        let steps = to.iter().map(|d| if d.is(1) { Some(0) } else { kept.next() }).collect::<Option<_>>()?;
        Some(Self { first: self.first, steps })
    }
}

/// A part of a tensor: in each dimension, elements at equal distances.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) starts: Vec<i64>,
    pub(crate) sizes: Vec<i64>,
    pub(crate) steps: Vec<i64>,
}

impl Part {
    /// What lists of indices mean of the first dimensions of a tensor, if all are in bounds, each element is meant once, and they come in
    /// the order of its elements: `outer` are the sizes of the tensor of lists but the last, `sizes` those of the dimensions.
    pub(crate) fn of(ramps: &[Ramp], outer: &[i64], sizes: &[i64]) -> Option<Self> {
        let mut part = Self { starts: Vec::new(), sizes: Vec::new(), steps: Vec::new() };
        let mut met = 0;
        for (ramp, &size) in ramps.iter().zip(sizes) {
            let mut moving = (0..outer.len()).filter(|&d| outer[d] != 1 && ramp.steps[d] != 0);
            let (count, step) = match (moving.next(), moving.next()) {
                (None, _) => (1, 1),
                (Some(d), None) if d >= met && ramp.steps[d] > 0 => {
                    // Along a dimension that no list has moved along, elements would be written again.
                    if outer[met..d].iter().any(|n| *n != 1) {
                        return None;
                    }
                    met = d + 1;
                    (outer[d], ramp.steps[d])
                }
                _ => return None,
            };
            let last = step.checked_mul(count.checked_sub(1)?)?.checked_add(ramp.first)?;
            // Negative indices count from the end.
            let start = match (ramp.first < 0, last < 0) {
                (true, true) => ramp.first.checked_add(size)?,
                (false, false) => ramp.first,
                _ => return None,
            };
            let last = last - ramp.first + start;
            if count < 1 || start < 0 || last >= size {
                return None;
            }
            part.starts.push(start);
            part.sizes.push(count);
            part.steps.push(step);
        }
        outer[met..].iter().all(|n| *n == 1).then_some(part)
    }
}

#[cfg(test)]
mod tests;
