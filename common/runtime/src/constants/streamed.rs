//! Weights that kernels read from the first byte to the last in each call, in large pages: with those of a mapped file, most of the time
//! of reading them is the time of finding pages.
use super::mapped::Mapped;
use crate::{ALIGNMENT, AlignedBytes, commands::HostProgram, memory::LARGE_PAGE};
use std::collections::BTreeSet;

/// The layouts that are read that way.
const STREAMED: [&str; 3] = ["block_panels", "row_panels", "column_panels"];

/// Copies such weights into one piece of memory, if they fill several large pages, and says where they are then. The pages of the file that
/// they come from go back to the system. Where there is no memory, they stay where they are.
pub(super) fn into_large_pages(
    host_program: &HostProgram,
    archives: &[(String, Mapped)],
    spans: &mut [(usize, usize)],
) -> Option<AlignedBytes> {
    let forms = host_program.weights.iter().flat_map(|w| &w.forms);
    let streamed: BTreeSet<usize> = forms
        .filter(|f| f.layout.as_deref().is_some_and(|name| STREAMED.contains(&name)))
        .map(|f| f.constant as usize)
        .filter(|constant| spans[*constant].1 > 0)
        .collect();
    let total: usize = streamed.iter().map(|&c| spans[c].1.next_multiple_of(ALIGNMENT)).sum();
    if total < 2 * LARGE_PAGE {
        return None;
    }
    let mut memory = AlignedBytes::try_zeroed(total)?;
    let mut at = 0;
    for constant in streamed {
        let (address, bytes) = spans[constant];
        // SAFETY: spans lie in what lives as long as all constants, which nobody writes.
        let from = unsafe { std::slice::from_raw_parts(address as *const u8, bytes) };
        for (from, to) in from.chunks(LARGE_PAGE).zip(memory[at..at + bytes].chunks_mut(LARGE_PAGE)) {
            to.copy_from_slice(from);
            archives.iter().for_each(|(_, mapped)| mapped.release(from));
        }
        spans[constant].0 = memory[at..].as_ptr() as usize;
        at += bytes.next_multiple_of(ALIGNMENT);
    }
    Some(memory)
}
