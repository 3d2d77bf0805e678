//! What is known of a value of the host program: sizes of a tensor, or a number.
use halyard_ir::{Op, Type};

/// Sizes or a number, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    Shape(Vec<Option<i64>>),
    Number(Option<i64>),
}

impl Known {
    /// What a type says.
    pub(super) fn of_type(ty: Type) -> Self {
        if ty.is_ranked_tensor() { Self::Shape(ty.shape()) } else { Self::Number(None) }
    }

    /// The same with what a type says, too.
    pub(super) fn typed(self, ty: Type) -> Self {
        match (self, Self::of_type(ty)) {
            (Self::Shape(own), Self::Shape(said)) if own.len() == said.len() => {
                Self::Shape(own.into_iter().zip(said).map(|(own, said)| said.or(own)).collect())
            }
            (Self::Number(n), Self::Number(_)) => Self::Number(n),
            (_, said) => said,
        }
    }

    /// What is known of a value that is one or the other.
    pub(super) fn joined(self, other: &Self) -> Self {
        let same = |a: Option<i64>, b: Option<i64>| a.filter(|_| a == b);
        match (self, other) {
            (Self::Shape(a), Self::Shape(b)) if a.len() == b.len() => {
                Self::Shape(a.into_iter().zip(b).map(|(a, b)| same(a, *b)).collect())
            }
            (Self::Number(a), Self::Number(b)) => Self::Number(same(a, *b)),
            (Self::Shape(a), _) => Self::Shape(vec![None; a.len()]),
            (Self::Number(_), _) => Self::Number(None),
        }
    }

    pub(super) fn number(&self) -> Option<i64> {
        if let Self::Number(n) = self { *n } else { None }
    }

    pub(super) fn shape(&self) -> &[Option<i64>] {
        if let Self::Shape(shape) = self { shape } else { &[] }
    }

    /// As arguments of a kernel are described: sizes, or one value.
    pub(super) fn numbers(&self) -> Vec<Option<i64>> {
        match self {
            Self::Shape(shape) => shape.clone(),
            Self::Number(n) => vec![*n],
        }
    }
}

/// The number that an operation on numbers gives; `None` if it is none of these, or not defined.
pub(super) fn arithmetic(op: Op, of: &[Option<i64>]) -> Option<i64> {
    let name = op.name();
    let name = name.strip_prefix("arith.")?;
    let a = of.first().copied()?;
    if let "index_cast" | "index_castui" | "extsi" | "extui" | "trunci" = name {
        return a;
    }
    if name == "select" {
        return of.get(if a? != 0 { 1 } else { 2 }).copied()?;
    }
    let (a, b) = (a?, (*of.get(1)?)?);
    match name {
        "addi" => a.checked_add(b),
        "subi" => a.checked_sub(b),
        "muli" => a.checked_mul(b),
        "divsi" | "divui" => a.checked_div(b),
        "remsi" | "remui" => a.checked_rem(b),
        "floordivsi" => Some(a.checked_div(b)? - i64::from(a.checked_rem(b)? != 0 && (a < 0) != (b < 0))),
        "ceildivsi" | "ceildivui" => Some(a.checked_div(b)? + i64::from(a.checked_rem(b)? != 0 && (a < 0) == (b < 0))),
        "maxsi" | "maxui" => Some(a.max(b)),
        "minsi" | "minui" => Some(a.min(b)),
        "andi" => Some(a & b),
        "ori" => Some(a | b),
        "cmpi" => {
            let how = op.attr("predicate").and_then(halyard_ir::Attr::as_int)?;
            // Sizes are not negative: unsigned comparisons are the signed ones.
            Some(i64::from(match how {
                0 => a == b,
                1 => a != b,
                2 | 6 => a < b,
                3 | 7 => a <= b,
                4 | 8 => a > b,
                _ => a >= b,
            }))
        }
        _ => None,
    }
}
