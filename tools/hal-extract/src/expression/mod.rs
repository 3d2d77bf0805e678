//! What the writers of C, CUDA and GLSL share: text, types, positions, arithmetic on scalars, shapes.

pub(crate) mod constant;
pub(crate) mod helper;
pub(crate) mod index;
pub(crate) mod language;
pub(crate) mod scalar;
pub(crate) mod shape;
pub(crate) mod text;

use halyard_ir::{Type, Value};
use index::Shape;
use text::Text;

/// What an expression stands among: the values that it may name.
pub(crate) trait Scope {
    /// The text that grows.
    fn text(&mut self) -> &mut Text;

    /// A scalar. Errors: it was not written.
    fn value(&self, value: Value) -> Result<String, String>;

    /// Says what a scalar is called.
    fn bind(&mut self, value: Value, name: String);

    /// The sizes of a tensor.
    fn shape(&self, tensor: Value) -> Result<Shape, String>;

    /// An element of a tensor.
    fn extract(&mut self, tensor: Value, index: &[String]) -> Result<String, String>;

    /// The variable of a loop around, outermost first.
    fn loop_variable(&self, dim: usize) -> Option<String>;

    /// Gives a value a name.
    fn define(&mut self, prefix: &str, ty: Type, value: &str) -> Result<String, String> {
        let text = self.text();
        let name = text.fresh(prefix);
        let variable = text.language.variable(ty, true)?;
        text.line(format!("{variable} {name} = {value};"));
        Ok(name)
    }

    /// Scalars, in order.
    fn values(&self, values: &[Value]) -> Result<Vec<String>, String> {
        values.iter().map(|v| self.value(*v)).collect()
    }
}
