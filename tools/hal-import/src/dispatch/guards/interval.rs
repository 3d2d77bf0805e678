//! Intervals of integers.
use halyard_ir::Type;

/// All integers from `lo` to `hi`, read with a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Interval {
    pub(super) fn new(lo: i128, hi: i128) -> Self {
        Self { lo, hi }
    }

    pub(super) fn point(value: i128) -> Self {
        Self::new(value, value)
    }

    /// All values of a type. A flag may be read as 1 or as -1.
    pub(super) fn of(ty: Type) -> Self {
        match if ty.is_index() { 64 } else { ty.bits().clamp(1, 64) } {
            1 => Self::new(-1, 1),
            bits => Self::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }

    pub(super) fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Nothing is in it: code that sees such a value does not run.
    pub(super) fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    pub(super) fn contains(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    pub(super) fn is_within(self, other: Self) -> bool {
        self.is_empty() || other.lo <= self.lo && self.hi <= other.hi
    }

    /// The least interval with both.
    pub(super) fn or(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Self::new(self.lo.min(other.lo), self.hi.max(other.hi)),
        }
    }

    /// The intersection.
    pub(super) fn and(self, other: Self) -> Self {
        Self::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// What is left where `value` is known not to be in it.
    pub(super) fn without(self, value: i128) -> Self {
        match (self.lo == value, self.hi == value) {
            (true, _) => Self::new(self.lo + 1, self.hi),
            (_, true) => Self::new(self.lo, self.hi - 1),
            _ => self,
        }
    }

    /// The results of an operation that is monotone in each operand, such as a sum or a product.
    pub(super) fn corners(self, other: Self, f: impl Fn(i128, i128) -> i128) -> Self {
        let all = [f(self.lo, other.lo), f(self.lo, other.hi), f(self.hi, other.lo), f(self.hi, other.hi)];
        Self::new(all.into_iter().min().expect("four"), all.into_iter().max().expect("four"))
    }

    pub(super) fn map2(self, other: Self, f: impl Fn(i128, i128) -> i128) -> Self {
        Self::new(f(self.lo, other.lo), f(self.hi, other.hi))
    }
}
