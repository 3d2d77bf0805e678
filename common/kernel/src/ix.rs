//! Indices as they stand in emitted code: a scalar part and what is added per vector lane.
use halyard_ir::Value;
use std::rc::Rc;

/// A scalar index: an SSA value of type `i64`, if any, plus a constant. Two indices with the same parts are the same
/// number, so that overlapping windows of an unrolled stencil find each other's loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ix {
    /// The variable part.
    pub(crate) base: Option<Value>,
    /// The constant part.
    pub(crate) add: i64,
}

impl Ix {
    /// Zero.
    pub(crate) const ZERO: Ix = Ix { base: None, add: 0 };

    /// A constant.
    pub(crate) fn constant(add: i64) -> Ix {
        Ix { base: None, add }
    }

    /// A value of type `i64`.
    pub(crate) fn value(base: Value) -> Ix {
        Ix { base: Some(base), add: 0 }
    }

    /// The number, if it is known now.
    pub(crate) fn known(self) -> Option<i64> {
        self.base.is_none().then_some(self.add)
    }

    /// A constant further on.
    pub(crate) fn plus(self, add: i64) -> Ix {
        Ix { add: self.add + add, ..self }
    }
}

/// What each lane adds to an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// Nothing: all lanes have the same index.
    Same,
    /// Lane number times this, never zero.
    Step(i64),
    /// Known numbers.
    Known(Rc<[i64]>),
    /// A vector of `i64`.
    Vector(Value),
}

/// An index of each lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Idx {
    /// What all lanes share.
    pub(crate) ix: Ix,
    /// What each lane adds.
    pub(crate) lanes: Lanes,
}

impl Idx {
    /// The same index in all lanes.
    pub(crate) fn same(ix: Ix) -> Idx {
        Idx { ix, lanes: Lanes::Same }
    }

    /// A constant in all lanes.
    pub(crate) fn constant(value: i64) -> Idx {
        Idx::same(Ix::constant(value))
    }

    /// Consecutive indices from `ix` on.
    pub(crate) fn from(ix: Ix) -> Idx {
        Idx { ix, lanes: Lanes::Step(1) }
    }

    /// Whether all lanes have the same index.
    pub(crate) fn is_same(&self) -> bool {
        self.lanes == Lanes::Same
    }
}

/// One place at which a tensor is wanted: an index per dimension, and which lanes and whether at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    /// An index per dimension.
    pub(crate) idx: Vec<Idx>,
    /// The lanes that are wanted (`vector<Vxi1>`); the others may hold anything and must not touch memory.
    pub(crate) mask: Option<Value>,
    /// An `i1`: when false nothing is wanted, and memory must not be touched.
    pub(crate) guard: Option<Value>,
}

impl Point {
    /// A place where every lane is wanted.
    pub(crate) fn new(idx: Vec<Idx>) -> Point {
        Point { idx, mask: None, guard: None }
    }

    /// The same conditions at other indices.
    pub(crate) fn at(&self, idx: Vec<Idx>) -> Point {
        Point { idx, mask: self.mask, guard: self.guard }
    }

    /// Whether all lanes have the same indices.
    pub(crate) fn is_same(&self) -> bool {
        self.idx.iter().all(Idx::is_same)
    }
}
