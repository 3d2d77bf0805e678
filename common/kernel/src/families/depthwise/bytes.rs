//! Convolutions of bytes with lanes along the channels: products and sums are computed as `f32`, which holds all of them exactly, since
//! there is no instruction that multiplies one byte of each channel.
use crate::Emitter;
use crate::emit::ir_builder::Supported;
use crate::families::forms::dim;
use crate::families::raw_bytes::{Extend, Raw, Zero};
use crate::graph::{Input, Kind};
use crate::schedule::planner::Planner;
use halyard_ir::Value;

/// A factor of a convolution of bytes.
pub(super) struct Bytes {
    /// The bytes as they are stored.
    pub(super) tensor: usize,
    pub(super) raw: Raw,
}

/// The factors of a convolution of bytes.
pub(super) struct ByteFactors {
    /// `[channels, rows, columns]`.
    pub(super) filters: Bytes,
    /// The input without padding, if it is stored as bytes; it may be computed.
    pub(super) input: Option<Bytes>,
}

/// Up to this, `f32` has all integers.
const EXACT: i64 = 1 << 24;

impl Planner<'_> {
    /// The factors of a convolution of bytes less a zero point, if `f32` holds all sums over so many elements of a window.
    pub(super) fn byte_factors(&self, x: usize, w: usize, elements: i64) -> Option<ByteFactors> {
        let largest = self.largest(x)?.checked_mul(self.largest(w)?)?.checked_mul(elements)?;
        let (filters, input) = (self.stored_bytes(w)?, self.stored_bytes(x));
        (largest <= EXACT).then_some(ByteFactors { filters, input })
    }

    /// The bytes in memory that a tensor is made of, element by element.
    fn stored_bytes(&self, tensor: usize) -> Option<Bytes> {
        let raw = self.raw_tensor(tensor)?;
        let node = self.graph.node_of(tensor)?;
        let in_order: Vec<_> = (0..node.dims.len()).map(dim).collect();
        let tensor = node.inputs.iter().zip(&node.maps).find_map(|(input, map)| match input {
            Input::Tensor(t) if *map == in_order && node.out_map(0) == in_order => Some(*t),
            _ => None,
        })?;
        let found = &self.graph.tensors[tensor];
        (matches!(found.kind, Kind::Memory(_)) && found.elem.bits() == 8).then_some(Bytes { tensor, raw })
    }

    /// The largest absolute value that an integer of a tensor may have, if it is known to be small.
    fn largest(&self, tensor: usize) -> Option<i64> {
        if let Some((least, most)) = self.interval_of(tensor) {
            return Some(least.abs().max(most.abs()));
        }
        // Differences of two bytes of one type.
        match (self.raw_tensor(tensor)?, ()) {
            (Raw { signed, zero: Zero::Scalar(_, Some(extend)) | Zero::Tensor(_, extend) }, ()) => {
                (signed == (extend == Extend::Signed)).then_some(255)
            }
            _ => None,
        }
    }
}

impl Emitter<'_> {
    /// A vector of stored numbers of a factor as `f32`.
    pub(super) fn stored_as_floats(&mut self, bytes: Option<&Bytes>, value: Value) -> Supported<Value> {
        let Some(Bytes { raw, .. }) = bytes else { return Ok(self.as_floats(value)) };
        let int = self.code.int(32);
        let int = self.code.vector(int);
        let wide = self.code.pure(if raw.signed { "arith.extsi" } else { "arith.extui" }, &[value], int, None);
        let value = match self.correction(*raw, 0)?.0 {
            Some(zero) => {
                let zero = self.code.splat(zero);
                self.code.math("arith.subi", &[wide, zero])
            }
            None => wide,
        };
        Ok(self.as_floats(value))
    }

    /// Integers and 16-bit floats as `f32`.
    pub(super) fn as_floats(&mut self, value: Value) -> Value {
        let float = halyard_ir::Type::f32(self.code.at.context());
        let float = self.code.vector(float);
        if value.ty() == float {
            return value;
        }
        let how = if value.ty().element().is_float() { "arith.extf" } else { "arith.sitofp" };
        self.code.pure(how, &[value], float, None)
    }

    /// Sums as the convolution has them.
    pub(super) fn as_sums(&mut self, bytes: Option<&ByteFactors>, sum: Value) -> Value {
        if bytes.is_none() {
            return sum;
        }
        let int = self.code.int(32);
        let int = self.code.vector(int);
        self.code.pure("arith.fptosi", &[sum], int, None)
    }
}
