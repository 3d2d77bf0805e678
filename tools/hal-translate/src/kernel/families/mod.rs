//! Kernel families: bodies of a known form whose kernels are laid out as a whole, beside the generic emitter, which
//! takes everything else loop nest by loop nest. A family recognises its form in the graph and emits the kernel; what
//! follows the form (bias, residual, activation) is pulled point by point like anything else, see [`super::pull`].

mod filtering;
mod forms;
mod product;
mod transforms;

use super::Emitter;
use super::code::Emitted;
use super::memory::Memory;
use halyard_ir::Value;

impl Emitter<'_> {
    /// Emits the kernel of a family, if the body is of one; says which and with what parameters.
    pub(crate) fn family(&mut self, returned: &[Value], memories: &[Memory], tied: bool) -> Emitted<Option<String>> {
        let ([value], [memory], false) = (returned, memories, tied) else { return Ok(None) };
        let root = self.id(*value)?;
        match self.filtering(root) {
            Some(filtering) => Ok(Some(self.filter(&filtering, memory)?)),
            None => Ok(None),
        }
    }
}
