//! Packs the filters of convolutions.
use super::WeightLayout;
use crate::Filtering;
use half::f16;

const BLOCK: usize = WeightLayout::BLOCK as usize;

/// Numbers of f32 or f16 as f32.
pub(super) fn singles(element: &str, bytes: &[u8]) -> Vec<f32> {
    match element {
        "f16" => bytes.chunks_exact(2).map(|b| f16::from_le_bytes(b.try_into().expect("two bytes")).to_f32()).collect(),
        _ => bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect(),
    }
}

/// 3×3 filters `[K, C, 3, 3]`, transformed, as `[tile, tile, K/BLOCK, C, BLOCK]` of f32.
pub(super) fn transformed(filtering: &Filtering, [filters, depth]: [usize; 2], model: &[f32]) -> Vec<u8> {
    let plane = filters.div_ceil(BLOCK) * depth * BLOCK;
    let mut out = vec![[0u8; 4]; filtering.tile() * filtering.tile() * plane];
    each_transformed(filtering, depth, model, |point, block, channel, values| {
        let places = &mut out[point * plane + (block * depth + channel) * BLOCK..][..values.len()];
        places.iter_mut().zip(values).for_each(|(to, value)| *to = (*value as f32).to_le_bytes());
    });
    out.into_flattened()
}

/// 3×3 filters `[K, C, 3, 3]` of bytes, transformed for tiles of 2×2 outputs and times four, as `[4, 4, K/BLOCK, C/2, BLOCK, 2]` of i16:
/// exactly, since the elements of `2 G` are integers.
pub(super) fn transformed_words([filters, depth]: [usize; 2], bytes: &[u8]) -> Vec<u8> {
    let model: Vec<f32> = bytes.iter().map(|b| f32::from(*b as i8)).collect();
    let pairs = depth.div_ceil(2);
    let plane = filters.div_ceil(BLOCK) * pairs * BLOCK * 2;
    let mut out = vec![[0u8; 2]; 16 * plane];
    each_transformed(&Filtering::TWO, depth, &model, |point, block, channel, values| {
        let first = point * plane + (block * pairs + channel / 2) * BLOCK * 2 + channel % 2;
        let places = out[first..].iter_mut().step_by(2);
        places.zip(values).for_each(|(to, value)| *to = ((4.0 * value) as i16).to_le_bytes());
    });
    out.into_flattened()
}

/// Transforms 3×3 filters `[K, C, 3, 3]`. `put` has the point of a tile, a block, a channel, and the values of the block's filters.
fn each_transformed(
    filtering: &Filtering,
    depth: usize,
    model: &[f32],
    mut put: impl FnMut(usize, usize, usize, &[f64]),
) {
    let tile = filtering.tile();
    for (number, block) in model.chunks((BLOCK * depth * 9).max(1)).enumerate() {
        for channel in 0..depth {
            // The filters of a block are the lanes of what follows.
            let mut taps = [[0f64; BLOCK]; 9];
            for (lane, filter) in block.chunks_exact(depth * 9).enumerate() {
                let nine = &filter[channel * 9..][..9];
                taps.iter_mut().zip(nine).for_each(|(lanes, tap)| lanes[lane] = f64::from(*tap));
            }
            let lanes = block.len() / (depth * 9);
            for p in 0..tile {
                let row: [[f64; BLOCK]; 3] = std::array::from_fn(|s| {
                    weighted(&filtering.filter[p * 3..], [&taps[s], &taps[3 + s], &taps[6 + s]])
                });
                for q in 0..tile {
                    let values = weighted(&filtering.filter[q * 3..], [&row[0], &row[1], &row[2]]);
                    put(p * tile + q, number, channel, &values[..lanes]);
                }
            }
        }
    }
}

/// The sum of three rows of lanes times three weights, from the first to the last.
fn weighted(weights: &[f64], rows: [&[f64; BLOCK]; 3]) -> [f64; BLOCK] {
    std::array::from_fn(|lane| weights[0] * rows[0][lane] + weights[1] * rows[1][lane] + weights[2] * rows[2][lane])
}

/// Filters `[K, taps]` of elements of two or four bytes, where the taps are `[C, H, W]`, as `[K/BLOCK, taps, BLOCK]`.
pub(super) fn blocks(filters: usize, taps: usize, width: usize, bytes: &[u8]) -> Vec<u8> {
    match width {
        2 => blocks_of::<2>(filters, taps, bytes),
        _ => blocks_of::<4>(filters, taps, bytes),
    }
}

fn blocks_of<const WIDTH: usize>(filters: usize, taps: usize, bytes: &[u8]) -> Vec<u8> {
    /// So many taps of all filters of a block are moved at once: what is read and what is written then stay in the cache.
    const TAPS: usize = 16;
    let size = (taps * BLOCK).max(1);
    let mut out = vec![[0u8; WIDTH]; filters.div_ceil(BLOCK) * taps * BLOCK];
    for (block, rows) in out.chunks_exact_mut(size).zip(bytes.as_chunks().0.chunks(size)) {
        for from in (0..taps).step_by(TAPS) {
            for (filter, row) in rows.chunks_exact(taps).enumerate() {
                let places = block[from * BLOCK + filter..].iter_mut().step_by(BLOCK);
                places.zip(&row[from..taps.min(from + TAPS)]).for_each(|(to, element)| *to = *element);
            }
        }
    }
    out.into_flattened()
}

/// Filters `[K, C, taps]` of bytes, where the taps are `[H, W]`, as `[K/BLOCK, C/group, taps, BLOCK, group]`.
pub(super) fn byte_blocks([filters, channels, taps]: [usize; 3], group: usize, bytes: &[u8]) -> Vec<u8> {
    let block = channels.div_ceil(group) * taps * BLOCK * group;
    let mut out = vec![0u8; filters.div_ceil(BLOCK) * block];
    for (row, line) in bytes.chunks_exact(taps.max(1)).enumerate() {
        let (filter, channel) = (row / channels, row % channels);
        let first =
            filter / BLOCK * block + (channel / group * taps * BLOCK + filter % BLOCK) * group + channel % group;
        let places = out[first..].iter_mut().step_by(BLOCK * group);
        places.zip(line).for_each(|(to, byte)| *to = *byte);
    }
    out
}

/// Filters `[K, C, taps]` of bytes, where the taps are `[H, W]`, as `[K/BLOCK, taps, C/group, BLOCK, group]`.
pub(super) fn byte_tap_blocks([filters, channels, taps]: [usize; 3], group: usize, bytes: &[u8]) -> Vec<u8> {
    let groups = channels.div_ceil(group);
    let block = taps * groups * BLOCK * group;
    let mut out = vec![0u8; filters.div_ceil(BLOCK) * block];
    for (row, line) in bytes.chunks_exact(taps.max(1)).enumerate() {
        let (filter, channel) = (row / channels, row % channels);
        let first = filter / BLOCK * block + (channel / group * BLOCK + filter % BLOCK) * group + channel % group;
        let places = out[first..].iter_mut().step_by(groups * BLOCK * group);
        places.zip(line).for_each(|(to, byte)| *to = *byte);
    }
    out
}

/// Filters `[K, C, taps]` of bytes, where the taps are `[H, W]`, as `[K, taps, C]`.
pub(super) fn channels_last([filters, channels, taps]: [usize; 3], bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0u8; filters * channels * taps];
    for (i, byte) in bytes.iter().enumerate() {
        let (filter, channel, tap) = (i / (channels * taps), i / taps % channels, i % taps);
        out[(filter * taps + tap) * channels + channel] = *byte;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(bytes: &[u8]) -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn bytes(floats: &[f32]) -> Vec<u8> {
        floats.iter().flat_map(|f| f.to_le_bytes()).collect()
    }

    #[test]
    fn channels_become_the_last_dimension() {
        // Two filters of three channels with two taps each.
        let model: Vec<u8> = (0..12).collect();
        assert_eq!(channels_last([2, 3, 2], &model), [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]);
        assert_eq!(WeightLayout::ChannelsLast.packed_shape(&[2, 3, 1, 2], "i8"), Some(vec![2, 1, 2, 3]));
    }

    #[test]
    fn channels_of_a_tap_follow_each_other() {
        // 33 filters of five channels with two taps each: the last block has one filter, the last group one channel.
        let model: Vec<u8> = (0..330u32).map(|i| (i % 251) as u8 + 1).collect();
        let (layout, shape) = (WeightLayout::ByteTapBlocks, [33, 5, 1, 2]);
        assert_eq!(layout.packed_shape(&shape, "i8"), Some(vec![2, 1, 2, 2, 32, 4]));
        let packed = layout.pack(&shape, "i8", &model);
        for (filter, channel, tap) in (0..33).flat_map(|f| (0..5).flat_map(move |c| [(f, c, 0), (f, c, 1)])) {
            let at = (((filter / 32 * 2 + tap) * 2 + channel / 4) * 32 + filter % 32) * 4 + channel % 4;
            assert_eq!(packed[at], model[(filter * 5 + channel) * 2 + tap], "{filter} {channel} {tap}");
        }
        assert_eq!(packed.iter().filter(|b| **b != 0).count(), model.len());
        let both = [&model[..], &model].concat();
        assert_eq!(layout.pack(&[2, 33, 5, 1, 2], "i8", &both), [&packed[..], &packed].concat());
    }

    #[test]
    fn channels_of_a_filter_stand_side_by_side_in_fours_or_pairs() {
        // 33 filters of five channels with two taps each: the last block has one filter, the last group one channel.
        let model: Vec<u8> = (0..330u32).map(|i| (i % 251) as u8 + 1).collect();
        let shape = [33, 5, 1, 2];
        for (group, groups) in [(4, 2), (2, 3)] {
            let layout = WeightLayout::byte_blocks(group as u64).expect("a layout");
            assert_eq!(layout.packed_shape(&shape, "i8"), Some(vec![2, groups as u64, 1, 2, 32, group as u64]));
            let packed = layout.pack(&shape, "i8", &model);
            assert_eq!(packed.len(), 2 * groups * 2 * 32 * group);
            for (filter, channel, tap) in (0..33).flat_map(|f| (0..5).flat_map(move |c| [(f, c, 0), (f, c, 1)])) {
                let at = (((filter / 32 * groups + channel / group) * 2 + tap) * 32 + filter % 32) * group;
                let expected = model[(filter * 5 + channel) * 2 + tap];
                assert_eq!(packed[at + channel % group], expected, "{filter} {channel} {tap}");
            }
            assert_eq!(packed.iter().filter(|b| **b != 0).count(), model.len());
            let [of_group, twice] = [[2, 33, 5, 1, 2], [2, 2, groups as u64, 1, 2]];
            assert_eq!(layout.packed_shape(&of_group, "i8").expect("a shape")[..5], twice);
            assert_eq!(layout.packed_shape(&shape, "f32"), None);
            let both = [&model[..], &model].concat();
            assert_eq!(layout.pack(&of_group, "i8", &both), [&packed[..], &packed].concat());
        }
        assert_eq!(WeightLayout::byte_blocks(3), None);
    }

    #[test]
    fn blocks_are_filled_up_with_zeros() {
        let model: Vec<f32> = (0..66).map(|i| i as f32 + 1.0).collect();
        let packed = floats(&blocks(33, 2, 4, &bytes(&model)));
        assert_eq!(packed.len(), 2 * 2 * BLOCK);
        for filter in 0..33 {
            for tap in 0..2 {
                let at = (filter / BLOCK * 2 + tap) * BLOCK + filter % BLOCK;
                assert_eq!(packed[at], model[filter * 2 + tap]);
            }
        }
        assert_eq!(packed.iter().filter(|v| **v == 0.0).count(), packed.len() - model.len());
    }

    /// One output of a tile, computed in its form, is the sum over the window.
    #[test]
    fn blocks_of_any_size_have_each_element_once() {
        for (filters, taps) in [(1, 1), (33, 17), (64, 16), (5, 40)] {
            let model: Vec<u8> = (0..filters * taps * 4).map(|i| (i * 7 + i / 251) as u8).collect();
            for width in [2, 4] {
                let (taps, packed) = (taps * 4 / width, blocks(filters, taps * 4 / width, width, &model));
                assert_eq!(packed.len(), filters.div_ceil(BLOCK) * taps * BLOCK * width);
                for (i, element) in packed.chunks(width).enumerate() {
                    let (filter, tap) = (i / (taps * BLOCK) * BLOCK + i % BLOCK, i / BLOCK % taps);
                    let from = (filter * taps + tap) * width;
                    let wanted = if filter < filters { &model[from..from + width] } else { &[0; 4][..width] };
                    assert_eq!(element, wanted, "{filters}, {taps}, {width}: {i}");
                }
            }
        }
    }

    #[test]
    fn transformed_filters_give_the_sums_of_windows() {
        for filtering in [&Filtering::TWO, &Filtering::FOUR] {
            let (m, tile) = (filtering.m, filtering.tile());
            let filter: Vec<f32> = (0..9).map(|i| (i as f32 - 3.5) / 4.0).collect();
            let image: Vec<f32> = (0..tile * tile).map(|i| ((i * 7 % 11) as f32 - 5.0) / 8.0).collect();
            let packed = floats(&transformed(filtering, [1, 1], &filter));
            let u = |p: usize, q: usize| f64::from(packed[(p * tile + q) * BLOCK]);
            let product = |p: usize, q: usize| -> f64 {
                let mut sum = 0.0;
                for r in 0..tile {
                    for s in 0..tile {
                        let factors = filtering.input[p * tile + r] * filtering.input[q * tile + s];
                        sum += f64::from(factors * image[r * tile + s]);
                    }
                }
                sum * u(p, q)
            };
            for (y, x) in (0..m).flat_map(|y| (0..m).map(move |x| (y, x))) {
                let mut got = 0.0;
                for (p, q) in (0..tile).flat_map(|p| (0..tile).map(move |q| (p, q))) {
                    got += f64::from(filtering.output[y * tile + p] * filtering.output[x * tile + q]) * product(p, q);
                }
                let wanted: f64 = (0..9).map(|i| f64::from(filter[i] * image[(y + i / 3) * tile + x + i % 3])).sum();
                assert!((got - wanted).abs() < 1e-5, "F({m}×{m}): {got} instead of {wanted}");
            }
        }
    }

    #[test]
    fn groups_are_packed_one_by_one() {
        // Two groups of three filters with one channel and two taps each.
        let model: Vec<u16> = (1..13).collect();
        let bytes: Vec<u8> = model.iter().flat_map(|n| n.to_le_bytes()).collect();
        let packed = WeightLayout::FilterBlocks.pack(&[2, 3, 1, 1, 2], "f16", &bytes);
        let at = |group: usize, tap: usize, filter: usize| {
            let at = ((group * 2 + tap) * BLOCK + filter) * 2;
            u16::from_le_bytes([packed[at], packed[at + 1]])
        };
        assert_eq!(packed.len(), 2 * 2 * BLOCK * 2);
        for (group, filter, tap) in [(0, 0, 0), (0, 2, 1), (1, 0, 0), (1, 1, 1)] {
            assert_eq!(at(group, tap, filter), model[(group * 3 + filter) * 2 + tap]);
        }
        assert_eq!(at(1, 1, 3), 0);
    }

    #[test]
    fn halves_are_transformed_as_what_they_are() {
        let model: Vec<f32> = (0..18).map(|i| (i as f32 - 7.5) / 4.0).collect();
        let halves: Vec<u8> = model.iter().flat_map(|v| f16::from_f32(*v).to_le_bytes()).collect();
        let of = |element, model: &[u8]| WeightLayout::Winograd4.pack(&[2, 1, 3, 3], element, model);
        assert_eq!(of("f16", &halves), of("f32", &bytes(&model)));
    }

    #[test]
    fn transformed_bytes_are_words_four_times_as_large() {
        // 33 filters of three channels: the last block has one filter, the last pair one channel.
        let model: Vec<u8> = (0..33 * 3 * 9).map(|i: u32| (i * 37 % 256) as u8).collect();
        let [layout, floats_of] = [WeightLayout::Winograd2Words, WeightLayout::Winograd2];
        assert_eq!(layout.packed_shape(&[33, 3, 3, 3], "i8"), Some(vec![4, 4, 2, 2, 32, 2]));
        assert_eq!((layout.packed_shape(&[33, 3, 3, 3], "f32"), layout.packed_element("i8")), (None, "i16"));
        let packed = layout.pack(&[33, 3, 3, 3], "i8", &model);
        let words: Vec<i16> = packed.as_chunks().0.iter().map(|b| i16::from_le_bytes(*b)).collect();
        let singles: Vec<f32> = model.iter().map(|b| f32::from(*b as i8)).collect();
        let expected = floats(&floats_of.pack(&[33, 3, 3, 3], "f32", &bytes(&singles)));
        assert_eq!(words.len(), 16 * 2 * 2 * 32 * 2);
        for (at, word) in words.iter().enumerate() {
            let (point, block, pair, lane, one) = (at / 256, at / 128 % 2, at / 64 % 2, at / 2 % 32, at % 2);
            let channel = pair * 2 + one;
            let value = if channel < 3 { expected[((point * 2 + block) * 3 + channel) * 32 + lane] } else { 0.0 };
            assert_eq!(f32::from(*word), 4.0 * value, "{at}");
        }
        // The largest sum of nine bytes.
        let least = WeightLayout::Winograd2Words.pack(&[1, 1, 3, 3], "i8", &[128; 9]);
        assert!(least.as_chunks().0.iter().any(|b| i16::from_le_bytes(*b) == -1152));
    }

    #[test]
    fn layouts_are_for_the_filters_of_convolutions() {
        assert_eq!(WeightLayout::Winograd4.packed_shape(&[33, 5, 3, 3], "f32"), Some(vec![6, 6, 2, 5, 32]));
        assert_eq!(WeightLayout::Winograd2.packed_shape(&[33, 5, 1, 3], "f32"), None);
        assert_eq!(WeightLayout::Winograd2.packed_shape(&[33, 5, 3, 3], "bf16"), None);
        assert_eq!(WeightLayout::Winograd2.packed_shape(&[2, 33, 5, 3, 3], "f32"), None);
        assert_eq!(WeightLayout::Winograd2.packed_shape(&[33, 5, 3, 3], "f16"), Some(vec![4, 4, 2, 5, 32]));
        assert_eq!(WeightLayout::Winograd2.packed_element("f16"), "f32");
        assert_eq!(WeightLayout::FilterBlocks.packed_shape(&[3, 33, 5, 1, 2], "f16"), Some(vec![3, 2, 5, 1, 2, 32]));
        assert_eq!(WeightLayout::FilterBlocks.packed_element("f16"), "f16");
        assert_eq!(WeightLayout::FilterBlocks.packed_shape(&[33, 5, 1], "f32"), None);
        assert_eq!(WeightLayout::FilterBlocks.packed_shape(&[1 << 41, 1 << 20, 1, 1], "f32"), None);
        assert_eq!(WeightLayout::of_name("winograd4"), Ok(WeightLayout::Winograd4));
        assert_eq!(
            WeightLayout::of_name("winograd"),
            Err("unknown layout `winograd` (did you mean `winograd2`, `winograd2_words` or `winograd4`?); there are `winograd2`, `winograd4`, `winograd2_words`, `filter_blocks`, `channels_last`, `byte_blocks`, `byte_tap_blocks`, `byte_row_panels`, `byte_column_panels`, `byte_pair_blocks`, `byte_pair_row_panels`, `byte_pair_column_panels`, `block_panels`, `row_panels`, `column_panels`".into())
        );
    }
}
