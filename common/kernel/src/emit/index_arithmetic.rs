//! Index arithmetic: scalar, and per lane. What is known now is computed now.
use crate::emit::index::{Index, LaneIndex, Lanes};
use crate::emit::ir_builder::IrBuilder;
use halyard_ir::Value;
use std::rc::Rc;

impl IrBuilder {
    /// An index as an SSA value.
    pub(crate) fn ix(&mut self, ix: Index) -> Value {
        match ix.base {
            None => self.index_constant(ix.add),
            Some(base) if ix.add == 0 => base,
            Some(base) => {
                let add = self.index_constant(ix.add);
                self.flagged("arith.addi", base, add)
            }
        }
    }

    /// The sum.
    pub(crate) fn add(&mut self, a: Index, b: Index) -> Index {
        let add = a.add + b.add;
        let base = match (a.base, b.base) {
            (Some(a), Some(b)) => Some(self.flagged("arith.addi", a, b)),
            (a, b) => a.or(b),
        };
        Index { base, add }
    }

    /// The difference.
    pub(crate) fn sub(&mut self, a: Index, b: Index) -> Index {
        let add = a.add - b.add;
        let base = match (a.base, b.base) {
            (Some(a), Some(b)) if a == b => None,
            (Some(a), Some(b)) => Some(self.flagged("arith.subi", a, b)),
            (None, Some(b)) => {
                let zero = self.index_constant(0);
                Some(self.flagged("arith.subi", zero, b))
            }
            (a, None) => a,
        };
        Index { base, add }
    }

    /// The product.
    pub(crate) fn mul(&mut self, a: Index, b: Index) -> Index {
        match (a.known(), b.known()) {
            (Some(a), Some(b)) => Index::constant(a * b),
            (Some(0), _) | (_, Some(0)) => Index::ZERO,
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (None, Some(c)) => {
                let factor = self.index_constant(c);
                let base = self.flagged("arith.muli", a.base.expect("not known"), factor);
                Index { base: Some(base), add: a.add * c }
            }
            (Some(_), None) => self.mul(b, a),
            (None, None) => {
                let (a, b) = (self.ix(a), self.ix(b));
                Index::value(self.flagged("arith.muli", a, b))
            }
        }
    }

    /// A division of operation `name`, of numbers that are not negative unless `name` says so.
    pub(crate) fn divide(&mut self, name: &'static str, a: Index, b: Index) -> Index {
        if let (Some(a), Some(b)) = (a.known(), b.known())
            && b != 0
        {
            return Index::constant(match name {
                "arith.remui" | "arith.remsi" => a.rem_euclid(b),
                "arith.ceildivsi" => -((-a).div_euclid(b)),
                _ => a.div_euclid(b),
            });
        }
        if b.known() == Some(1) {
            return if name.contains("rem") { Index::ZERO } else { a };
        }
        let (a, b) = (self.ix(a), self.ix(b));
        Index::value(self.math(name, &[a, b]))
    }

    /// The smaller one.
    pub(crate) fn min(&mut self, a: Index, b: Index) -> Index {
        match (a.known(), b.known()) {
            (Some(x), Some(y)) => Index::constant(x.min(y)),
            _ if a == b => a,
            _ => {
                let (a, b) = (self.ix(a), self.ix(b));
                Index::value(self.math("arith.minsi", &[a, b]))
            }
        }
    }

    /// The larger one.
    pub(crate) fn max(&mut self, a: Index, b: Index) -> Index {
        match (a.known(), b.known()) {
            (Some(x), Some(y)) => Index::constant(x.max(y)),
            _ if a == b => a,
            _ => {
                let (a, b) = (self.ix(a), self.ix(b));
                Index::value(self.math("arith.maxsi", &[a, b]))
            }
        }
    }

    /// What the lanes add, as a vector of `i64`.
    pub(crate) fn lane_vector(&mut self, lanes: &Lanes) -> Value {
        match lanes {
            Lanes::Uniform => self.i64_vector(&vec![0; self.lanes as usize]),
            Lanes::Strided(step) => {
                let values: Vec<i64> = (0..self.lanes).map(|l| l * step).collect();
                self.i64_vector(&values)
            }
            Lanes::Constant(values) => self.i64_vector(values),
            Lanes::Varying(value) => *value,
        }
    }

    /// The index of every lane as a vector of `i64`.
    pub(crate) fn idx_vector(&mut self, idx: &LaneIndex) -> Value {
        let base = self.ix(idx.ix);
        let base = self.splat(base);
        if idx.is_uniform() {
            return base;
        }
        let lanes = self.lane_vector(&idx.lanes);
        self.flagged("arith.addi", base, lanes)
    }

    /// An index as an SSA value: a scalar if all lanes share it, otherwise a vector.
    pub(crate) fn idx(&mut self, idx: &LaneIndex) -> Value {
        if idx.is_uniform() { self.ix(idx.ix) } else { self.idx_vector(idx) }
    }

    fn known_lanes(&self, lanes: &Lanes) -> Option<Rc<[i64]>> {
        match lanes {
            Lanes::Uniform => Some(vec![0; self.lanes as usize].into()),
            Lanes::Strided(step) => Some((0..self.lanes).map(|l| l * step).collect()),
            Lanes::Constant(values) => Some(values.clone()),
            Lanes::Varying(_) => None,
        }
    }

    fn lanes_of(values: Vec<i64>) -> Lanes {
        if values.iter().all(|&v| v == 0) {
            return Lanes::Uniform;
        }
        let step = if values.len() > 1 { values[1] - values[0] } else { 0 };
        if values[0] == 0 && values.windows(2).all(|w| w[1] - w[0] == step) {
            return Lanes::Strided(step);
        }
        Lanes::Constant(values.into())
    }

    /// The sum of two lane indices.
    pub(crate) fn idx_add(&mut self, a: &LaneIndex, b: &LaneIndex) -> LaneIndex {
        let ix = self.add(a.ix, b.ix);
        let lanes = match (&a.lanes, &b.lanes) {
            (Lanes::Uniform, other) | (other, Lanes::Uniform) => other.clone(),
            (a, b) => match (self.known_lanes(a), self.known_lanes(b)) {
                (Some(a), Some(b)) => Self::lanes_of(a.iter().zip(b.iter()).map(|(a, b)| a + b).collect()),
                _ => {
                    let (a, b) = (self.lane_vector(a), self.lane_vector(b));
                    Lanes::Varying(self.flagged("arith.addi", a, b))
                }
            },
        };
        LaneIndex { ix, lanes }
    }

    /// A lane index times a scalar.
    pub(crate) fn idx_scale(&mut self, a: &LaneIndex, by: Index) -> LaneIndex {
        let ix = self.mul(a.ix, by);
        let lanes = match (&a.lanes, by.known()) {
            (Lanes::Uniform, _) | (_, Some(0)) => Lanes::Uniform,
            // Also by one: constants with an even step become strided, so that their elements are loaded and stored as vectors.
            (Lanes::Constant(values), Some(c)) => Self::lanes_of(values.iter().map(|v| v * c).collect()),
            (Lanes::Strided(step), Some(c)) => Lanes::Strided(step * c),
            (lanes, Some(1)) => lanes.clone(),
            (lanes, _) => {
                let lanes = self.lane_vector(lanes);
                let by = self.ix(by);
                let by = self.splat(by);
                Lanes::Varying(self.flagged("arith.muli", lanes, by))
            }
        };
        LaneIndex { ix, lanes }
    }

    /// A lane index divided by a scalar, see [`Self::divide`].
    pub(crate) fn idx_divide(&mut self, name: &'static str, a: &LaneIndex, by: Index) -> LaneIndex {
        if a.is_uniform() {
            return LaneIndex::uniform(self.divide(name, a.ix, by));
        }
        if let (Some(base), Some(by), Some(lanes)) = (a.ix.known(), by.known(), self.known_lanes(&a.lanes)) {
            let values = lanes.iter().map(|l| {
                let of = base + l;
                match name {
                    "arith.remui" | "arith.remsi" => of.rem_euclid(by),
                    "arith.ceildivsi" => -((-of).div_euclid(by)),
                    _ => of.div_euclid(by),
                }
            });
            return LaneIndex { ix: Index::ZERO, lanes: Self::lanes_of(values.collect()) };
        }
        let a = self.idx_vector(a);
        let by = self.ix(by);
        let by = self.splat(by);
        let value = self.math(name, &[a, by]);
        LaneIndex { ix: Index::ZERO, lanes: Lanes::Varying(value) }
    }

    /// What is left of a lane index after a division by a positive scalar: never negative, as affine maps have it.
    pub(crate) fn idx_modulo(&mut self, a: &LaneIndex, by: Index) -> LaneIndex {
        let rest = self.idx_divide("arith.remsi", a, by);
        if rest.ix.known().is_some() && self.known_lanes(&rest.lanes).is_some() {
            return rest;
        }
        let rest = self.idx(&rest);
        let (mut by, mut zero) = (self.ix(by), self.index_constant(0));
        if rest.ty().is_vector() {
            (by, zero) = (self.splat(by), self.splat(zero));
        }
        // Signed, less than.
        let negative = self.compare(2, rest, zero);
        let above = self.flagged("arith.addi", rest, by);
        let value = self.select(negative, above, rest);
        if value.ty().is_vector() {
            LaneIndex { ix: Index::ZERO, lanes: Lanes::Varying(value) }
        } else {
            LaneIndex::uniform(Index::value(value))
        }
    }

    /// A scalar or vector SSA value of an integer or index type as a lane index.
    pub(crate) fn idx_of(&mut self, value: Value) -> LaneIndex {
        let index = self.index_type();
        let element = value.ty().element();
        let ty = if value.ty().is_vector() { self.vector(index) } else { index };
        let value = if element == index {
            value
        } else if element.is_index() {
            self.pure("arith.index_cast", &[value], ty, None)
        } else if element.bits() > index.bits() {
            self.pure("arith.trunci", &[value], ty, None)
        } else {
            self.pure("arith.extsi", &[value], ty, None)
        };
        if ty.is_vector() {
            LaneIndex { ix: Index::ZERO, lanes: Lanes::Varying(value) }
        } else {
            LaneIndex::uniform(Index::value(value))
        }
    }
}
