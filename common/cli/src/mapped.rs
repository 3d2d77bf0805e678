//! Large files, mapped into memory, and a way to scan one piece by piece without keeping all of it resident.
use bytes::Bytes;
use memmap2::Mmap;
use std::{
    fs::File,
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Bytes of a mapped file that are scanned at a time.
const PIECE: usize = 8 << 20;

/// The address ranges of all mapped files.
static MAPPED: Mutex<Vec<Place>> = Mutex::new(Vec::new());

/// The address range at which a file is mapped.
struct Place {
    addresses: Range<usize>,
    /// The file, if it holds weights that others may read from it, too.
    weights: Option<PathBuf>,
}

impl Place {
    fn holds(&self, bytes: &[u8]) -> bool {
        let addresses = bytes.as_ptr_range();
        self.addresses.start <= addresses.start.addr() && addresses.end.addr() <= self.addresses.end
    }
}

/// A piece of a weights file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file's path.
    pub path: PathBuf,
    /// The offset of the piece in the file, in bytes.
    pub offset: u64,
    /// The size of the whole file, in bytes.
    pub size: u64,
}

fn mapped() -> MutexGuard<'static, Vec<Place>> {
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mapped file; no longer in the list when it is unmapped.
struct Mapped(Mmap);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let start = self.0.as_ptr().addr();
        mapped().retain(|place| place.addresses.start != start);
    }
}

/// The contents of a file, shared with the system's cache.
pub fn map_file(file: &File) -> io::Result<Bytes> {
    map(file, None)
}

/// Maps a file like [`map_file`] and records it as a file of weights: [`origin`] finds the file of a piece of it.
pub fn map_weights(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    crate::depend_on(path);
    map(&file, Some(path.to_owned()))
}

/// The piece of a weights file that some bytes are, where [`map_weights`] has mapped it.
pub fn origin(bytes: &[u8]) -> Option<Origin> {
    let maps = mapped();
    let place = maps.iter().find(|place| place.weights.is_some() && place.holds(bytes))?;
    let offset = bytes.as_ptr().addr() - place.addresses.start;
    Some(Origin { path: place.weights.clone()?, offset: offset as u64, size: place.addresses.len() as u64 })
}

fn map(file: &File, weights: Option<PathBuf>) -> io::Result<Bytes> {
    if file.metadata()?.len() == 0 {
        return Ok(Bytes::new());
    }
    // SAFETY: read only. Tools replace files instead of writing into them; one that something else cuts short while it is
    // read ends this process, as it would end a linker.
    let map = Mapped(unsafe { Mmap::map(file) }?);
    let start = map.0.as_ptr().addr();
    mapped().push(Place { addresses: start..start + map.0.len(), weights });
    Ok(Bytes::from_owner(map))
}

/// Shows all of some bytes, a piece at a time. Where they are those of a mapped file, the pages of a piece are given back
/// after it: they count as memory of this process otherwise, and weights may be larger than memory. They come back when
/// they are read again.
pub fn in_pieces(bytes: &[u8], mut look: impl FnMut(&[u8])) {
    let never: Result<(), std::convert::Infallible> = try_in_pieces(bytes, |piece| {
        look(piece);
        Ok(())
    });
    let Ok(()) = never;
}

/// Scans bytes as [`in_pieces`] does, and stops at the first error.
pub fn try_in_pieces<E>(bytes: &[u8], mut look: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    bytes.chunks(PIECE).try_for_each(|piece| {
        look(piece)?;
        give_back(piece);
        Ok(())
    })
}

/// Whether the bytes contain a word. Scans them as [`in_pieces`] does.
pub fn contains(bytes: &[u8], word: &[u8]) -> bool {
    let finder = memchr::memmem::Finder::new(word);
    (0..bytes.len()).step_by(PIECE).any(|start| {
        let end = bytes.len().min(start + PIECE);
        // A word may begin in one piece and end in the next.
        let found = finder.find(&bytes[start..bytes.len().min(end + word.len().saturating_sub(1))]).is_some();
        give_back(&bytes[start..end]);
        found
    })
}

/// Where the bytes contain a word, in order. Scans them as [`in_pieces`] does.
pub fn places(bytes: &[u8], word: &[u8]) -> Vec<usize> {
    let finder = memchr::memmem::Finder::new(word);
    let mut found = Vec::new();
    for start in (0..bytes.len()).step_by(PIECE) {
        let end = bytes.len().min(start + PIECE);
        let piece = &bytes[start..bytes.len().min(end + word.len().saturating_sub(1))];
        found.extend(finder.find_iter(piece).map(|at| start + at));
        give_back(&bytes[start..end]);
    }
    found
}

/// Gives pages of a mapped file back to the system; they are read again when they are needed. Other memory stays as it is.
pub fn give_back(piece: &[u8]) {
    let (start, end) = (piece.as_ptr().addr(), piece.as_ptr().addr() + piece.len());
    // Held while pages are returned, so that no other thread unmaps the file and maps something else there.
    let maps = mapped();
    if !maps.iter().any(|place| place.holds(piece)) {
        return;
    }
    // SAFETY: a system call that gives a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let (first, last) = (start.next_multiple_of(page), end - end % page);
    if first < last {
        // SAFETY: whole pages of a file that is mapped to be read only: they are read from the file again when needed.
        unsafe { libc::madvise(std::ptr::with_exposed_provenance_mut(first), last - first, libc::MADV_DONTNEED) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn all_bytes_are_seen_and_stay() {
        let mut file = tempfile::tempfile().unwrap();
        let contents: Vec<u8> = (0..PIECE + 12345).map(|i| (i % 251) as u8).collect();
        file.write_all(&contents).unwrap();
        let bytes = map_file(&file).unwrap();
        assert_eq!(mapped().iter().filter(|p| p.addresses.start == bytes.as_ptr().addr()).count(), 1);
        for source in [&bytes[..], &bytes[100..], &contents[..]] {
            let mut seen = Vec::new();
            in_pieces(source, |piece| seen.extend_from_slice(piece));
            assert!(seen == source);
        }
        let mut marked = contents.clone();
        marked[PIECE - 2..PIECE + 2].copy_from_slice(b"\xff\xfe\xfd\xfc");
        assert!(
            contains(&marked, b"\xff\xfe\xfd\xfc") && contains(&marked, b"\xfd\xfc") && !contains(&marked, b"\xff\xfd")
        );
        assert!(
            !contains(&bytes, b"\xff") && contains(&bytes, &contents[contents.len() - 250..]) && !contains(b"", b"a")
        );
        assert_eq!(places(&marked, b"\xfe\xfd"), [PIECE - 1]);
        assert_eq!(places(b"abcabab", b"ab"), [0, 3, 5]);
        // Given back, not lost.
        assert!(bytes[..] == contents[..]);
        let start = bytes.as_ptr().addr();
        drop(bytes);
        assert!(mapped().iter().all(|p| p.addresses.start != start));
    }

    #[test]
    fn pieces_of_weights_are_known_again() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[7; 100]).unwrap();
        let weights = map_weights(file.path()).unwrap();
        let found = origin(&weights[40..60]).unwrap();
        assert_eq!((found.path.as_path(), found.offset, found.size), (file.path(), 40, 100));
        let mut other = tempfile::tempfile().unwrap();
        other.write_all(&[8; 100]).unwrap();
        let other = map_file(&other).unwrap();
        assert!(other[..] == [8; 100] && origin(&other).is_none() && origin(b"elsewhere").is_none());
    }
}
