//! Packs matrices in panels: those that are quantised in blocks, and those of floats.
use super::WeightLayout;

const BLOCK: usize = WeightLayout::BLOCK as usize;

/// Rows of units of so many bytes: the first unit of each of [`BLOCK`] rows, then the second of each.
pub(super) fn rows_together(rows: usize, unit: usize, bytes: &[u8]) -> Vec<u8> {
    let units = bytes.len() / (rows * unit).max(1);
    let mut out = vec![0u8; rows.div_ceil(BLOCK) * BLOCK * units * unit];
    for (row, line) in bytes.chunks_exact((units * unit).max(1)).enumerate() {
        let panel = row / BLOCK * BLOCK * units;
        for (at, from) in line.chunks_exact(unit).enumerate() {
            let to = (panel + at * BLOCK + row % BLOCK) * unit;
            out[to..to + unit].copy_from_slice(from);
        }
    }
    out
}

/// A matrix of so many rows and columns, of elements of so many bytes: [`BLOCK`] columns of all rows, then the next ones.
pub(super) fn columns_together([rows, columns]: [usize; 2], width: usize, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0u8; columns.div_ceil(BLOCK) * rows * BLOCK * width];
    for (row, line) in bytes.chunks_exact((columns * width).max(1)).enumerate() {
        for (panel, part) in line.chunks(BLOCK * width).enumerate() {
            let to = (panel * rows + row) * BLOCK * width;
            out[to..to + part.len()].copy_from_slice(part);
        }
    }
    out
}

/// A matrix of bytes of so many rows and columns: [`BLOCK`] columns, `group` bytes of each side by side.
pub(super) fn bytes_of_columns([rows, columns]: [usize; 2], group: usize, bytes: &[u8]) -> Vec<u8> {
    let panel = rows.div_ceil(group) * BLOCK * group;
    let mut out = vec![0u8; columns.div_ceil(BLOCK) * panel];
    for (row, line) in bytes.chunks_exact(columns.max(1)).enumerate() {
        let first = row / group * BLOCK * group + row % group;
        for (number, part) in line.chunks(BLOCK).enumerate() {
            let places = out[number * panel + first..].iter_mut().step_by(group);
            places.zip(part).for_each(|(to, byte)| *to = *byte);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_rows_and_columns_stand_side_by_side_in_fours_or_pairs() {
        // 33 results of five steps: the second panel has one, the last group one byte of each.
        let (count, steps) = (33, 5);
        let rows: Vec<u8> = (0..count * steps).map(|i| i as u8 + 1).collect();
        let columns: Vec<u8> = (0..count * steps).map(|i| rows[i % count * steps + i / count]).collect();
        for (group, groups) in [(4, 2), (2, 3)] {
            let [of_rows, of_columns] =
                [true, false].map(|rows| WeightLayout::byte_panels(group as u64, rows).expect("a layout"));
            let packed = of_rows.pack(&[33, 5], "i8", &rows);
            let shape = vec![2, groups as u64, 32, group as u64];
            assert_eq!(of_rows.packed_shape(&[33, 5], "i8").as_ref(), Some(&shape));
            assert_eq!(of_columns.packed_shape(&[5, 33], "i8"), Some(shape));
            assert_eq!(of_rows.packed_shape(&[33, 5], "f32"), None);
            for (row, step) in (0..count).flat_map(|r| (0..steps).map(move |s| (r, s))) {
                let at = ((row / 32 * groups + step / group) * 32 + row % 32) * group + step % group;
                assert_eq!(packed[at], rows[row * steps + step], "{row} {step}");
            }
            assert_eq!(packed.iter().filter(|b| **b != 0).count(), count * steps);
            assert_eq!(of_columns.pack(&[5, 33], "i8", &columns), packed);
        }
    }

    #[test]
    fn rows_of_a_panel_stand_side_by_side() {
        // 33 rows of two blocks of eight bytes: the second panel has one row, and zeros.
        let model: Vec<u8> = (0..33 * 16).map(|i| (i % 251) as u8 + 1).collect();
        let shape = [33, 2, 8];
        assert_eq!(WeightLayout::BlockPanels.packed_shape(&shape, "i8"), Some(vec![2, 2, 2, 32, 4]));
        let packed = WeightLayout::BlockPanels.pack(&shape, "i8", &model);
        assert_eq!(packed.len(), 2 * 2 * 2 * 32 * 4);
        for (row, block, byte) in (0..33).flat_map(|r| (0..2).flat_map(move |b| (0..8).map(move |i| (r, b, i)))) {
            let to = (((row / 32 * 2 + block) * 2 + byte / 4) * 32 + row % 32) * 4 + byte % 4;
            assert_eq!(packed[to], model[(row * 2 + block) * 8 + byte], "{row} {block} {byte}");
        }
        assert_eq!(packed.iter().filter(|b| **b == 0).count(), 31 * 16);
    }

    #[test]
    fn scales_of_a_panel_stand_side_by_side() {
        let model: Vec<u8> = (0..3 * 5 * 2).collect();
        let packed = WeightLayout::RowPanels.pack(&[3, 5], "f32", &model);
        assert_eq!(WeightLayout::RowPanels.packed_shape(&[3, 5], "f16"), Some(vec![1, 5, 32]));
        for (row, block) in (0..3).flat_map(|r| (0..5).map(move |b| (r, b))) {
            let (to, from) = ((block * 32 + row) * 2, (row * 5 + block) * 2);
            assert_eq!(packed[to..to + 2], model[from..from + 2]);
        }
        assert_eq!(WeightLayout::RowPanels.packed_shape(&[3, 5], "f64"), None);
        assert_eq!(WeightLayout::BlockPanels.packed_shape(&[3, 5, 2], "i8"), None);
    }

    #[test]
    fn columns_of_a_panel_stand_side_by_side() {
        let model: Vec<u8> = (0..3 * 33 * 2).map(|i| i as u8 + 1).collect();
        let packed = WeightLayout::ColumnPanels.pack(&[3, 33], "f16", &model);
        assert_eq!(WeightLayout::ColumnPanels.packed_shape(&[3, 33], "f16"), Some(vec![2, 3, 32]));
        assert_eq!(packed.len(), 2 * 3 * 32 * 2);
        for (row, column) in (0..3).flat_map(|r| (0..33).map(move |c| (r, c))) {
            let (to, from) = (((column / 32 * 3 + row) * 32 + column % 32) * 2, (row * 33 + column) * 2);
            assert_eq!(packed[to..to + 2], model[from..from + 2], "{row} {column}");
        }
        assert_eq!(packed.iter().filter(|b| **b == 0).count(), 3 * 31 * 2);
        assert_eq!(WeightLayout::ColumnPanels.packed_shape(&[3, 33], "i8"), None);
    }
}
