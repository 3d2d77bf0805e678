//! The host commands that load and store states.
use super::Machine;
use crate::{
    Tensor,
    commands::{Base, Buffer, Operand, Register},
    states::{Held, lost, name},
};
use halyard_diag::{Error, Result};

impl Machine<'_> {
    pub(crate) fn load_state(&mut self, slot: u32, index: usize, dims: &[Register], take: bool) -> Result<()> {
        let spec = &self.program.host_program.states[index].spec;
        let state = &mut self.states.list[index];
        let Some(held) = &state.holds else {
            return Err(Error::input(format!("the program takes state `{}` twice", name(spec))).code("program-failed"));
        };
        if held.lost {
            return Err(lost(spec));
        }
        let sizes = held.shape.iter().zip(&spec.shape).filter(|(_, fixed)| fixed.is_none()).map(|(&d, _)| d);
        for (&register, size) in dims.iter().zip(sizes) {
            self.frame.registers[register as usize] = size as u64;
        }
        let (span, block) = (held.span, held.block);
        if !take {
            self.blocks.share(block);
        } else if let Some(held) = state.holds.take()
            && state.before.is_none()
        {
            self.blocks.pin(block);
            state.before = Some(held);
        }
        self.hold(slot, span, Some(block));
        Ok(())
    }

    pub(crate) fn store_state(&mut self, index: usize, source: &Buffer, dims: &[Operand]) -> Result<()> {
        let spec = &self.program.host_program.states[index].spec;
        let from = self.resolve(source)?;
        let mut shape = std::mem::take(&mut self.states.list[index].spare);
        shape.clear();
        shape.extend(dims.iter().map(|&d| usize::try_from(self.value(d)).unwrap_or(usize::MAX)));
        let bytes = Tensor::byte_count(spec.dtype, &shape).map(|b| b as u64);
        if !spec.accepts(spec.dtype, &shape) || bytes != Some(from.bytes) {
            let got = crate::shape_text(&shape, spec.dtype);
            return Err(Error::input(format!(
                "state `{}` is `{}`, the program stores `{got}`",
                name(spec),
                spec.type_text()
            ))
            .code("program-failed"));
        }
        let block = if let Base::Slot(slot) = source.base { self.held(slot) } else { None };
        let (span, block) = match block {
            Some(block) => {
                self.blocks.share(block);
                (from, block)
            }
            None => {
                let (block, span) = self.blocks.take(from.bytes, self.device)?;
                if let Err(e) = self.device.copy(from, span) {
                    self.blocks.release(block);
                    return Err(e);
                }
                (span, block)
            }
        };
        let state = &mut self.states.list[index];
        if let Some(old) = state.holds.replace(Held { span, block, shape, lost: false }) {
            if state.before.is_none() {
                self.blocks.pin(old.block);
            }
            self.blocks.release(old.block);
            state.before.get_or_insert(old);
        }
        Ok(())
    }
}
