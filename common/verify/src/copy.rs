//! What MLIR's lowering calls to copy memory between layouts: `memrefCopy` of its runtime library.

/// A memref of any rank: its rank, and a descriptor of pointer, aligned pointer, offset, sizes and strides.
#[repr(C)]
pub(crate) struct Unranked {
    rank: i64,
    descriptor: *const i64,
}

/// Copies all elements, of so many bytes each.
///
/// # Safety
/// Both are live memrefs of the same shape and of elements of that size.
pub(crate) unsafe extern "C" fn memref_copy(size: i64, source: *const Unranked, target: *const Unranked) {
    // SAFETY: the caller's promise.
    unsafe {
        let rank = usize::try_from((*source).rank).unwrap_or(0);
        let (from, to) = ((*source).descriptor, (*target).descriptor);
        let size = size.cast_unsigned() as usize;
        let start = |d: *const i64| (*d.add(1) as *mut u8).wrapping_offset((*d.add(2) * size as i64) as isize);
        let sizes: Vec<i64> = (0..rank).map(|i| *from.add(3 + i)).collect();
        let strides = |d: *const i64| (0..rank).map(|i| *d.add(3 + rank + i)).collect::<Vec<i64>>();
        let (from_strides, to_strides) = (strides(from), strides(to));
        // Bufferization may copy a tile to where it is.
        if sizes.contains(&0) || (start(from) == start(to) && from_strides == to_strides) {
            return;
        }
        let mut place = vec![0i64; rank];
        // Rows that lie in one piece are copied so.
        let row = rank.checked_sub(1).filter(|&d| from_strides[d] == 1 && to_strides[d] == 1);
        let (size, outer) = (row.map_or(size, |d| size * sizes[d].cast_unsigned() as usize), row.unwrap_or(rank));
        let element = row.map_or(size, |d| size / sizes[d].cast_unsigned() as usize);
        loop {
            let at = |strides: &[i64]| {
                place.iter().zip(strides).map(|(p, s)| p * s).sum::<i64>() as isize * element as isize
            };
            std::ptr::copy(
                start(from).wrapping_offset(at(&from_strides)),
                start(to).wrapping_offset(at(&to_strides)),
                size,
            );
            let Some(d) = (0..outer).rev().find(|&d| place[d] + 1 < sizes[d]) else { return };
            place[d] += 1;
            place[d + 1..].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_tile_is_copied() {
        let source = [1i32, 2, 3, 4, 5, 6];
        let mut target = [0i32; 12];
        // A matrix of 2 by 3, into the columns of one of 3 by 4, from element 1 on.
        let from = [0, source.as_ptr() as i64, 0, 2, 3, 3, 1];
        let to = [0, target.as_mut_ptr() as i64, 1, 2, 3, 1, 4];
        let unranked = |d: &[i64; 7]| Unranked { rank: 2, descriptor: d.as_ptr() };
        let (source, destination) = (unranked(&from), unranked(&to));
        // SAFETY: live arrays, which the descriptors describe.
        unsafe { memref_copy(4, &raw const source, &raw const destination) };
        assert_eq!(std::hint::black_box(target), [0, 1, 4, 0, 0, 2, 5, 0, 0, 3, 6, 0]);
    }
}
