//! Sizes as expressions over the size arguments of an export. Equal expressions are one symbol.
use super::{Scalar, Step};
use std::collections::HashMap;

/// A size, or another index that is the same in the entire kernel: a symbol, if any, plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    /// The part that a run knows.
    pub(crate) symbol: Option<Symbol>,
    /// The constant part.
    pub(crate) add: i64,
}

/// A number that a run knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Symbol(pub(crate) usize);

/// How a symbol comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expression {
    /// The constant of this number that the kernel is given.
    Argument(usize),
    /// A scalar that the function computes.
    Scalar(Scalar),
    /// The sum of two symbols.
    Sum(Symbol, Symbol),
    /// A symbol times a constant.
    Multiple(Symbol, i64),
    /// The product of two sizes, neither of which is known.
    Product(Size, Size),
}

impl Size {
    /// Zero.
    pub(crate) const ZERO: Size = Size { symbol: None, add: 0 };

    /// A constant.
    pub(crate) fn constant(add: i64) -> Size {
        Size { symbol: None, add }
    }

    /// The number, if it is known now.
    pub(crate) fn known(self) -> Option<i64> {
        self.symbol.is_none().then_some(self.add)
    }
}

/// The expressions that the symbols of an export stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    expressions: Vec<Expression>,
    symbols: HashMap<Expression, Symbol>,
}

impl Sizes {
    /// What a symbol stands for.
    pub(crate) fn expression(&self, symbol: Symbol) -> Expression {
        self.expressions[symbol.0]
    }

    /// The size that is an expression. A new symbol becomes a step.
    pub(crate) fn size(&mut self, expression: Expression, steps: &mut Vec<Step>) -> Size {
        let next = Symbol(self.expressions.len());
        let symbol = *self.symbols.entry(expression).or_insert(next);
        if symbol == next {
            self.expressions.push(expression);
            steps.push(Step::Size(symbol));
        }
        Size { symbol: Some(symbol), add: 0 }
    }

    /// The sum.
    pub(crate) fn add(&mut self, a: Size, b: Size, steps: &mut Vec<Step>) -> Size {
        let symbol = match (a.symbol, b.symbol) {
            (Some(a), Some(b)) => self.size(Expression::Sum(a, b), steps).symbol,
            (a, b) => a.or(b),
        };
        Size { symbol, add: a.add + b.add }
    }

    /// The product.
    pub(crate) fn mul(&mut self, a: Size, b: Size, steps: &mut Vec<Step>) -> Size {
        match (a.known(), b.known(), a.symbol) {
            (Some(a), Some(b), _) => Size::constant(a * b),
            (Some(0), ..) | (_, Some(0), _) => Size::ZERO,
            (Some(1), ..) => b,
            (_, Some(1), _) => a,
            (None, Some(by), Some(symbol)) => {
                Size { add: a.add * by, ..self.size(Expression::Multiple(symbol, by), steps) }
            }
            (Some(_), None, _) => self.mul(b, a, steps),
            _ => self.size(Expression::Product(a, b), steps),
        }
    }
}

#[cfg(test)]
mod tests;
