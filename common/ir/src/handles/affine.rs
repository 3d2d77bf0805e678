//! Affine maps and expressions.
use super::append;
use mlir_sys::*;
use std::fmt;

/// An affine map.
#[derive(Clone, Copy)]
pub struct Affine(pub MlirAffineMap);

/// An affine expression as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AffineKind {
    /// A dimension.
    Dim(usize),
    /// A symbol.
    Symbol(usize),
    /// A constant.
    Constant(i64),
    /// A sum.
    Add(Box<AffineKind>, Box<AffineKind>),
    /// A product.
    Mul(Box<AffineKind>, Box<AffineKind>),
    /// A remainder, never negative.
    Mod(Box<AffineKind>, Box<AffineKind>),
    /// A quotient rounded down.
    FloorDiv(Box<AffineKind>, Box<AffineKind>),
    /// A quotient rounded up.
    CeilDiv(Box<AffineKind>, Box<AffineKind>),
}

impl AffineKind {
    /// Whether a dimension occurs in the expression.
    pub fn uses_dim(&self, dim: usize) -> bool {
        match self {
            Self::Dim(d) => *d == dim,
            Self::Symbol(_) | Self::Constant(_) => false,
            Self::Add(l, r) | Self::Mul(l, r) | Self::Mod(l, r) | Self::FloorDiv(l, r) | Self::CeilDiv(l, r) => {
                l.uses_dim(dim) || r.uses_dim(dim)
            }
        }
    }

    /// Whether the expression is never negative if its dimensions are not.
    pub fn is_natural(&self) -> bool {
        match self {
            Self::Dim(_) | Self::Mod(..) => true,
            Self::Symbol(_) => false,
            Self::Constant(c) => *c >= 0,
            Self::Add(l, r) | Self::Mul(l, r) => l.is_natural() && r.is_natural(),
            Self::FloorDiv(l, r) | Self::CeilDiv(l, r) => l.is_natural() && matches!(**r, Self::Constant(c) if c > 0),
        }
    }
}

// SAFETY of all blocks in this file: maps and expressions are uniqued in a live context, and indices are below the
// counts that the C API gives.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once for the file")]
mod imp {
    use super::*;

    impl Affine {
        /// Returns the number of dimensions.
        pub fn dims(self) -> usize {
            unsafe { mlirAffineMapGetNumDims(self.0) as usize }
        }
        /// Returns the number of symbols.
        pub fn symbols(self) -> usize {
            unsafe { mlirAffineMapGetNumSymbols(self.0) as usize }
        }
        /// Returns the results as trees.
        pub fn results(self) -> Vec<AffineKind> {
            unsafe {
                (0..mlirAffineMapGetNumResults(self.0)).map(|i| take_apart(mlirAffineMapGetResult(self.0, i))).collect()
            }
        }
        /// The map from `loops` dimensions to those listed.
        pub fn of_dims(context: MlirContext, loops: usize, dims: &[usize]) -> Affine {
            let mut exprs: Vec<_> =
                dims.iter().map(|d| unsafe { mlirAffineDimExprGet(context, *d as isize) }).collect();
            unsafe { Affine(mlirAffineMapGet(context, loops as isize, 0, exprs.len() as isize, exprs.as_mut_ptr())) }
        }
        /// The map with only some of the results, in the order given.
        pub fn only(self, results: &[usize]) -> Affine {
            let mut positions: Vec<isize> = results.iter().map(|r| *r as isize).collect();
            unsafe { Affine(mlirAffineMapGetSubMap(self.0, positions.len() as isize, positions.as_mut_ptr())) }
        }
        /// For a projected permutation, returns the dimension of each result. Returns `None` for any other map.
        pub fn projected_permutation(self) -> Option<Vec<usize>> {
            self.results().into_iter().map(|e| if let AffineKind::Dim(d) = e { Some(d) } else { None }).collect()
        }
    }

    fn take_apart(expr: MlirAffineExpr) -> AffineKind {
        unsafe {
            if mlirAffineExprIsADim(expr) {
                return AffineKind::Dim(mlirAffineDimExprGetPosition(expr) as usize);
            }
            if mlirAffineExprIsASymbol(expr) {
                return AffineKind::Symbol(mlirAffineSymbolExprGetPosition(expr) as usize);
            }
            if mlirAffineExprIsAConstant(expr) {
                return AffineKind::Constant(mlirAffineConstantExprGetValue(expr));
            }
            let l = Box::new(take_apart(mlirAffineBinaryOpExprGetLHS(expr)));
            let r = Box::new(take_apart(mlirAffineBinaryOpExprGetRHS(expr)));
            if mlirAffineExprIsAAdd(expr) {
                AffineKind::Add(l, r)
            } else if mlirAffineExprIsAMul(expr) {
                AffineKind::Mul(l, r)
            } else if mlirAffineExprIsAMod(expr) {
                AffineKind::Mod(l, r)
            } else if mlirAffineExprIsAFloorDiv(expr) {
                AffineKind::FloorDiv(l, r)
            } else {
                AffineKind::CeilDiv(l, r)
            }
        }
    }

    impl fmt::Display for Affine {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let mut text = Vec::<u8>::new();
            unsafe { mlirAffineMapPrint(self.0, Some(append), (&raw mut text).cast()) };
            f.write_str(&String::from_utf8_lossy(&text))
        }
    }
    impl fmt::Debug for Affine {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            fmt::Display::fmt(self, f)
        }
    }
}
