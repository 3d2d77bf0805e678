//! The exact reach of an index with remainders or quotients over loops whose lengths only a run knows.
//!
//! Within a residue class of its loops, modulo the period of the expression, an affine expression with remainders and
//! quotients is linear, so that it takes its extremes at the first or the last iteration of the class. The first and the last
//! `period` iterations of each loop have those of all classes; the first ones alone, where the expression does not rise from one period
//! to the next.
use super::{
    reach::Reach,
    symbols::{Sym, Symbols, gcd},
};
use halyard_ir::AffineKind;

/// No more points than this are looked at: each becomes arithmetic of the host program.
const MAX_POINTS: usize = 128;

/// The reach over loops of these lengths, none of which is empty. `None` if nobody can say: a symbol, a product of loops,
/// periods that are too long.
pub(super) fn exact(symbols: &mut Symbols, expr: &AffineKind, loops: &[Option<Sym>]) -> Option<Reach> {
    let mut points = vec![vec![Sym::constant(0); loops.len()]];
    for d in (0..loops.len()).filter(|d| expr.uses_dim(*d)) {
        let (period, rise) = period(expr, d)?;
        if usize::try_from(period).ok()? > MAX_POINTS {
            return None;
        }
        let iterations = ends(symbols, loops[d].as_ref()?, period, rise != 0);
        if points.len().checked_mul(iterations.len())? > MAX_POINTS {
            return None;
        }
        let at = |point: &Vec<Sym>, i: &Sym| {
            let mut point = point.clone();
            point[d] = i.clone();
            point
        };
        points = points.iter().flat_map(|p| iterations.iter().map(move |i| at(p, i))).collect();
    }
    let values = points.iter().map(|p| value(symbols, expr, p)).collect::<Option<Vec<_>>>()?;
    let mut extreme = |name: &'static str| values.iter().cloned().reduce(|a, b| symbols.node(name, vec![a, b]));
    Some(Reach::new(extreme("arith.minsi")?, extreme("arith.maxsi")?, true))
}

/// The first iterations of a loop, and if asked for, as many of the last.
fn ends(symbols: &mut Symbols, length: &Sym, count: i64, both: bool) -> Vec<Sym> {
    let last = symbols.sub(length, &Sym::constant(1));
    let mut found: Vec<Sym> = Vec::new();
    for i in 0..count {
        let first = match i {
            0 => Sym::constant(0),
            _ => symbols.node("arith.minsi", vec![last.clone(), Sym::constant(i)]),
        };
        found.push(first);
        if both {
            let before = symbols.sub(&last, &Sym::constant(i));
            let end = if i == 0 { before } else { symbols.node("arith.maxsi", vec![before, Sym::constant(0)]) };
            found.push(end);
        }
    }
    found.dedup();
    found
}

/// After how many iterations of a loop an expression is a constant more than it was, and how much. `None` if it never is.
fn period(expr: &AffineKind, d: usize) -> Option<(i64, i64)> {
    let over = |l: &AffineKind, r: &AffineKind| {
        let AffineKind::Constant(by) = *r else { return None };
        let (length, rise) = period(l, d)?;
        let times = (by > 0).then(|| by / gcd(rise, by))?;
        Some((length.checked_mul(times)?, rise.checked_mul(times)?, by))
    };
    match expr {
        AffineKind::Dim(i) => Some((1, i64::from(*i == d))),
        AffineKind::Constant(_) => Some((1, 0)),
        AffineKind::Symbol(_) => None,
        AffineKind::Add(l, r) => {
            let ((p, a), (q, b)) = (period(l, d)?, period(r, d)?);
            let both = p.checked_mul(q / gcd(p, q))?;
            Some((both, a.checked_mul(both / p)?.checked_add(b.checked_mul(both / q)?)?))
        }
        AffineKind::Mul(l, r) => match (&**l, &**r) {
            (of, AffineKind::Constant(c)) | (AffineKind::Constant(c), of) => {
                let (length, rise) = period(of, d)?;
                Some((length, rise.checked_mul(*c)?))
            }
            _ => None,
        },
        AffineKind::Mod(l, r) => over(l, r).map(|(length, ..)| (length, 0)),
        AffineKind::FloorDiv(l, r) | AffineKind::CeilDiv(l, r) => {
            over(l, r).map(|(length, rise, by)| (length, rise / by))
        }
    }
}

/// The value at a point.
fn value(symbols: &mut Symbols, expr: &AffineKind, at: &[Sym]) -> Option<Sym> {
    let mut divided = |name: &'static str, l: &AffineKind, r: &AffineKind| {
        let AffineKind::Constant(by) = *r else { return None };
        let whole = value(symbols, l, at)?;
        let quotient = symbols.node(name, vec![whole.clone(), Sym::constant(by)]);
        Some((whole, quotient, by))
    };
    match expr {
        AffineKind::Dim(d) => at.get(*d).cloned(),
        AffineKind::Constant(c) => Some(Sym::constant(*c)),
        AffineKind::Symbol(_) => None,
        AffineKind::FloorDiv(l, r) => divided("arith.floordivsi", l, r).map(|(_, quotient, _)| quotient),
        AffineKind::CeilDiv(l, r) => divided("arith.ceildivsi", l, r).map(|(_, quotient, _)| quotient),
        AffineKind::Mod(l, r) => {
            let (whole, quotient, by) = divided("arith.floordivsi", l, r)?;
            let multiple = symbols.scale(&quotient, by);
            Some(symbols.sub(&whole, &multiple))
        }
        AffineKind::Add(l, r) => {
            let (l, r) = (value(symbols, l, at)?, value(symbols, r, at)?);
            Some(symbols.add(&l, &r))
        }
        AffineKind::Mul(l, r) => match (&**l, &**r) {
            (of, AffineKind::Constant(c)) | (AffineKind::Constant(c), of) => {
                let of = value(symbols, of, at)?;
                Some(symbols.scale(&of, *c))
            }
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::assumptions::reach::tests::expressions;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_reach_is_that_of_all_iterations(expr in expressions(), n in 1i64..40, m in 1i64..40) {
            let mut symbols = Symbols::default();
            let loops = [Some(Sym::constant(n)), Some(Sym::constant(m))];
            let Some(reach) = exact(&mut symbols, &expr, &loops) else { return Ok(()) };
            let (mut least, mut most) = (i64::MAX, i64::MIN);
            for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
                let at = [Sym::constant(i), Sym::constant(j)];
                let here = value(&mut symbols, &expr, &at).and_then(|v| v.known()).unwrap();
                (least, most) = (least.min(here), most.max(here));
            }
            prop_assert_eq!((reach.least.known(), reach.most.known()), (Some(least), Some(most)));
        }
    }
}
