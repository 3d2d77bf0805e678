//! Conditions on sizes: whether they are known to hold, and how a program checks them.
use super::Context;
use crate::onnx::Dim;

/// A condition on sizes.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// Both sizes are equal.
    Equal(Dim, Dim),
    /// The first is the second or 1: it broadcasts.
    Fits(Dim, Dim),
    /// The first is not less than the second.
    AtLeast(Dim, Dim),
    /// The first is a multiple of the second, which is not 0.
    Multiple(Dim, Dim),
    /// The size is not 0.
    NotZero(Dim),
    /// The first is not 0, or the second is: there is something to choose from, or nothing is asked for.
    NotZeroUnless(Dim, Dim),
}

impl Rule {
    /// Returns a text that is the same for equal conditions.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Equal(a, b) => format!("equal {}", if a < b { a.minus(b) } else { b.minus(a) }),
            Self::Fits(a, b) => format!("fits {a} {b}"),
            Self::AtLeast(a, b) => format!("least {}", a.minus(b)),
            Self::Multiple(a, b) => format!("multiple {a} {b}"),
            Self::NotZero(a) => format!("some {a}"),
            Self::NotZeroUnless(a, b) => format!("some {a} unless {b}"),
        }
    }
}

impl Context<'_> {
    pub(super) fn settle_rule(&self, rule: Rule) -> Rule {
        let s = |d: Dim| self.settle_dim(&d);
        match rule {
            Rule::Equal(a, b) => Rule::Equal(s(a), s(b)),
            Rule::Fits(a, b) => Rule::Fits(s(a), s(b)),
            Rule::AtLeast(a, b) => Rule::AtLeast(s(a), s(b)),
            Rule::Multiple(a, b) => Rule::Multiple(s(a), s(b)),
            Rule::NotZero(a) => Rule::NotZero(s(a)),
            Rule::NotZeroUnless(a, b) => Rule::NotZeroUnless(s(a), s(b)),
        }
    }

    /// Whether a condition surely holds, or surely does not; `None` if unknown.
    pub(super) fn decide(&self, rule: &Rule) -> Option<bool> {
        match rule {
            Rule::Equal(a, b) => {
                let difference = a.minus(b);
                match difference.get() {
                    Some(d) => Some(d == 0),
                    None => self.is_not_zero(&difference).then_some(false),
                }
            }
            Rule::Fits(a, b) => match (a.get(), b.get()) {
                _ if a == b => Some(true),
                (Some(1), _) => Some(true),
                (Some(x), Some(y)) => Some(x == y),
                _ => None,
            },
            Rule::AtLeast(a, b) => {
                let difference = a.minus(b);
                match difference.get() {
                    Some(d) => Some(d >= 0),
                    None if self.is_size(&difference) => Some(true),
                    None => self.is_size(&difference.times(-1).offset(-1)).then_some(false),
                }
            }
            Rule::Multiple(a, b) => match (a.get(), b.get()) {
                (_, Some(0)) => Some(false),
                (Some(x), Some(y)) => Some(x % y == 0),
                (_, Some(y)) => a.exact_quotient(y).map(|_| true),
                _ => None,
            },
            Rule::NotZero(a) => match a.get() {
                Some(d) => Some(d != 0),
                None => self.is_not_zero(a).then_some(true),
            },
            Rule::NotZeroUnless(a, b) => match (a.get(), b.get()) {
                (_, Some(0)) => Some(true),
                (Some(0), Some(_)) => Some(false),
                _ => self.is_not_zero(a).then_some(true),
            },
        }
    }

    fn is_not_zero(&self, a: &Dim) -> bool {
        self.is_size(&a.offset(-1)) || self.is_size(&a.times(-1).offset(-1)) || a.get().is_some_and(|d| d != 0)
    }

    /// Computes the condition as an `i1`.
    pub(super) fn condition(&mut self, rule: &Rule) -> String {
        let compare = |c: &mut Self, order: &str, a: &Dim, b: &Dim| {
            let (a, b) = (c.index(a), c.index(b));
            c.w.value(format!("arith.cmpi {order}, {a}, {b} : index"))
        };
        let (zero, one) = (Dim::fixed(0), Dim::fixed(1));
        match rule {
            Rule::Equal(a, b) => compare(self, "eq", a, b),
            Rule::AtLeast(a, b) => compare(self, "sge", a, b),
            Rule::NotZero(a) => compare(self, "ne", a, &zero),
            Rule::Fits(a, b) => {
                let (same, single) = (compare(self, "eq", a, b), compare(self, "eq", a, &one));
                self.w.value(format!("arith.ori {same}, {single} : i1"))
            }
            Rule::NotZeroUnless(a, b) => {
                let (some, none) = (compare(self, "ne", a, &zero), compare(self, "eq", b, &zero));
                self.w.value(format!("arith.ori {some}, {none} : i1"))
            }
            Rule::Multiple(a, b) => {
                // A divisor of 0 must be reported as an error, and must not trap.
                let safe = if b.get().is_some() { b.clone() } else { self.size_max(b, &one) };
                let rest = self.size_rem(a, &safe);
                let exact = compare(self, "eq", &rest, &zero);
                if b.get().is_some() {
                    return exact;
                }
                let some = compare(self, "ne", b, &zero);
                self.w.value(format!("arith.andi {exact}, {some} : i1"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_one_key() {
        let (a, b) = (Dim::symbol(0), Dim::symbol(1));
        assert_eq!(Rule::Equal(a.clone(), b.clone()).key(), Rule::Equal(b.clone(), a.clone()).key());
        assert_ne!(Rule::AtLeast(a.clone(), b.clone()).key(), Rule::AtLeast(b, a).key());
    }
}
