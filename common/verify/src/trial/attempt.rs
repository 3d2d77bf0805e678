//! One attempt: fills the buffers, runs reference and kernel, and compares.
use super::{POISON, Plan, Setting, Subject, Trial, UNTOUCHED, Wrong, unravel};
use crate::{
    compare::compare,
    element::{Element, Style},
    memory::{Buffer, Side},
    random::Random,
};
use halyard_diag::{Error, Result};
use halyard_ir::Type;

impl<'a> Subject<'a> {
    /// The arguments of a run, tensors and scalars alike: the reference reads both from memory. Errors: no memory.
    pub(super) fn arguments(&self, plan: Plan, setting: &Setting, side: Side) -> Result<Vec<Buffer>> {
        let Setting { seed, most, chosen, shapes: (inputs, _) } = setting;
        let mut arguments = Vec::new();
        for (i, &ty) in self.inputs.iter().enumerate() {
            let length = byte_length(ty, if ty.is_tensor() { &inputs[i] } else { &[] });
            let mut buffer = self.buffer(length)?;
            buffer.lay_out(length, side);
            match inputs[i].first().filter(|_| !ty.is_tensor()) {
                // A size, an offset, a property of the device.
                Some(n) if ty.is_index() || ty.bits() >= 32 => {
                    buffer.bytes_mut().copy_from_slice(&n.to_le_bytes()[..length]);
                }
                _ => self.fill(plan, *seed, chosen, *most, i, buffer.bytes_mut()),
            }
            arguments.push(buffer);
        }
        Ok(arguments)
    }

    /// Buffers for the results; those that are not wanted are empty. Errors: no memory.
    pub(super) fn results(
        &self,
        shapes: &[Vec<i64>],
        side: Side,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Buffer>> {
        let mut results = Vec::new();
        for (r, (&ty, shape)) in self.interface.results.iter().zip(shapes).enumerate() {
            let length = if is_wanted(r) { byte_length(ty, shape) } else { 0 };
            let mut buffer = self.buffer(length)?;
            buffer.lay_out(length, side);
            results.push(buffer);
        }
        Ok(results)
    }

    /// For each piece of the reference, where it is computed.
    pub(crate) fn places(&self, seed: u64) -> Vec<Vec<Vec<i64>>> {
        let places = |samples: &crate::samples::Samples| samples.places(&mut Random::new(seed));
        self.pieces.iter().map(|p| p.samples.as_ref().map_or_else(Vec::new, places)).collect()
    }

    /// One run; `None` if the source has no meaning for these inputs. `known` are the results of the reference, if they were computed before.
    pub(super) fn at(&self, plan: Plan, setting: &Setting, known: Option<&Vec<Vec<u8>>>) -> Result<Option<Trial>> {
        let Setting { seed, most, chosen, shapes: (inputs, results) } = setting;
        let (seed, most) = (*seed, *most);
        let side = plan.side();
        let mut arguments = self.arguments(plan, setting, side)?;
        let places = self.places(seed);
        let wanted = match known {
            Some(_) => Vec::new(),
            None => {
                let mut wanted = self.results(results, side, |_| true)?;
                if !self.reference(&arguments, &mut wanted, &setting.shapes, &places) {
                    return Ok(None);
                }
                wanted
            }
        };
        let sampled = |r: usize| self.pieces.iter().any(|p| p.samples.is_some() && p.results.contains(&r));
        // The kernel.
        let mut got = self.results(results, side, |r| self.interface.tied[r].is_none())?;
        got.iter_mut().for_each(|buffer| buffer.bytes_mut().fill(POISON));
        let constants = self.constants(&arguments, inputs, results);
        let Some(workgroups) = self.workgroups(&constants)? else {
            return Err(Error::input(format!(
                "kernel `@{}` has a number of workgroups that is negative or too large",
                self.export.name()
            ))
            .code("out-of-bounds"));
        };
        self.dispatch(&mut arguments, &mut got, &constants, workgroups)?;
        let mut compared = Vec::new();
        let mut wrong = None;
        let longest = inputs
            .iter()
            .zip(&self.inputs)
            .filter(|(_, t)| t.is_tensor())
            .flat_map(|(s, _)| s)
            .copied()
            .max()
            .unwrap_or(1);
        let mut whole = 0;
        for (r, &ty) in self.interface.results.iter().enumerate() {
            let element = Element::of(ty.element()).expect("checked before");
            let tolerance = self.tolerance.ulp(element, longest);
            let output = match self.interface.tied[r] {
                Some(i) => arguments[i].bytes(),
                None => got[r].bytes(),
            };
            let expected = known.map_or_else(|| wanted[r].bytes(), |known| &known[r]);
            whole += (expected.len() / element.size()) as u64;
            let is_sampled = sampled(r);
            let computed: Option<Vec<usize>> = is_sampled.then(|| {
                let touched = |(_, c): &(usize, &[u8])| c.iter().any(|&b| b != UNTOUCHED);
                expected.chunks_exact(element.size()).enumerate().filter(touched).map(|(i, _)| i).collect()
            });
            let mut comparison = compare(element, output, expected, tolerance, computed.as_deref());
            if plan.style == Style::Special {
                // What is no number must be none in the result, too. How exact numbers are, other runs say.
                comparison.wrong.retain(|w| w.ulp > 100.0 * tolerance && !self.tolerance.decides());
                comparison.wrong_count = comparison.wrong.len() as u64;
            } else if !comparison.wrong.is_empty() && (element.is_float() || self.tolerance.decides()) {
                let spread = self.spread(plan, setting, &places, r, &comparison)?;
                let (wanted, got) = (expected, output);
                let still = |w: &crate::compare::Wrong| {
                    let far = (element.float(got, w.index) - element.float(wanted, w.index)).abs();
                    !far.is_finite() && !spread[&w.index].is_infinite()
                        || far > 16.0 * spread[&w.index] + tolerance * w.unit(element, got, wanted)
                };
                let kept = comparison.wrong.len() as u64;
                comparison.wrong.retain(still);
                if comparison.wrong.is_empty() && comparison.wrong_count == kept {
                    comparison.wrong_count = 0;
                }
            }
            if let (None, Some(first)) = (&wrong, comparison.wrong.first()) {
                wrong = Some(Wrong {
                    result: r,
                    element: unravel(first.index, &results[r]),
                    got: element.show(output, first.index),
                    wanted: element.show(expected, first.index),
                    ulp: first.ulp,
                    tolerance,
                    count: comparison.wrong_count,
                    arrays: Vec::new(),
                });
                let array = |name: String, ty: Type, shape: &[i64], bytes: &[u8]| crate::Array {
                    name,
                    dtype: ty.element().to_string(),
                    shape: shape.to_vec(),
                    bytes: bytes.to_vec(),
                };
                let arrays = &mut wrong.as_mut().expect("just made").arrays;
                arrays.push(array(format!("got_{r}"), ty, &results[r], output));
                arrays.push(array(format!("wanted_{r}"), ty, &results[r], expected));
            }
            compared.push((comparison, tolerance));
        }
        if let Some(wrong) = &mut wrong {
            for (i, &ty) in self.inputs.iter().enumerate() {
                let mut bytes = arguments[i].bytes().to_vec();
                if ty.is_tensor() {
                    // A tied one was overwritten.
                    self.fill(plan, seed, chosen, most, i, &mut bytes);
                }
                let shape = if ty.is_tensor() { inputs[i].clone() } else { Vec::new() };
                wrong.arrays.push(crate::Array {
                    name: format!("argument_{i}"),
                    dtype: ty.element().to_string(),
                    shape,
                    bytes,
                });
            }
        }
        let sizes =
            if !self.is_dynamic() && self.is_static() { String::new() } else { self.describe(inputs, &arguments) };
        self.spare.borrow_mut().extend(arguments.into_iter().chain(wanted).chain(got));
        Ok(Some(Trial::Ran { results: compared, whole, sizes, wrong }))
    }
}

/// The length of a tensor of these sizes, or of a scalar.
pub(crate) fn byte_length(ty: Type, shape: &[i64]) -> usize {
    let size = Element::of(ty.element()).expect("checked before").size();
    shape.iter().product::<i64>().cast_unsigned() as usize * size
}
