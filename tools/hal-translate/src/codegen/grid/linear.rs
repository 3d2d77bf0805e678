//! Indices as linear forms, in which offsets and sizes of tiles are expressed.
use halyard_ir::{AffineKind, Attr, Op, Value};

/// A sum of values with factors, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    /// The factor of each value; no factor is zero, no value occurs twice.
    terms: Vec<(Value, i64)>,
    number: i64,
}

impl Linear {
    pub(super) fn number(number: i64) -> Self {
        Self { terms: Vec::new(), number }
    }

    /// Returns the linear form of a value, or the value itself as a term.
    pub(super) fn of(value: Value) -> Self {
        if let Some(number) = value.constant() {
            return Self::number(number);
        }
        let itself = || Self { terms: vec![(value, 1)], number: 0 };
        let Some(def) = value.def() else { return itself() };
        match &*def.name() {
            "affine.apply" => results(def).and_then(|mut r| r.pop().flatten()).unwrap_or_else(itself),
            "arith.addi" => Self::of(def.operand(0)).plus(&Self::of(def.operand(1)), 1),
            "arith.subi" => Self::of(def.operand(0)).plus(&Self::of(def.operand(1)), -1),
            "arith.muli" => Self::of(def.operand(0)).times(&Self::of(def.operand(1))).unwrap_or_else(itself),
            _ => itself(),
        }
    }

    /// Returns the operands of a minimum (`affine.min`, `arith.minsi`), or the value alone. Returns `None` if unknown.
    pub(super) fn least_of(value: Value) -> Option<Vec<Self>> {
        match value.def() {
            Some(def) if def.is("affine.min") => results(def)?.into_iter().collect(),
            Some(def) if def.is("arith.minsi") => Some(def.operands().into_iter().map(Self::of).collect()),
            _ => Some(vec![Self::of(value)]),
        }
    }

    fn plus(&self, other: &Self, factor: i64) -> Self {
        let mut sum = self.clone();
        sum.number += factor * other.number;
        for &(value, by) in &other.terms {
            match sum.terms.iter_mut().find(|(v, _)| *v == value) {
                Some(term) => term.1 += factor * by,
                None => sum.terms.push((value, factor * by)),
            }
        }
        sum.terms.retain(|(_, by)| *by != 0);
        sum
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let (factor, form) = if self.terms.is_empty() {
            (self.number, other)
        } else if other.terms.is_empty() {
            (other.number, self)
        } else {
            return None;
        };
        Some(Self::default().plus(form, factor))
    }

    /// Returns the factor of a value.
    pub(super) fn factor(&self, value: Value) -> i64 {
        self.terms.iter().find(|(v, _)| *v == value).map_or(0, |(_, by)| *by)
    }

    /// Returns the form without the term of a value.
    pub(super) fn without(&self, value: Value) -> Self {
        let terms = self.terms.iter().filter(|(v, _)| *v != value).copied().collect();
        Self { terms, number: self.number }
    }

    /// The number that it is, if it is one.
    pub(super) fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.number)
    }

    /// The value that it is, if it is one.
    pub(super) fn value(&self) -> Option<Value> {
        match (&self.terms[..], self.number) {
            ([(value, 1)], 0) => Some(*value),
            _ => None,
        }
    }
}

/// Returns the results of an affine operation's map, if they are linear.
fn results(op: Op) -> Option<Vec<Option<Linear>>> {
    let map = op.attr("map").and_then(Attr::as_affine_map)?;
    let operands = op.operands();
    Some(map.results().iter().map(|kind| expression(kind, &operands, map.dims())).collect())
}

fn expression(kind: &AffineKind, operands: &[Value], dims: usize) -> Option<Linear> {
    let of = |kind: &AffineKind| expression(kind, operands, dims);
    Some(match kind {
        AffineKind::Dim(d) => Linear::of(operands[*d]),
        AffineKind::Symbol(s) => Linear::of(operands[dims + s]),
        AffineKind::Constant(number) => Linear::number(*number),
        AffineKind::Add(a, b) => of(a)?.plus(&of(b)?, 1),
        AffineKind::Mul(a, b) => of(a)?.times(&of(b)?)?,
        _ => return None,
    })
}

/// Returns the dividend and the divisor of a quotient rounded up: `affine.apply` of `x ceildiv n`, `arith.ceildivsi`.
pub(super) fn quotient(value: Value) -> Option<(Linear, i64)> {
    let def = value.def()?;
    if matches!(&*def.name(), "arith.ceildivsi" | "arith.ceildivui") {
        return Some((Linear::of(def.operand(0)), def.operand(1).constant()?));
    }
    let map = def.attr("map").filter(|_| def.is("affine.apply")).and_then(Attr::as_affine_map)?;
    match map.results().as_slice() {
        [AffineKind::CeilDiv(a, b)] => match **b {
            AffineKind::Constant(by) => Some((expression(a, &def.operands(), map.dims())?, by)),
            _ => None,
        },
        _ => None,
    }
}
