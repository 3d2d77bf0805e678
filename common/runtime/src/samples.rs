//! Hashes samples of a file: this identifies one of many large files without reading all of it.

/// The number of samples, spread over the file; the end of the file is one more.
const PLACES: u64 = 64;
/// The bytes of each sample.
const LENGTH: u64 = 4096;

/// The hash of a file of that size. Its contents are given piece by piece.
pub fn samples<'a>(size: u64, pieces: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let step = (size / PLACES).next_multiple_of(LENGTH).max(LENGTH);
    let tail = size.saturating_sub(LENGTH);
    let (mut spread, mut end) = (blake3::Hasher::new(), blake3::Hasher::new());
    spread.update(&size.to_le_bytes());
    let mut start = 0;
    for piece in pieces {
        let stop = start + piece.len() as u64;
        let part = |from: u64, to: u64| {
            let (from, to) = (from.clamp(start, stop), to.clamp(start, stop));
            &piece[(from - start) as usize..(to - start) as usize]
        };
        for place in start / step..=stop / step {
            spread.update(part(place * step, place * step + LENGTH));
        }
        end.update(part(tail, size));
        start = stop;
    }
    spread.update(end.finalize().as_bytes());
    spread.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::samples;

    #[test]
    fn it_does_not_matter_how_a_file_is_cut() {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let whole = samples(bytes.len() as u64, [&bytes[..]]);
        for cut in [1, 4095, 4096, 100_000, 2_999_999] {
            assert_eq!(samples(bytes.len() as u64, bytes.chunks(cut)), whole, "{cut}");
        }
        assert_eq!(samples(0, [&[][..]]), samples(0, []));
    }

    #[test]
    fn other_bytes_at_either_end_are_noticed() {
        let bytes = vec![7u8; 1_000_001];
        let whole = samples(bytes.len() as u64, [&bytes[..]]);
        for at in [0, 4095, 1_000_000] {
            let mut other = bytes.clone();
            other[at] = 8;
            assert_ne!(samples(other.len() as u64, [&other[..]]), whole, "{at}");
        }
    }
}
