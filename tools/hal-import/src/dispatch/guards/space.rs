//! The loops around a body: how far they run, and what the arguments of the body are.
use super::{interval::Interval, size::Size};
use halyard_ir::{AffineKind, Attr, Op, Structured, Type, Value, dense_bytes};
use std::{cell::RefCell, collections::HashMap};

/// No size is larger: the bytes of a tensor are counted with 64 bits.
pub(super) const LARGEST: i128 = 1 << 47;
/// Constants with more elements are not looked at.
const MAX_CONSTANT: i64 = 1 << 22;

/// The loops of an operation with a body.
pub(super) struct Space {
    pub(super) op: Op,
    /// `None`: a loop of the scf dialect, which says itself how far it runs.
    pub(super) structured: Option<Structured>,
    /// For each loop, sizes that are how far it runs.
    pub(super) extents: Vec<Vec<Size>>,
    constants: RefCell<HashMap<Value, Option<Interval>>>,
}

impl Space {
    pub(super) fn of(op: Op) -> Self {
        let structured = Structured::of(op);
        let mut extents = Vec::new();
        if let Some(structured) = &structured {
            extents.resize(structured.loops(), Vec::new());
            for (operand, map) in op.operands().into_iter().zip(&structured.maps) {
                for (dimension, result) in map.results().into_iter().enumerate() {
                    if let AffineKind::Dim(d) = result
                        && operand.ty().is_ranked_tensor()
                    {
                        let size = Size::of(operand, dimension);
                        if !extents[d].contains(&size) {
                            extents[d].push(size);
                        }
                    }
                }
            }
        }
        Self { op, structured, extents, constants: RefCell::default() }
    }

    /// Whether the body never runs.
    pub(super) fn is_empty(&self) -> bool {
        self.extents.iter().flatten().any(|size| *size == Size::Known(0))
    }

    /// How far a loop runs, if that is a number.
    pub(super) fn known(&self, d: usize) -> Option<i64> {
        self.extents.get(d)?.iter().find_map(|size| size.known())
    }

    /// What a size can be while the body runs.
    pub(super) fn size(&self, size: Size) -> Interval {
        match size {
            Size::Known(n) => Interval::point(n.into()),
            // No loop around it is empty.
            _ if self.extents.iter().any(|e| e.contains(&size)) => Interval::new(1, LARGEST),
            Size::Dim(..) => Interval::new(0, LARGEST),
            Size::Value(v) => Interval::of(v.ty()),
        }
    }

    /// What an argument of the body can be: all values of its type, or those of a constant.
    pub(super) fn argument(&self, argument: Value) -> Interval {
        let all = Interval::of(argument.ty());
        self.operand_of(argument).and_then(|operand| self.constant(operand)).map_or(all, |known| known.and(all))
    }

    /// The operand whose elements an argument of the body is given.
    pub(super) fn operand_of(&self, argument: Value) -> Option<Value> {
        let own = argument.argument_block().is_some_and(|b| b.parent() == Some(self.op));
        (own && self.structured.is_some() && argument.index() < self.op.operand_count())
            .then(|| self.op.operand(argument.index()))
    }

    /// The least and the largest element of a constant tensor of integers.
    pub(super) fn constant(&self, tensor: Value) -> Option<Interval> {
        *self.constants.borrow_mut().entry(tensor).or_insert_with(|| {
            let elements = elements(tensor)?;
            let (lo, hi) = (elements.iter().min()?, elements.iter().max()?);
            Some(Interval::new(*lo, *hi))
        })
    }
}

/// The elements of a constant tensor of integers, read with a sign.
pub(super) fn elements(tensor: Value) -> Option<Vec<i128>> {
    let attr = tensor.constant_attr()?;
    if !tensor.ty().is_ranked_tensor() || tensor.ty().element_count().is_none_or(|n| n > MAX_CONSTANT) {
        return None;
    }
    let element = tensor.ty().element();
    if !element.is_index() && !element.is_integer() {
        return None;
    }
    let (bytes, _) = dense_bytes(attr)?;
    let width = element.byte_width() as usize;
    (width > 0).then(|| bytes.chunks_exact(width).map(|chunk| signed(chunk, element)).collect())
}

fn signed(bytes: &[u8], ty: Type) -> i128 {
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let value = i128::from_le_bytes(wide);
    let bits = if ty.is_index() { 64 } else { ty.bits() };
    if bits == 1 {
        return value & 1;
    }
    (value << (128 - bits)) >> (128 - bits)
}

/// The loop of a `linalg.index`.
pub(super) fn loop_of(op: Op) -> usize {
    op.attr("dim").and_then(Attr::as_int).and_then(|d| usize::try_from(d).ok()).expect("`linalg.index` has a dimension")
}
