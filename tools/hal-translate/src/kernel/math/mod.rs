//! Functions of `math` as code of their own, for scalars and vectors alike.

use super::Emitter;
use halyard_ir::Value;

impl Emitter<'_> {
    /// A function as inline code; `None` if it is left to LLVM or to the C library.
    pub(crate) fn expand_math(&mut self, _name: &str, _operands: &[Value]) -> Option<Value> {
        None
    }
}
