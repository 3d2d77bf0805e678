//! Indices in emitted code: a scalar part and what is added per vector lane.
use halyard_ir::Value;
use std::rc::Rc;

/// A scalar index: an SSA value of type `i64`, if any, plus a constant. Two indices with the same parts are the same
/// number, so that overlapping windows of an unrolled stencil find each other's loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    /// The variable part.
    pub(crate) base: Option<Value>,
    /// The constant part.
    pub(crate) add: i64,
}

impl Index {
    /// Zero.
    pub(crate) const ZERO: Index = Index { base: None, add: 0 };

    /// A constant.
    pub(crate) fn constant(add: i64) -> Index {
        Index { base: None, add }
    }

    /// A value of type `i64`.
    pub(crate) fn value(base: Value) -> Index {
        Index { base: Some(base), add: 0 }
    }

    /// The number, if it is known now.
    pub(crate) fn known(self) -> Option<i64> {
        self.base.is_none().then_some(self.add)
    }

    /// A constant further on.
    pub(crate) fn plus(self, add: i64) -> Index {
        Index { add: self.add + add, ..self }
    }
}

/// What each lane adds to an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lanes {
    /// Nothing: all lanes have the same index.
    Uniform,
    /// Lane number times this, never zero.
    Strided(i64),
    /// Known numbers.
    Constant(Rc<[i64]>),
    /// A vector of `i64`.
    Varying(Value),
}

/// An index of each lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LaneIndex {
    /// The index of the first lane.
    pub(crate) ix: Index,
    /// The distance of each lane from the first one.
    pub(crate) lanes: Lanes,
}

impl LaneIndex {
    /// The same index in all lanes.
    pub(crate) fn uniform(ix: Index) -> LaneIndex {
        LaneIndex { ix, lanes: Lanes::Uniform }
    }

    /// A constant in all lanes.
    pub(crate) fn constant(value: i64) -> LaneIndex {
        LaneIndex::uniform(Index::constant(value))
    }

    /// Consecutive indices from `index` on.
    pub(crate) fn from(ix: Index) -> LaneIndex {
        LaneIndex { ix, lanes: Lanes::Strided(1) }
    }

    /// Whether all lanes have the same index.
    pub(crate) fn is_uniform(&self) -> bool {
        self.lanes == Lanes::Uniform
    }
}

/// One place at which a tensor is wanted: an index per dimension, and which lanes and whether at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    /// An index per dimension.
    pub(crate) idx: Vec<LaneIndex>,
    /// The lanes that are wanted (`vector<Vxi1>`); the others may hold anything and must not touch memory.
    pub(crate) mask: Option<Value>,
    /// An `i1`: when false nothing is wanted, and memory must not be touched.
    pub(crate) guard: Option<Value>,
}

impl Point {
    /// A place where every lane is wanted.
    pub(crate) fn new(idx: Vec<LaneIndex>) -> Point {
        Point { idx, mask: None, guard: None }
    }

    /// The same conditions at other indices.
    pub(crate) fn at(&self, idx: Vec<LaneIndex>) -> Point {
        Point { idx, mask: self.mask, guard: self.guard }
    }

    /// Whether all lanes have the same indices.
    pub(crate) fn is_uniform(&self) -> bool {
        self.idx.iter().all(LaneIndex::is_uniform)
    }
}
