//! Memory for tensors whose size is known at run time only: counted blocks that are used again.
use crate::device::{Device, Span};
use halyard_diag::Result;

/// A block that no call used this many times in a row is given back.
const KEEP_CALLS: u64 = 8;

#[derive(Debug)]
struct Block {
    span: Span,
    users: u32,
    last_call: u64,
}

/// The blocks of an instance.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Option<Block>>,
    call: u64,
}

impl Blocks {
    /// A block of at least that size, with one user: its number and the range asked for.
    pub(crate) fn take(&mut self, bytes: u64, device: &mut dyn Device) -> Result<(u32, Span)> {
        let fits = |b: &Block| b.users == 0 && b.span.bytes >= bytes && b.span.bytes / 4 <= bytes.max(1024);
        let best = (0..self.blocks.len())
            .filter(|&i| self.blocks[i].as_ref().is_some_and(fits))
            .min_by_key(|&i| self.blocks[i].as_ref().map_or(0, |b| b.span.bytes));
        let number = match best {
            Some(i) => i,
            None => {
                let block = Block { span: device.allocate(bytes)?, users: 0, last_call: 0 };
                let hole = self.blocks.iter().position(Option::is_none);
                match hole {
                    Some(i) => self.blocks[i] = Some(block),
                    None => self.blocks.push(Some(block)),
                }
                hole.unwrap_or(self.blocks.len() - 1)
            }
        };
        let block = self.blocks[number].as_mut().expect("just found or made");
        block.users = 1;
        block.last_call = self.call;
        Ok((number as u32, Span { bytes, ..block.span }))
    }

    /// One more user.
    pub(crate) fn share(&mut self, number: u32) {
        if let Some(block) = &mut self.blocks[number as usize] {
            block.users += 1;
        }
    }

    /// One user less.
    pub(crate) fn release(&mut self, number: u32) {
        if let Some(block) = &mut self.blocks[number as usize] {
            block.users -= 1;
        }
    }

    /// Whether a block has one user only.
    pub(crate) fn is_unique(&self, number: u32) -> bool {
        self.blocks[number as usize].as_ref().is_some_and(|b| b.users == 1)
    }

    /// Gives back what calls no longer use.
    pub(crate) fn end_call(&mut self, device: &mut dyn Device) {
        self.call += 1;
        for slot in &mut self.blocks {
            if let Some(block) = slot.take_if(|b| b.users == 0 && b.last_call + KEEP_CALLS < self.call) {
                device.free(block.span);
            }
        }
    }
}
