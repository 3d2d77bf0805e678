//! Memory for tensors whose size is known only at run time: reference-counted blocks that are reused.
use crate::device::{Device, DeviceRange};
use halyard_diag::Result;

/// A block that no call used this many times in a row is given back.
const KEEP_CALLS: u64 = 8;
/// States of fewer bytes than this get no room to grow.
const LEAST_ROOM: u64 = 4096;

#[derive(Debug)]
struct Block {
    span: DeviceRange,
    users: u32,
    /// The number of states that held the block when the call began; it stays unchanged while pinned, because the call
    /// may fail.
    pins: u32,
    /// Whether it was written since it was pinned.
    written: bool,
    /// Whether a state has held it.
    of_state: bool,
    last_call: u64,
}

/// The blocks of an instance.
#[derive(Debug, Default)]
pub(crate) struct BufferPool {
    blocks: Vec<Option<Block>>,
    call: u64,
}

impl BufferPool {
    /// A block of at least that size, with one user: its number and the range asked for.
    pub(crate) fn take(&mut self, bytes: u64, device: &mut dyn Device) -> Result<(u32, DeviceRange)> {
        let fits =
            |b: &Block| b.users == 0 && b.pins == 0 && b.span.bytes >= bytes && b.span.bytes / 4 <= bytes.max(1024);
        let best = (0..self.blocks.len())
            .filter(|&i| self.blocks[i].as_ref().is_some_and(fits))
            .min_by_key(|&i| self.blocks[i].as_ref().map_or(0, |b| b.span.bytes));
        let number = match best {
            Some(i) => i,
            None => {
                let bytes = self.with_room(bytes);
                let span = device.allocate(bytes)?;
                let block = Block { span, users: 0, pins: 0, written: false, of_state: false, last_call: 0 };
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
        Ok((number as u32, DeviceRange { bytes, ..block.span }))
    }

    /// Returns the bytes to allocate for a tensor: more than it needs if a state that grows with each call would
    /// otherwise be reallocated each time.
    fn with_room(&self, bytes: u64) -> u64 {
        let outgrown = |b: &Block| b.of_state && b.span.bytes < bytes && bytes / 2 <= b.span.bytes;
        let grows = bytes >= LEAST_ROOM && self.blocks.iter().flatten().any(outgrown);
        if grows { bytes.saturating_add(bytes / 4) } else { bytes }
    }

    /// A state held the block when the call began: it is not used for anything else before [`BufferPool::unpin`].
    pub(crate) fn pin(&mut self, number: u32) {
        if let Some(block) = &mut self.blocks[number as usize] {
            block.written &= block.pins > 0;
            block.pins += 1;
            block.of_state = true;
        }
    }

    /// The call has ended for one of the states that held it. Says whether it was written since.
    pub(crate) fn unpin(&mut self, number: u32) -> bool {
        self.blocks[number as usize].as_mut().is_some_and(|block| {
            block.pins -= 1;
            block.written
        })
    }

    /// The only user of the block is about to write it.
    pub(crate) fn write(&mut self, number: u32) {
        if let Some(block) = &mut self.blocks[number as usize] {
            block.written = true;
        }
    }

    /// Adds a user of a block.
    pub(crate) fn share(&mut self, number: u32) {
        if let Some(block) = &mut self.blocks[number as usize] {
            block.users += 1;
        }
    }

    /// Removes a user of a block.
    pub(crate) fn release(&mut self, number: u32) {
        if let Some(block) = &mut self.blocks[number as usize] {
            block.users -= 1;
        }
    }

    /// Whether a block has only one user.
    pub(crate) fn is_unique(&self, number: u32) -> bool {
        self.blocks[number as usize].as_ref().is_some_and(|b| b.users == 1)
    }

    /// Frees blocks that calls no longer use.
    pub(crate) fn end_call(&mut self, device: &mut dyn Device) {
        self.call += 1;
        for slot in &mut self.blocks {
            if let Some(block) = slot.take_if(|b| b.users == 0 && b.pins == 0 && b.last_call + KEEP_CALLS < self.call) {
                device.free(block.span);
            }
        }
    }
}
