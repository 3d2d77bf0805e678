//! Finds contestants that keep results between calls, which would make them look fast, and those that are wrong at the sizes
//! that are timed.
use super::{PairedTiming, Violation, runner::Spot};
use crate::{compare::compare, element::Element, memory::Buffer, random::Random, worker::Stop};
use halyard_ir::Type;
use std::{ops::Range, time::Duration};

/// How often new inputs are put into the same buffers while a contestant from elsewhere is timed.
const FRESH: usize = 6;
/// Calls with changed elements before outputs are compared.
const CHANGES: usize = 16;
/// A contestant keeps results if more than this part of its elements is wrong on new inputs in the same buffers. Single elements may
/// differ where the last digit decides.
const STALE: u64 = 256;

impl PairedTiming<'_, '_> {
    /// Runs a kernel so many times, each time with a few elements of its inputs in other places and a few of its results spoiled: a
    /// kernel that recognises what it was called with before is wrong afterwards, see [`Self::fresh`].
    pub(super) fn run_changing(&mut self, kernel: usize, times: usize) -> Result<Duration, Stop> {
        let mut total = Duration::ZERO;
        for _ in 0..times {
            let subject = &self.subjects[0];
            for (i, (argument, ty)) in self.on.arguments.iter_mut().zip(&subject.inputs).enumerate() {
                // Weights stay what they are in a program, too.
                if !subject.export.is_weight(i) {
                    let swapped = swap(argument.bytes_mut(), ty, &mut self.on.random);
                    swapped.into_iter().flatten().for_each(|at| self.runner.changed(Spot::Argument(i), at));
                }
            }
            for (r, result) in self.on.results.iter_mut().enumerate() {
                let bytes = result.bytes_mut();
                if !bytes.is_empty() {
                    let at = self.on.random.below(bytes.len() as u64) as usize;
                    bytes[at] ^= self.on.random.bits() as u8 | 1;
                    self.runner.changed(Spot::Result(r), at..at + 1);
                }
            }
            total += self.run(kernel, 1)?;
        }
        Ok(total)
    }

    /// Compares outputs after the buffers were changed element by element, as they were while it was timed, and after they were filled
    /// anew. What keeps results between calls is wrong then.
    pub(super) fn fresh(&mut self) -> Result<Option<Violation>, Stop> {
        let in_place = self.subjects[0].interface.tied.iter().any(Option::is_some);
        for turn in 0..FRESH {
            let changed = turn % 2 == 0 && !in_place;
            if !changed && !self.refill() {
                continue;
            }
            if changed {
                self.run_changing(1, CHANGES)?;
            }
            let before: Vec<Vec<u8>> = self.on.arguments.iter().map(|a| a.bytes().to_vec()).collect();
            let mut got = self.outputs()?;
            if !changed {
                self.spoil();
                self.run(1, 1)?;
                got = self.outputs()?;
            }
            let subject = &self.subjects[0];
            let kept = |i: &usize| !subject.interface.tied.contains(&Some(*i));
            if (0..self.on.arguments.len()).filter(kept).any(|i| self.on.arguments[i].bytes() != before[i]) {
                return Ok(Some(("writes-inputs", "it writes to its inputs".to_owned())));
            }
            for (argument, bytes) in self.on.arguments.iter_mut().zip(&before) {
                argument.bytes_mut().copy_from_slice(bytes);
            }
            self.runner.refilled();
            self.spoil();
            self.run(0, 1)?;
            let wanted = self.outputs()?;
            if let Some(violation) = self.differs(&got, &wanted) {
                return Ok(Some(violation));
            }
        }
        Ok(None)
    }

    /// Compares outputs at the sizes that are timed.
    pub(super) fn wrong_here(&mut self) -> Result<Option<Violation>, Stop> {
        if self.subjects[0].interface.tied.iter().any(Option::is_some) {
            return Ok(None);
        }
        let mut outputs = Vec::new();
        for kernel in [1, 0] {
            self.spoil();
            self.run(kernel, 1)?;
            outputs.push(self.outputs()?);
        }
        let violation = self.differs(&outputs[0], &outputs[1]);
        Ok(violation.map(|_| ("wrong-kernel", "its results are wrong at the sizes that are timed".to_owned())))
    }

    /// Whether results are so far from those of the incumbent that they are others'.
    fn differs(&self, got: &[Vec<u8>], wanted: &[Vec<u8>]) -> Option<Violation> {
        let subject = &self.subjects[0];
        let longest = self.on.shapes.0.iter().flatten().copied().max().unwrap_or(1);
        wanted.iter().zip(got).enumerate().find_map(|(r, (wanted, got))| {
            let element = Element::of(subject.interface.results[r].element()).expect("checked before");
            let tolerance = 2.0 * subject.tolerance.ulp(element, longest);
            let found = compare(element, got, wanted, tolerance, None);
            (found.wrong_count * STALE > found.compared).then(|| {
                let (wrong, all) = (found.wrong_count, found.compared);
                let why = format!("{wrong} of {all} elements are wrong after other inputs came into the same buffers: it keeps results between calls");
                ("keeps-results", why)
            })
        })
    }

    /// Fills the results with random bytes.
    fn spoil(&mut self) {
        for result in &mut self.on.results {
            result.bytes_mut().iter_mut().for_each(|b| *b = self.on.random.bits() as u8);
        }
        self.runner.refilled();
    }

    /// The results, brought from the device if they are there; inputs in the buffers are then those that the device has, too.
    fn outputs(&mut self) -> Result<Vec<Vec<u8>>, Stop> {
        self.runner.fetch(&mut self.on)?;
        let tied = &self.subjects[0].interface.tied;
        let bytes = |(r, result): (usize, &Buffer)| match tied[r] {
            Some(i) => self.on.arguments[i].bytes().to_vec(),
            None => result.bytes().to_vec(),
        };
        Ok(self.on.results.iter().enumerate().map(bytes).collect())
    }
}

/// Swaps two elements; gives where they are.
fn swap(bytes: &mut [u8], ty: &Type, random: &mut Random) -> Option<[Range<usize>; 2]> {
    let size = Element::of(ty.element()).expect("checked before").size();
    let count = (bytes.len() / size) as u64;
    (count > 1).then(|| {
        let (a, b) = (random.below(count) as usize * size, random.below(count) as usize * size);
        for i in 0..size {
            bytes.swap(a + i, b + i);
        }
        [a..a + size, b..b + size]
    })
}
