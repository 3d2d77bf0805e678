//! Kernel families: bodies of a known form whose kernels are laid out as a whole, beside the generic emitter, which
//! takes everything else loop nest by loop nest. A family recognises its form in the graph and emits the kernel; what
//! follows the form (bias, residual, activation) is materialized point by point like anything else, see
//! [`crate::emit::materialize`].

mod blocking;
mod direct;
mod dots;
mod forms;
mod matmul;
mod pixels;
mod pool;
mod transforms;
mod transposed;
mod winograd;

use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::emit::memory::Memory;
pub use dots::DotProducts;
use halyard_ir::Value;

impl Emitter<'_> {
    /// Emits the kernel of a family, if the body is of one; says which and with what parameters.
    pub(crate) fn family(&mut self, returned: &[Value], memories: &[Memory], tied: bool) -> Supported<Option<String>> {
        if tied {
            return Ok(None);
        }
        let roots = returned.iter().map(|&v| self.id(v)).collect::<Supported<Vec<_>>>()?;
        if let Some(pool) = self.pooling(&roots) {
            return match self.choices.begin_family("pooling") {
                true => Ok(Some(self.pool(&pool, memories)?)),
                false => Ok(None),
            };
        }
        let ([value], [memory]) = (returned, memories) else { return Ok(None) };
        let root = self.id(*value)?;
        if let Some(winograd) = self.winograd(root) {
            return match self.choices.begin_family("winograd") {
                true => Ok(Some(self.filter(&winograd, memory)?)),
                false => Ok(None),
            };
        }
        if let Some(direct) = self.direct(root) {
            return match self.choices.begin_family("direct_convolution") {
                true => Ok(Some(self.convolve(&direct, memory)?)),
                false => Ok(None),
            };
        }
        match self.dotted(root) {
            Some(dots) if self.choices.begin_family("short_product") => Ok(Some(self.multiply_short(&dots, memory)?)),
            _ => Ok(None),
        }
    }

    /// The units of work, of so many, that this workgroup does.
    fn share_of(&mut self, units: i64) -> (Index, Index) {
        let groups = self.chosen_workgroups(units.min(self.target.cpu.workgroups.most_of_family), Some(units));
        self.workgroups.push(Index::constant(groups));
        if groups == 1 {
            return (Index::ZERO, Index::constant(units));
        }
        let (id, of) = self.workgroup();
        let bound = |this: &mut Self, id: Index| {
            let scaled = this.code.mul(id, Index::constant(units));
            this.code.divide("arith.divui", scaled, of)
        };
        (bound(self, id), bound(self, id.plus(1)))
    }
}
