//! Shared parts of the writers of C, CUDA and GLSL: text, types, positions, scalar arithmetic, shapes.

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

/// The scope of an expression: the values that it may use.
pub(crate) trait Scope {
    /// Returns the text that is being written.
    fn text(&mut self) -> &mut Text;

    /// A scalar. Errors: it was not written.
    fn value(&self, value: Value) -> Result<String, String>;

    /// Sets the name of a scalar.
    fn bind(&mut self, value: Value, name: String);

    /// Returns the sizes of a tensor.
    fn shape(&self, tensor: Value) -> Result<Shape, String>;

    /// Writes an element of a tensor.
    fn extract(&mut self, tensor: Value, index: &[String]) -> Result<String, String>;

    /// The variable of a loop around, outermost first.
    fn loop_variable(&self, dim: usize) -> Option<String>;

    /// Defines a variable for a value.
    fn define(&mut self, prefix: &str, ty: Type, value: &str) -> Result<String, String> {
        let text = self.text();
        let name = text.fresh(prefix);
        let variable = text.language.variable(ty, true)?;
        text.line(format!("{variable} {name} = {value};"));
        Ok(name)
    }

    /// Returns the names of scalars, in order.
    fn values(&self, values: &[Value]) -> Result<Vec<String>, String> {
        values.iter().map(|v| self.value(*v)).collect()
    }
}
