//! How far the results spread when the arguments change in the last place.
use super::{Plan, Setting, Subject};
use crate::{
    compare::Comparison,
    element::Element,
    memory::{Buffer, Side},
    random::Random,
};
use halyard_diag::Result;
use std::collections::BTreeMap;

impl<'a> Subject<'a> {
    /// How far elements of the reference move when inputs change in their last digit.
    pub(super) fn spread(
        &self,
        plan: Plan,
        setting: &Setting,
        places: &[Vec<Vec<i64>>],
        r: usize,
        comparison: &Comparison,
    ) -> Result<BTreeMap<usize, f64>> {
        let Setting { seed, most, chosen, shapes: (inputs, results) } = setting;
        let (seed, most) = (*seed, *most);
        let element = Element::of(self.interface.results[r].element()).expect("checked before");
        let mut values: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for round in 0..7 {
            let mut random = Random::new(seed ^ (round << 32));
            let mut arguments = Vec::new();
            for (i, &ty) in self.inputs.iter().enumerate() {
                let shape: &[i64] = if ty.is_tensor() { &inputs[i] } else { &[] };
                let of = Element::of(ty.element()).expect("checked before");
                let length = shape.iter().product::<i64>().cast_unsigned() as usize * of.size();
                let mut buffer = Buffer::new(length)?;
                buffer.lay_out(length, Side::End);
                match inputs[i].first().filter(|_| !ty.is_tensor()) {
                    Some(n) if ty.is_index() || ty.bits() >= 32 => {
                        buffer.bytes_mut().copy_from_slice(&n.to_le_bytes()[..length])
                    }
                    _ => self.fill(plan, seed, chosen, most, i, buffer.bytes_mut()),
                }
                if of.is_float() && round > 0 {
                    // The last digit up or down, or not.
                    buffer.bytes_mut().chunks_exact_mut(of.size()).for_each(|c| {
                        let up = random.below(3);
                        c[0] = if up == 0 {
                            c[0]
                        } else if up == 1 {
                            c[0].saturating_add(1)
                        } else {
                            c[0].saturating_sub(1)
                        };
                    });
                }
                arguments.push(buffer);
            }
            let mut wanted = Vec::new();
            for (&ty, shape) in self.interface.results.iter().zip(results) {
                let length = shape.iter().product::<i64>().cast_unsigned() as usize
                    * Element::of(ty.element()).expect("checked before").size();
                let mut buffer = Buffer::new(length)?;
                buffer.lay_out(length, Side::End);
                wanted.push(buffer);
            }
            if !self.reference(&arguments, &mut wanted, &setting.shapes, places) {
                continue;
            }
            for wrong in &comparison.wrong {
                let value = element.float(wanted[r].bytes(), wrong.index);
                let range = values.entry(wrong.index).or_insert((value, value));
                *range = (range.0.min(value), range.1.max(value));
                if !value.is_finite() {
                    *range = (f64::NEG_INFINITY, f64::INFINITY);
                }
            }
        }
        Ok(comparison
            .wrong
            .iter()
            .map(|w| (w.index, values.get(&w.index).map_or(0.0, |(low, high)| high - low)))
            .collect())
    }
}
