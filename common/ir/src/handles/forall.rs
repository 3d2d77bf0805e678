//! The loops of `scf.forall`.
use super::{Attr, Builder, Op, Type, Value};

/// Stands for an operand among known offsets, sizes, strides or bounds in an attribute.
pub const DYNAMIC: i64 = i64::MIN;

/// A number that is known, or a value: a bound of a loop, an offset of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A number.
    Known(i64),
    /// An `index` of the program.
    Given(Value),
}

/// One loop of a `scf.forall`.
#[derive(Clone, Copy, Debug)]
pub struct ForallLoop {
    /// Its counter starts there.
    pub lower: Bound,
    /// Its counter stays below.
    pub upper: Bound,
    /// The distance of two values of its counter; positive.
    pub step: Bound,
}

impl Bound {
    /// The number as an `index` at a place of the program.
    pub fn value(self, at: &Builder) -> Value {
        match self {
            Self::Known(n) => at.index(n),
            Self::Given(value) => value,
        }
    }

    /// The number, if it is known or a constant of the program.
    pub fn known(self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(n),
            Self::Given(value) => value.constant(),
        }
    }
}

impl ForallLoop {
    /// The loops of a `scf.forall`, outermost first.
    pub fn all(op: Op) -> Vec<Self> {
        let segments = op.attr("operandSegmentSizes").and_then(Attr::as_i64s).unwrap_or_default();
        let mut operands = op.operands().into_iter();
        let mut bounds =
            ["staticLowerBound", "staticUpperBound", "staticStep"].into_iter().zip(segments).map(|(name, n)| {
                let mut given: Vec<Value> = operands.by_ref().take(usize::try_from(n).unwrap_or(0)).collect();
                let known = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
                let mut given = given.drain(..);
                let bound = |n: i64| match n {
                    DYNAMIC => Bound::Given(given.next().expect("an operand for each dynamic bound")),
                    n => Bound::Known(n),
                };
                known.into_iter().map(bound).collect::<Vec<_>>()
            });
        let [lower, upper, step] = [(); 3].map(|()| bounds.next().unwrap_or_default());
        let each = lower.into_iter().zip(upper).zip(step);
        each.map(|((lower, upper), step)| Self { lower, upper, step }).collect()
    }

    /// The number of iterations, where it is known.
    pub fn trips(&self) -> Option<i64> {
        let (lower, upper, step) = (self.lower.known()?, self.upper.known()?, self.step.known()?);
        let span = upper.checked_sub(lower)?.max(0);
        (step > 0).then(|| span / step + i64::from(span % step != 0))
    }

    /// The number of iterations as an `index`; 0 where the end lies before the start.
    pub fn trips_at(&self, at: &Builder) -> Value {
        let index = Type::index(at.context());
        match self.trips() {
            Some(known) => at.index(known),
            None => {
                let mut span = self.upper.value(at);
                if self.lower.known() != Some(0) {
                    span = at.value("arith.subi", &[span, self.lower.value(at)], index, &[]);
                }
                span = at.value("arith.maxsi", &[span, at.index(0)], index, &[]);
                if self.step.known() == Some(1) {
                    return span;
                }
                at.value("arith.ceildivsi", &[span, self.step.value(at)], index, &[])
            }
        }
    }
}
