//! How far the index of an operand reaches: the smallest and the largest value of an affine expression over loops.
use super::symbols::{Sym, Symbols, gcd};
use halyard_ir::AffineKind;

/// Bounds of an index; both are taken on, or are as tight as can be said.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    pub(super) least: Sym,
    pub(super) most: Sym,
    /// It is `rest` more than a multiple of this; 0 if it is a constant.
    step: i64,
    rest: i64,
    /// Both bounds are taken on.
    exact: bool,
}

impl Reach {
    /// Of which no more is known than its bounds.
    pub(super) fn new(least: Sym, most: Sym, exact: bool) -> Self {
        Self { least, most, step: 1, rest: 0, exact }
    }

    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }
}

/// Loops of known lengths with no more iterations than this are gone through one by one.
const MAX_STEPS: i64 = 1 << 16;

/// The reach of an expression where loop `d` runs from 0 to below `loops[d]`, none of which is empty. `None` if nobody can
/// say: a loop without a length, a symbol, a product of loops.
pub(super) fn reach(symbols: &mut Symbols, expr: &AffineKind, loops: &[Option<Sym>]) -> Option<Reach> {
    if let Some((least, most)) = count(expr, loops) {
        return Some(Reach::new(Sym::constant(least), Sym::constant(most), true));
    }
    bound(symbols, expr, loops)
}

/// The bounds where all lengths are known, the exact way.
fn count(expr: &AffineKind, loops: &[Option<Sym>]) -> Option<(i64, i64)> {
    let used: Vec<usize> = (0..loops.len()).filter(|d| expr.uses_dim(*d)).collect();
    let lengths: Vec<i64> =
        used.iter().map(|d| loops[*d].as_ref()?.known().filter(|n| *n > 0)).collect::<Option<_>>()?;
    let steps = lengths.iter().try_fold(1i64, |n, l| n.checked_mul(*l)).filter(|n| *n <= MAX_STEPS)?;
    let mut at = vec![0; loops.len()];
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for step in 0..steps {
        let mut rest = step;
        for (d, length) in used.iter().zip(&lengths) {
            at[*d] = rest % length;
            rest /= length;
        }
        let value = evaluate(expr, &at)?;
        (least, most) = (least.min(value), most.max(value));
    }
    Some((least, most))
}

fn evaluate(expr: &AffineKind, at: &[i64]) -> Option<i64> {
    let both = |l: &AffineKind, r: &AffineKind| Some((evaluate(l, at)?, evaluate(r, at)?));
    match expr {
        AffineKind::Dim(d) => at.get(*d).copied(),
        AffineKind::Symbol(_) => None,
        AffineKind::Constant(c) => Some(*c),
        AffineKind::Add(l, r) => both(l, r).and_then(|(l, r)| l.checked_add(r)),
        AffineKind::Mul(l, r) => both(l, r).and_then(|(l, r)| l.checked_mul(r)),
        AffineKind::Mod(l, r) => both(l, r).filter(|(_, r)| *r > 0).map(|(l, r)| l.rem_euclid(r)),
        AffineKind::FloorDiv(l, r) => both(l, r).filter(|(_, r)| *r > 0).map(|(l, r)| l.div_euclid(r)),
        AffineKind::CeilDiv(l, r) => {
            both(l, r).filter(|(_, r)| *r > 0).map(|(l, r)| l.div_euclid(r) + i64::from(l.rem_euclid(r) != 0))
        }
    }
}

/// The bounds by interval arithmetic; loops in a sum are gathered first, so that `d0 - d0` is 0.
fn bound(symbols: &mut Symbols, expr: &AffineKind, loops: &[Option<Sym>]) -> Option<Reach> {
    let mut sum = Sum { loops: vec![0; loops.len()], parts: Vec::new(), constant: 0 };
    sum.add(expr, 1)?;
    let mut reach = Reach {
        least: Sym::constant(sum.constant),
        most: Sym::constant(sum.constant),
        step: 0,
        rest: sum.constant,
        exact: sum.parts.is_empty(),
    };
    for (d, &factor) in sum.loops.iter().enumerate().filter(|(_, f)| **f != 0) {
        let last = symbols.sub(loops[d].as_ref()?, &Sym::constant(1));
        let end = symbols.scale(&last, factor);
        match factor > 0 {
            true => reach.most = symbols.add(&reach.most, &end),
            false => reach.least = symbols.add(&reach.least, &end),
        }
        reach.step = gcd(reach.step, factor);
    }
    for (part, factor) in &sum.parts {
        let part = nonlinear(symbols, part, loops)?;
        let (first, second) = (symbols.scale(&part.least, *factor), symbols.scale(&part.most, *factor));
        let (least, most) = if *factor > 0 { (first, second) } else { (second, first) };
        reach.least = symbols.add(&reach.least, &least);
        reach.most = symbols.add(&reach.most, &most);
        reach.step = gcd(reach.step, factor.checked_mul(part.step)?);
        reach.rest = reach.rest.checked_add(factor.checked_mul(part.rest)?)?;
    }
    Some(reach)
}

/// A sum of multiples of loops and of other expressions.
struct Sum {
    loops: Vec<i64>,
    parts: Vec<(AffineKind, i64)>,
    constant: i64,
}

impl Sum {
    fn add(&mut self, expr: &AffineKind, factor: i64) -> Option<()> {
        match expr {
            AffineKind::Dim(d) => {
                let f = self.loops.get_mut(*d)?;
                *f = f.checked_add(factor)?;
            }
            AffineKind::Symbol(_) => return None,
            AffineKind::Constant(c) => self.constant = self.constant.checked_add(factor.checked_mul(*c)?)?,
            AffineKind::Add(l, r) => {
                self.add(l, factor)?;
                self.add(r, factor)?;
            }
            AffineKind::Mul(l, r) => {
                let (other, c) = match (&**l, &**r) {
                    (other, AffineKind::Constant(c)) | (AffineKind::Constant(c), other) => (other, c),
                    _ => return None,
                };
                self.add(other, factor.checked_mul(*c)?)?;
            }
            part => match self.parts.iter_mut().find(|(p, _)| p == part) {
                Some((_, f)) => *f = f.checked_add(factor)?,
                None => self.parts.push((part.clone(), factor)),
            },
        }
        Some(())
    }
}

fn nonlinear(symbols: &mut Symbols, expr: &AffineKind, loops: &[Option<Sym>]) -> Option<Reach> {
    let (l, r) = match expr {
        AffineKind::Mod(l, r) | AffineKind::FloorDiv(l, r) | AffineKind::CeilDiv(l, r) => (l, r),
        _ => return None,
    };
    let AffineKind::Constant(by) = **r else { return None };
    if by <= 0 {
        return None;
    }
    let inner = bound(symbols, l, loops)?;
    let name = match expr {
        AffineKind::FloorDiv(..) => "arith.floordivsi",
        AffineKind::CeilDiv(..) => "arith.ceildivsi",
        _ => return Some(remainder(symbols, &inner, by)),
    };
    let by = Sym::constant(by);
    let least = symbols.node(name, vec![inner.least, by.clone()]);
    let most = symbols.node(name, vec![inner.most, by]);
    Some(Reach::new(least, most, false))
}

/// Of what has certain bounds.
fn remainder(symbols: &mut Symbols, inner: &Reach, by: i64) -> Reach {
    let step = gcd(inner.step, by);
    let rest = inner.rest.rem_euclid(step);
    if let (Some(least), Some(most)) = (inner.least.known(), inner.most.known())
        && least.div_euclid(by) == most.div_euclid(by)
    {
        let of = |n: i64| Sym::constant(n.rem_euclid(by));
        return Reach { least: of(least), most: of(most), step, rest, exact: false };
    }
    let largest = Sym::constant(by - step + rest);
    let most = match symbols.is_at_least_zero(&inner.least) {
        true => symbols.node("arith.minsi", vec![inner.most.clone(), largest]),
        false => largest,
    };
    Reach { least: Sym::constant(rest), most, step, rest, exact: false }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use halyard_ir::{Attr, Op, Session};
    use proptest::prelude::*;

    /// Expressions over two loops, as text and value.
    pub(in super::super) fn expressions() -> impl Strategy<Value = AffineKind> {
        let constant = |range: std::ops::Range<i64>| range.prop_map(AffineKind::Constant);
        let leaf = prop_oneof![(0..2usize).prop_map(AffineKind::Dim), constant(-4..5)];
        leaf.prop_recursive(3, 12, 2, move |inner| {
            let positive = (1..7i64).prop_map(AffineKind::Constant);
            let pair = |l: AffineKind, r: AffineKind| (Box::new(l), Box::new(r));
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(move |(l, r)| {
                    let (l, r) = pair(l, r);
                    AffineKind::Add(l, r)
                }),
                (inner.clone(), constant(-3..4)).prop_map(move |(l, r)| {
                    let (l, r) = pair(l, r);
                    AffineKind::Mul(l, r)
                }),
                (inner.clone(), positive.clone()).prop_map(move |(l, r)| {
                    let (l, r) = pair(l, r);
                    AffineKind::Mod(l, r)
                }),
                (inner.clone(), positive.clone()).prop_map(move |(l, r)| {
                    let (l, r) = pair(l, r);
                    AffineKind::FloorDiv(l, r)
                }),
                (inner, positive).prop_map(move |(l, r)| {
                    let (l, r) = pair(l, r);
                    AffineKind::CeilDiv(l, r)
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_value_lies_outside(expr in expressions(), n in 1i64..6, m in 1i64..6) {
            let mut symbols = Symbols::default();
            let loops = [Some(Sym::constant(n)), Some(Sym::constant(m))];
            let Some(by_interval) = bound(&mut symbols, &expr, &loops) else { return Ok(()) };
            let (least, most) = (by_interval.least.known().unwrap(), by_interval.most.known().unwrap());
            let exact = count(&expr, &loops).unwrap();
            prop_assert!(least <= exact.0 && exact.1 <= most, "{exact:?} is not within {least} and {most}");
        }
    }
    #[test]
    fn what_is_linear_is_exact() {
        let session = Session::new();
        let text = "module attributes {hal.m = affine_map<(d0, d1) -> (d0 * 2 + d1 - 3, d0 - d0, (d0 * 3) mod 6)>} {}";
        let module = session.parse(text.as_bytes(), "m").unwrap();
        let map = Op::from(&module).attr("hal.m").and_then(Attr::as_affine_map).unwrap();
        let mut symbols = Symbols::default();
        let loops = [Some(Sym::constant(100_000)), Some(Sym::constant(4))];
        let reaches: Vec<_> = map.results().iter().map(|e| bound(&mut symbols, e, &loops).unwrap()).collect();
        let known: Vec<_> = reaches.iter().map(|r| (r.least.known().unwrap(), r.most.known().unwrap())).collect();
        assert_eq!(known, [(-3, 199_998 + 3 - 3), (0, 0), (0, 3)]);
    }
}
