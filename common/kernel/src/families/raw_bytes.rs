//! What the factors of products of short numbers are: bytes less a zero point, or numbers of a known range.
use crate::Emitter;
use crate::emit::index::{LaneIndex, Point};
use crate::emit::ir_builder::Supported;
use crate::graph::{Form, Input, Kind, Node, Scalar, Symbolic};
use crate::schedule::planner::Planner;
use halyard_ir::{Attr, Op, Value};

/// Bytes less a zero point.
#[derive(Clone, Copy, Default)]
pub(in crate::families) struct Raw {
    /// Whether the bytes are signed.
    pub(in crate::families) signed: bool,
    pub(in crate::families) zero: Zero,
}

/// A zero point.
#[derive(Clone, Copy, Default)]
pub(in crate::families) enum Zero {
    #[default]
    None,
    Constant(i64),
    /// A scalar; bytes are extended.
    Scalar(Scalar, Option<Extend>),
    /// The only element of a tensor of bytes.
    Tensor(usize, Extend),
}

/// How a byte becomes a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) enum Extend {
    Signed,
    Unsigned,
}

impl Raw {
    /// Whether what stands for zero is one of the bytes.
    pub(in crate::families) fn zero_is_a_byte(&self) -> bool {
        match self.zero {
            Zero::None => true,
            Zero::Constant(c) if self.signed => (-128..128).contains(&c),
            Zero::Constant(c) => (0..256).contains(&c),
            Zero::Scalar(_, extend) => extend == Some(self.extend()),
            Zero::Tensor(_, extend) => extend == self.extend(),
        }
    }

    fn extend(&self) -> Extend {
        if self.signed { Extend::Signed } else { Extend::Unsigned }
    }
}

impl Planner<'_> {
    /// A factor as bytes less a zero point.
    pub(in crate::families) fn raw(&self, node: &Node<Symbolic>, value: Value) -> Option<Raw> {
        let Some(op) = value.def().filter(|op| op.block() == Some(node.body)) else {
            let Some(Input::Tensor(tensor)) = node.inputs.get(argument(node, value)?) else { return None };
            return self.raw_tensor(*tensor);
        };
        if let Some(extend) = extended(op) {
            let byte = op.operand(0).ty().is_integer() && op.operand(0).ty().bits() == 8;
            let tensor = matches!(node.inputs.get(argument(node, op.operand(0))?), Some(Input::Tensor(_)));
            return (byte && tensor).then_some(Raw { signed: extend == Extend::Signed, zero: Zero::None });
        }
        let minus = if op.is("arith.subi") { 1 } else { -1 };
        if minus < 0 && !op.is("arith.addi") {
            return None;
        }
        let inner = self.raw(node, op.operand(0)).filter(|r| matches!(r.zero, Zero::None))?;
        let zero = match constant(op.operand(1)) {
            Some(c) => Zero::Constant(minus * c),
            None if minus > 0 => self.zero(node, op.operand(1))?,
            None => return None,
        };
        Some(Raw { zero, ..inner })
    }

    /// A tensor as bytes less a zero point.
    pub(in crate::families) fn raw_tensor(&self, tensor: usize) -> Option<Raw> {
        match &self.graph.tensors[tensor].kind {
            Kind::Result { .. } => {
                let node = self.graph.node_of(tensor).filter(|n| !n.reduction.contains(&true))?;
                self.raw(node, node.body.terminator()?.operand(0))
            }
            // Padding is what stands for zero among the bytes, if they have it.
            Kind::Pad { src, region, .. } => {
                let raw = self.raw_tensor(*src)?;
                (raw.zero_is_a_byte() && constant(region.terminator()?.operand(0)) == Some(0)).then_some(raw)
            }
            Kind::Slice { src, .. } | Kind::Expand { src, .. } | Kind::Collapse { src, .. } => self.raw_tensor(*src),
            _ => None,
        }
    }

    /// A zero point that is the same everywhere.
    fn zero(&self, node: &Node<Symbolic>, value: Value) -> Option<Zero> {
        if let Some(at) = argument(node, value) {
            return match node.inputs.get(at)? {
                Input::Scalar(value) => Some(Zero::Scalar(*value, None)),
                Input::Tensor(_) => None,
            };
        }
        let op = value.def()?;
        if op.block() != Some(node.body) {
            return Some(Zero::Scalar(*self.graph.scalar_of.get(&value)?, None));
        }
        let extend = extended(op)?;
        let from = op.operand(0);
        match argument(node, from).and_then(|at| node.inputs.get(at)) {
            Some(Input::Scalar(value)) => Some(Zero::Scalar(*value, Some(extend))),
            Some(Input::Tensor(tensor)) => {
                let one = self.graph.tensors[*tensor].dims.iter().all(|d| d.known() == Some(1));
                (one && from.ty().bits() == 8).then_some(Zero::Tensor(*tensor, extend))
            }
            None => Some(Zero::Scalar(*self.graph.scalar_of.get(&from)?, Some(extend))),
        }
    }

    /// The numbers that a value of a body can be, the least and the greatest.
    pub(in crate::families) fn interval(&self, node: &Node<Symbolic>, value: Value) -> Option<(i64, i64)> {
        if let Some(c) = constant(value) {
            return Some((c, c));
        }
        if let Some(at) = argument(node, value) {
            let Input::Tensor(tensor) = node.inputs.get(at)? else { return None };
            return self.interval_of(*tensor);
        }
        let op = value.def().filter(|op| op.block() == Some(node.body))?;
        if let Some(extend) = extended(op) {
            let bits = op.operand(0).ty().bits().min(32);
            return Some(match extend {
                Extend::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
                Extend::Unsigned => (0, (1 << bits) - 1),
            });
        }
        let both = || Some((self.interval(node, op.operand(0))?, self.interval(node, op.operand(1))?));
        match &*op.name() {
            "arith.addi" => both().map(|(a, b)| (a.0 + b.0, a.1 + b.1)),
            "arith.subi" => both().map(|(a, b)| (a.0 - b.1, a.1 - b.0)),
            _ => None,
        }
    }

    /// The numbers that an element of a tensor can be, the least and the greatest.
    pub(in crate::families) fn interval_of(&self, tensor: usize) -> Option<(i64, i64)> {
        let join = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        match &self.graph.tensors[tensor].kind {
            Kind::Result { .. } => {
                let node = self.graph.node_of(tensor).filter(|n| !n.reduction.contains(&true))?;
                self.interval(node, node.body.terminator()?.operand(0))
            }
            Kind::Pad { src, region, .. } => {
                let outside = constant(region.terminator()?.operand(0))?;
                Some(join(self.interval_of(*src)?, (outside, outside)))
            }
            Kind::Slice { src, .. } | Kind::Expand { src, .. } | Kind::Collapse { src, .. } => self.interval_of(*src),
            Kind::Concat { srcs, .. } => {
                let all = srcs.iter().map(|s| self.interval_of(*s)).collect::<Option<Vec<_>>>()?;
                all.into_iter().reduce(join)
            }
            Kind::Splat(value) if self.graph.tensors[tensor].elem.is_integer() => {
                let constant = self.graph.literal(*value)?.as_int()?;
                Some((constant, constant))
            }
            _ => None,
        }
    }
}

impl Emitter<'_> {
    /// What is added to bytes less a zero point to have bytes again, moved by `shift`; and their zero point, negated.
    pub(in crate::families) fn correction(
        &mut self,
        raw: Raw,
        shift: i64,
    ) -> Supported<(Option<Value>, Option<Value>)> {
        let int = self.code.int(32);
        let extended = |this: &mut Self, value: Value, extend: Extend| {
            let name = if extend == Extend::Signed { "arith.extsi" } else { "arith.extui" };
            this.code.pure(name, &[value], int, None)
        };
        let zero = match raw.zero {
            Zero::None => Err(0),
            Zero::Constant(c) => Err(c),
            Zero::Scalar(scalar, None) => Ok(self.scalars[scalar.0]),
            Zero::Scalar(scalar, Some(extend)) => Ok(extended(self, self.scalars[scalar.0], extend)),
            Zero::Tensor(tensor, extend) => {
                let idx = vec![LaneIndex::constant(0); self.tensors[tensor].dims.len()];
                let value = self.materialize(tensor, &[Point::new(idx)])?[0];
                Ok(extended(self, value, extend))
            }
        };
        match zero {
            Err(zero) => {
                let all = zero + shift;
                let some = |this: &mut Self, n: i64| (all != 0).then(|| this.code.number(int, n as f64));
                Ok((some(self, all), some(self, -all)))
            }
            Ok(zero) => {
                let shift = self.code.number(int, shift as f64);
                let all = self.code.math("arith.addi", &[zero, shift]);
                let none = self.code.number(int, 0.0);
                Ok((Some(all), Some(self.code.math("arith.subi", &[none, all]))))
            }
        }
    }
}

pub(in crate::families) fn argument<F: Form>(node: &Node<F>, value: Value) -> Option<usize> {
    node.body.args().iter().position(|a| *a == value)
}

fn extended(op: Op) -> Option<Extend> {
    match &*op.name() {
        "arith.extsi" => Some(Extend::Signed),
        "arith.extui" => Some(Extend::Unsigned),
        _ => None,
    }
}

fn constant(value: Value) -> Option<i64> {
    value
        .def()
        .filter(|d| d.is("arith.constant") && d.result(0).ty().is_integer())?
        .attr("value")
        .and_then(Attr::as_int)
}
