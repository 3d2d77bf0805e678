//! Where the time of a kernel goes: a timer interrupts it, and the instructions that it was at are counted.
//!
//! [`halyard_runtime::TimeSampler`] collects places, [`code`] reads the instructions around them.
mod code;

use code::Instruction;
use serde::{Deserialize, Serialize};

/// As many instructions are told.
const TOLD: usize = 6;
/// Fewer samples say nothing.
const ENOUGH: usize = 40;

/// An instruction of a kernel that takes much of its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HotSpot {
    /// Which part of the kernel's time it takes.
    pub share: f64,
    /// Its place in the kernel, in bytes.
    pub offset: u64,
    /// The instruction; empty if it is of another function, which the kernel calls.
    pub instruction: String,
    /// The place of the first instruction of its basic block.
    pub block: u64,
    /// Which part of the kernel's time the block takes.
    pub block_share: f64,
}

/// The hottest instructions, hottest first, of places that were sampled; none if there are too few. `address` and `size` are those of the kernel in
/// this process.
pub(super) fn hottest(places: &[usize], address: usize, size: usize) -> Vec<HotSpot> {
    if places.len() < ENOUGH || size == 0 {
        return Vec::new();
    }
    let offsets: Vec<u64> =
        places.iter().filter(|p| (address..address + size).contains(p)).map(|p| (p - address) as u64).collect();
    hot_spots(&offsets, places.len(), &code::instructions(address, size))
}

/// The same of places in a kernel; `all` counts those outside, too.
fn hot_spots(offsets: &[u64], all: usize, code: &[Instruction]) -> Vec<HotSpot> {
    let mut counts = vec![0usize; code.len()];
    for offset in offsets {
        let at = code.partition_point(|i| i.offset <= *offset);
        if let Some(count) = at.checked_sub(1).and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }
    let share = |count: usize| count as f64 / all as f64;
    let mut found: Vec<HotSpot> = Vec::new();
    let mut first = 0;
    for at in 0..code.len() {
        if code[at].begins_block {
            first = at;
        }
        if counts[at] == 0 {
            continue;
        }
        let last = (at + 1..code.len()).find(|&i| code[i].begins_block).unwrap_or(code.len());
        found.push(HotSpot {
            share: share(counts[at]),
            offset: code[at].offset,
            instruction: code[at].text.clone(),
            block: code[first].offset,
            block_share: share(counts[first..last].iter().sum()),
        });
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.offset.cmp(&b.offset)));
    found.truncate(TOLD);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_belong_to_instructions_and_blocks() {
        let code = |offset, begins_block| Instruction { offset, text: format!("i{offset}"), begins_block };
        let code = [code(0, true), code(4, true), code(7, false), code(9, true)];
        let hot = hot_spots(&[5, 7, 8, 8, 9, 0], 10, &code);
        let shown: Vec<(u64, f64, u64, f64)> =
            hot.iter().map(|h| (h.offset, h.share, h.block, h.block_share)).collect();
        assert_eq!(shown, [(7, 0.3, 4, 0.4), (0, 0.1, 0, 0.1), (4, 0.1, 4, 0.4), (9, 0.1, 9, 0.1)]);
    }
}
