//! What the forms of convolutions are built of.
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value};

/// The sizes of a tensor, if all are known.
pub(super) fn sizes(value: Value) -> Option<Vec<i64>> {
    value.ty().shape().into_iter().collect()
}

/// A size that only a run knows.
pub(super) const OPEN: i64 = i64::MIN;

/// The sizes of a tensor, if all are known but the first, which may be [`OPEN`].
pub(super) fn sizes_of_images(value: Value) -> Option<Vec<i64>> {
    let shape = value.ty().shape();
    let (images, others) = shape.split_first()?;
    [Some(images.unwrap_or(OPEN))].into_iter().chain(others.iter().copied()).collect()
}

/// The rows and columns of an image whose own are not known, as it is judged: those of the middle layers of a network.
pub(super) const USUAL: i64 = 28;

/// The sizes of a tensor; those that only a run knows are [`OPEN`].
pub(super) fn open_sizes(value: Value) -> Vec<i64> {
    value.ty().shape().into_iter().map(|size| size.unwrap_or(OPEN)).collect()
}

/// The sizes of a filled tensor that only a run knows, in order.
pub(super) fn unknown_sizes_of(filled: Value) -> Option<Vec<Value>> {
    let empty = filled.def().filter(|d| d.is("linalg.fill"))?.operand(1).def()?;
    empty.is("tensor.empty").then(|| empty.operands())
}

/// Whether a tensor is zero everywhere.
pub(super) fn is_zero(value: Value) -> bool {
    value.def().filter(|d| d.is("linalg.fill")).is_some_and(|d| is_constant_zero(d.operand(0)))
}

/// Whether a number is the constant zero, of floats or of integers.
fn is_constant_zero(number: Value) -> bool {
    number.constant_attr().is_some_and(|v| v.as_float() == Some(0.0) || v.as_int() == Some(0))
}

/// Whether a `tensor.pad` of static amounts pads with zeros.
pub(super) fn pads_with_zeros(pad: Op) -> bool {
    let amounts = |name: &str| pad.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    let fixed = |name: &str| !amounts(name).is_empty() && amounts(name).iter().all(|v| *v >= 0);
    let yielded = pad.body().and_then(|b| b.terminator()).map(|end| end.operand(0));
    pad.operand_count() == 1 && fixed("static_low") && fixed("static_high") && yielded.is_some_and(is_constant_zero)
}

/// Where operations go.
pub(super) struct Site {
    pub(super) at: Builder,
    /// The type of the elements.
    pub(super) elem: Type,
    /// The sizes of the result that only a run knows, in order.
    pub(super) open: Vec<Value>,
}

impl Site {
    pub(super) fn tensor(&self, shape: &[i64]) -> Type {
        let shape: Vec<Option<i64>> = shape.iter().map(|n| (*n != OPEN).then_some(*n)).collect();
        Type::tensor(&shape, self.elem)
    }

    /// A tensor to write into. Of its sizes `open` has those that only a run knows.
    pub(super) fn empty(&self, shape: &[i64], open: &[Value]) -> Value {
        self.at.value("tensor.empty", open, self.tensor(shape), &[])
    }

    /// A tensor with zeros around it.
    pub(super) fn padded(&self, source: Value, low: &[i64], high: &[i64], shape: &[i64]) -> Value {
        let context = self.at.context();
        let block = Block::create(&vec![Type::index(context); low.len()], self.at.loc);
        let inside = Builder::at_end(block, self.at.loc);
        let zero = if self.elem.is_integer() { Attr::integer(self.elem, 0) } else { Attr::float(self.elem, 0.0) };
        let zero = inside.constant(zero);
        inside.op("tensor.yield", &[zero], &[], &[]);
        let region = Region::create();
        region.append(block);
        let attrs = [
            ("static_low", Attr::i64s(context, low)),
            ("static_high", Attr::i64s(context, high)),
            ("operandSegmentSizes", Attr::i32s(context, &[1, 0, 0])),
        ];
        self.at.op_with_regions("tensor.pad", &[source], &[self.tensor(shape)], &attrs, vec![region]).result(0)
    }

    /// A `linalg.generic` of `loops.0` parallel and `loops.1` reduction loops that sums products of its inputs.
    pub(super) fn sum_of_products(
        &self,
        inputs: &[Value],
        maps: &[&str],
        loops: (usize, usize),
        (shape, open): (&[i64], &[Value]),
    ) -> Value {
        self.at.sum_of_products(inputs, maps, loops, self.empty(shape, open)).result(0)
    }
}
