//! Sizes that may be known only at run time: linear forms over symbols.
use std::fmt;

/// `c + Σ factor·symbol`, where a symbol is an `index` value of the program (see `Context::symbol`). Two sizes that
/// are equal as forms are equal in every run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Dim {
    constant: i64,
    /// Sorted by symbol; no factor is 0.
    terms: Vec<(usize, i64)>,
}

impl Dim {
    pub(crate) fn fixed(size: i64) -> Self {
        Self { constant: size, terms: Vec::new() }
    }

    pub(crate) fn symbol(symbol: usize) -> Self {
        Self { constant: 0, terms: vec![(symbol, 1)] }
    }

    /// Returns the size if it is static.
    pub(crate) fn get(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(crate) fn is(&self, size: i64) -> bool {
        self.get() == Some(size)
    }

    pub(crate) fn constant(&self) -> i64 {
        self.constant
    }

    pub(crate) fn terms(&self) -> &[(usize, i64)] {
        &self.terms
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut terms = self.terms.clone();
        for &(symbol, factor) in &other.terms {
            match terms.binary_search_by_key(&symbol, |t| t.0) {
                Ok(i) => terms[i].1 = terms[i].1.wrapping_add(factor),
                Err(i) => terms.insert(i, (symbol, factor)),
            }
        }
        terms.retain(|t| t.1 != 0);
        Self { constant: self.constant.wrapping_add(other.constant), terms }
    }

    pub(crate) fn times(&self, factor: i64) -> Self {
        if factor == 0 {
            return Self::fixed(0);
        }
        let terms = self.terms.iter().map(|t| (t.0, t.1.wrapping_mul(factor))).filter(|t| t.1 != 0).collect();
        Self { constant: self.constant.wrapping_mul(factor), terms }
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.times(-1))
    }

    pub(crate) fn offset(&self, by: i64) -> Self {
        Self { constant: self.constant.wrapping_add(by), terms: self.terms.clone() }
    }

    /// The size without its largest constant factor, and that factor: `4·n + 8` is 4 times `n + 2`.
    pub(crate) fn content(&self) -> (Self, i64) {
        let all = self.terms.iter().map(|t| t.1).chain([self.constant]).filter(|v| *v != 0 && *v != i64::MIN);
        let mut factor = all.fold(0, |a, b| {
            let (mut a, mut b): (i64, i64) = (a, b.abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        });
        // A single symbol stands with a positive factor.
        if let ([(_, ..0)], 0) = (&self.terms[..], self.constant) {
            factor = -factor;
        }
        self.exact_quotient(factor).map_or_else(|| (self.clone(), 1), |d| (d, factor))
    }

    /// The quotient, where the division is exact term by term.
    pub(crate) fn exact_quotient(&self, by: i64) -> Option<Self> {
        let divides = |n: i64| n.wrapping_rem(by) == 0;
        let whole = by != 0 && divides(self.constant) && self.terms.iter().all(|t| divides(t.1));
        let over = |n: i64| n.wrapping_div(by);
        whole.then(|| Self {
            constant: over(self.constant),
            terms: self.terms.iter().map(|t| (t.0, over(t.1))).collect(),
        })
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.constant)?;
        self.terms.iter().try_for_each(|(symbol, factor)| write!(f, "+{factor}s{symbol}"))
    }
}

impl From<i64> for Dim {
    fn from(size: i64) -> Self {
        Self::fixed(size)
    }
}

/// Sizes for a type, in which those that are `None` are dynamic. They are no sizes to compute with.
pub(crate) fn open(dims: &[Option<Dim>]) -> Vec<Dim> {
    dims.iter().map(|d| d.clone().unwrap_or(Dim::symbol(usize::MAX))).collect()
}

/// Returns all sizes if all are static.
pub(crate) fn fixed(shape: &[Dim]) -> Option<Vec<i64>> {
    shape.iter().map(Dim::get).collect()
}

/// Sizes and numbers of elements beyond this are in no memory; those below are multiplied without overflow by what operators multiply them
/// with.
pub(crate) const LARGEST: i64 = 1 << 48;

/// Whether the sizes that are static make a tensor larger than any memory, sizes of 0 aside.
pub(crate) fn is_too_large(shape: &[Dim]) -> bool {
    let sizes = shape.iter().filter_map(Dim::get).filter(|&size| size != 0);
    sizes.into_iter().try_fold(1i64, |n, size| n.checked_mul(size)).is_none_or(|n| n > LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_normal() {
        let n = Dim::symbol(0);
        assert_eq!(n.offset(2).minus(&n), Dim::fixed(2));
        assert_eq!(n.times(4).offset(8).exact_quotient(4), Some(n.offset(2)));
        assert_eq!(n.times(4).offset(3).exact_quotient(4), None);
        assert_eq!(n.plus(&Dim::symbol(1)), Dim::symbol(1).plus(&n));
        assert_eq!(n.times(4).offset(8).content(), (n.offset(2), 4));
        assert_eq!(n.times(-3).content(), (n, -3));
    }
}
