//! Hashes of contents that may be large.
use std::{
    fs::File,
    io,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Bytes that one thread hashes at a time.
const CHUNK: usize = 8 << 20;
/// Threads at most: memory gives no more.
const THREADS: usize = 8;

/// A hash of bytes, in hex digits: that of the BLAKE3 hashes of their chunks, which several threads compute. Pages of a mapped
/// file do not stay in memory.
pub fn content_digest(bytes: &[u8]) -> String {
    let chunks: Vec<&[u8]> = bytes.chunks(CHUNK).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(chunks.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((i, chunk)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, chunks.get(i)?)))
        {
            let mut hasher = blake3::Hasher::new();
            halyard_cli::in_pieces(chunk, |piece| {
                hasher.update(piece);
            });
            done.push((i, hasher.finalize()));
        }
        done
    };
    let mut hashes = thread::scope(|scope| {
        // Fewer threads take longer.
        let started = (1..cores).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = started.collect();
        let mut hashes = work();
        others.into_iter().for_each(|thread| hashes.extend(thread.join().expect("hashing does not fail")));
        hashes
    });
    hashes.sort_unstable_by_key(|(i, _)| *i);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hashes.iter().for_each(|(_, hash)| {
        hasher.update(hash.as_bytes());
    });
    hasher.finalize().to_hex().to_string()
}

/// The hash of a file's content, as [`content_digest`] makes it. Errors: it cannot be read.
pub fn file_digest(path: &Path) -> io::Result<String> {
    halyard_cli::map_file(&File::open(path)?).map(|bytes| content_digest(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_counts() {
        let bytes: Vec<u8> = (0..CHUNK * 2 + 5).map(|i| (i % 253) as u8).collect();
        let whole = content_digest(&bytes);
        assert_eq!(whole, content_digest(&bytes.clone()));
        for at in [0, CHUNK - 1, CHUNK, 2 * CHUNK, bytes.len() - 1] {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_ne!(content_digest(&other), whole, "byte {at}");
        }
        assert_ne!(content_digest(&bytes[..CHUNK]), content_digest(&bytes[..CHUNK - 1]));
        assert_ne!(content_digest(b""), content_digest(b"\0"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(file_digest(&path).unwrap(), whole);
    }
}
