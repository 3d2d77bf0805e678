//! What the forms of convolutions are built of.
use halyard_ir::{Attr, Builder, Type, Value};

/// The sizes of a tensor, if all are known.
pub(super) fn sizes(value: Value) -> Option<Vec<i64>> {
    value.ty().shape().into_iter().collect()
}

/// Whether a tensor is zero everywhere.
pub(super) fn is_zero(value: Value) -> bool {
    let scalar = value.def().filter(|d| d.is("linalg.fill")).and_then(|d| d.operand(0).def());
    scalar.and_then(|d| d.attr("value")).and_then(Attr::as_float) == Some(0.0)
}

/// Where operations go.
pub(super) struct Site(pub(super) Builder);

impl Site {
    /// A type of f32.
    pub(super) fn tensor(&self, shape: &[i64]) -> Type {
        let shape: Vec<Option<i64>> = shape.iter().map(|n| Some(*n)).collect();
        Type::tensor(&shape, Type::f32(self.0.context()))
    }

    /// A `linalg.generic` of `loops.0` parallel and `loops.1` reduction loops that sums products of its inputs.
    pub(super) fn sum_of_products(
        &self,
        inputs: &[Value],
        maps: &[&str],
        loops: (usize, usize),
        shape: &[i64],
    ) -> Value {
        self.0.sum_of_products(inputs, maps, loops, self.tensor(shape)).result(0)
    }
}
