//! Sizes and buffers for the arguments of a run.
use super::{How, MOST_ELEMENTS, Plan, Subject};
use crate::{
    element::{Element, Range},
    memory::Buffer,
    random::Random,
    sizes::Chosen,
};
use halyard_diag::Result;

impl<'a> Subject<'a> {
    pub(crate) fn choose(&self, how: How, attempt: usize, random: &mut Random) -> Option<Chosen> {
        const LARGE: &[i64] = &[1, 2, 3, 5, 7, 8, 13, 17, 31, 33, 48, 65, 100];
        const MIDDLE: &[i64] = &[2, 3, 4, 5, 7, 9, 16, 17, 33];
        const SMALL: &[i64] = &[1, 2, 3, 4, 8];
        let from: &[i64] = match how {
            How::Ones => &[1],
            How::Zeros => &[0],
            How::Any => [MIDDLE, LARGE, MIDDLE, SMALL][attempt % 4],
        };
        // An offset is rather small.
        let numbers = if how == How::Any && attempt % 2 == 1 { &[0, 1, 2][..] } else { from };
        (0..40).find_map(|_| self.sizes.choose((from, numbers), random))
    }

    /// Numbers for the unknowns where arguments have these sizes and values; `None` if the source has no meaning for them.
    pub(crate) fn choose_at(&self, given: &[Vec<Option<i64>>], random: &mut Random) -> Option<Chosen> {
        (0..40).find_map(|_| self.sizes.choose_at(given, random))
    }

    /// The sizes of all inputs and results; `None` if they are too large or not known.
    pub(crate) fn shapes(&self, chosen: &Chosen) -> Option<(Vec<Vec<i64>>, Vec<Vec<i64>>)> {
        let (inputs, results) = self.any_shapes(chosen)?;
        let tensors = self.inputs.iter().zip(&inputs).filter(|(t, _)| t.is_tensor()).map(|(_, s)| s).chain(&results);
        let small =
            |s: &Vec<i64>| s.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).is_some_and(|n| n <= MOST_ELEMENTS);
        let fits = !self.is_dynamic() || tensors.clone().all(small);
        fits.then_some((inputs, results))
    }

    /// The same, however large they are.
    pub(crate) fn any_shapes(&self, chosen: &Chosen) -> Option<(Vec<Vec<i64>>, Vec<Vec<i64>>)> {
        let numbers = |list: &[crate::sizes::Size]| {
            list.iter().map(|s| self.sizes.value(s, chosen)).collect::<Option<Vec<i64>>>()
        };
        let inputs = self.sizes.arguments.iter().map(|dims| numbers(dims)).collect::<Option<Vec<_>>>()?;
        let results = self.sizes.results.iter().map(|dims| numbers(dims)).collect::<Option<Vec<_>>>()?;
        let mut tensors =
            self.inputs.iter().zip(&inputs).filter(|(t, _)| t.is_tensor()).map(|(_, s)| s).chain(&results);
        tensors.all(|s| s.iter().all(|&d| d >= 0)).then_some((inputs, results))
    }

    /// A buffer for so many bytes: one that is left from another run, or a new one.
    pub(super) fn buffer(&self, bytes: usize) -> Result<Buffer> {
        let mut spare = self.spare.borrow_mut();
        match spare.iter().position(|b| b.room() >= bytes && b.room() <= bytes + 8192) {
            Some(i) => Ok(spare.swap_remove(i)),
            None => {
                // Those of other sizes will not be asked for again.
                let most = 64;
                let more = spare.len().saturating_sub(most);
                spare.drain(..more);
                Buffer::new(bytes)
            }
        }
    }

    /// The integers that an argument may have.
    pub(super) fn range(&self, i: usize, chosen: &Chosen, most: i64) -> Range {
        let least = self.bounds[i].iter().filter_map(|s| self.sizes.value(s, chosen)).min();
        match least {
            Some(bound) => Range::Between(0, bound.max(1).min(if most < 100 { most } else { i64::MAX })),
            None if self.divides => Range::Between(1, most.min(60) + 1),
            None if self.shifts => Range::Between(0, 7.min(most)),
            None if most < 100 => Range::Between(0, most),
            None if self.inputs[i].element().bits() <= 8 => Range::All,
            None => Range::Between(-100, 100),
        }
    }

    pub(crate) fn fill(&self, plan: Plan, seed: u64, chosen: &Chosen, most: i64, i: usize, bytes: &mut [u8]) {
        let element = Element::of(self.inputs[i].element()).expect("checked before");
        let mut random = Random::new(seed.wrapping_add(i as u64));
        element.fill(bytes, plan.style, self.range(i, chosen, most), &mut random);
    }
}
