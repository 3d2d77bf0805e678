//! The computation of a step for one element: sums, activations, the cell of an LSTM.
use super::direction::Direction;
use crate::onnx::{Body, Elem, Scalar};

impl Direction {
    /// The new cell of an LSTM from the old one and the gates, in the order input, output, forget, cell.
    pub(super) fn cell(&self, b: &mut Body<'_>, v: &[Scalar]) -> Scalar {
        let gate = |b: &mut Body<'_>, g: usize, peephole: Option<usize>| {
            let mut sum = self.sum(b, &v[1 + 2 * g], &v[2 + 2 * g]);
            if let Some(p) = peephole.and_then(|p| v.get(9 + p)) {
                let part = b.mul(p, &v[0]);
                sum = b.add(&sum, &part);
            }
            sum
        };
        let input = gate(b, 0, Some(0));
        let input = self.activate(b, 0, &input);
        let forget = if self.input_forget {
            let one = b.like(&input, 1.0);
            b.sub(&one, &input)
        } else {
            let forget = gate(b, 2, Some(2));
            self.activate(b, 0, &forget)
        };
        let fresh = gate(b, 3, None);
        let fresh = self.activate(b, 1, &fresh);
        let (kept, added) = (b.mul(&forget, &v[0]), b.mul(&input, &fresh));
        b.add(&kept, &added)
    }

    /// A gate of a GRU, of the parts that input and state decide.
    pub(super) fn gate(&self, b: &mut Body<'_>, input: &Scalar, state: &Scalar) -> Scalar {
        let sum = self.sum(b, input, state);
        self.activate(b, 0, &sum)
    }

    /// The next state of a GRU: of the old one by the update gate, for the rest of a new one.
    pub(super) fn state(
        &self,
        b: &mut Body<'_>,
        (update, old): (&Scalar, &Scalar),
        (input, part): (&Scalar, &Scalar),
    ) -> Scalar {
        let sum = self.sum(b, input, part);
        let fresh = self.activate(b, 1, &sum);
        let one = b.like(update, 1.0);
        let rest = b.sub(&one, update);
        let (new, old) = (b.mul(&rest, &fresh), b.mul(update, old));
        b.add(&new, &old)
    }

    /// Adds both parts of a gate.
    pub(super) fn sum(&self, b: &mut Body<'_>, fixed: &Scalar, part: &Scalar) -> Scalar {
        let part = b.cast(part, fixed.elem.unwrap_or(Elem::F32));
        b.add(fixed, &part)
    }

    /// A gate's function of its sum, which is clipped where asked for.
    pub(super) fn activate(&self, b: &mut Body<'_>, which: usize, x: &Scalar) -> Scalar {
        let mut x = x.clone();
        if let Some(clip) = self.clip {
            let (low, high) = (b.like(&x, -clip), b.like(&x, clip));
            x = b.max(&x, &low);
            x = b.min(&x, &high);
        }
        self.activations[which].of(b, &x)
    }

    /// Returns the output of an LSTM's cell. The cell is not clipped: the specification leaves that open, and
    /// onnxruntime does not.
    pub(super) fn output(&self, b: &mut Body<'_>, cell: &Scalar) -> Scalar {
        self.activations[2].of(b, cell)
    }
}
