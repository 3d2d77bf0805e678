//! Bytes that are computed and need not stay in memory: they lie in mapped files without names.
use crate::map_file;
use bytes::Bytes;
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    ops::Range,
    os::unix::fs::FileExt,
    sync::{Arc, Mutex, PoisonError},
};

/// Bytes that are computed, in a mapped file without a name: they need not stay in memory.
pub fn spilled(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Bytes> {
    let mut file = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    write(&mut file)?;
    map_file(&file.into_inner().map_err(io::IntoInnerError::into_error)?)
}

/// Up to this many bytes stay in memory; more go to a file without a name.
const HELD: usize = 32 << 20;

/// Some bytes, zeros at first, that are filled. Many of them need not stay in memory: they lie in a mapped file without a name.
pub fn filled(length: usize, fill: impl FnOnce(&mut [u8])) -> Bytes {
    let file =
        (length > HELD).then(|| tempfile::tempfile().and_then(|file| file.set_len(length as u64).map(|()| file)));
    if let Some(Ok(file)) = file
        && has_room(&file, length)
        // SAFETY: no other code has access to the file.
        && let Ok(mut map) = unsafe { memmap2::MmapMut::map_mut(&file) }
    {
        fill(&mut map);
        return map_file(&file).unwrap_or_else(|_| Bytes::copy_from_slice(&map));
    }
    let mut bytes = vec![0; length];
    fill(&mut bytes);
    bytes.into()
}

/// Makes sure that the system has room for all of a file: writing to a map of one that it has not would end this process.
fn has_room(file: &File, length: usize) -> bool {
    use std::os::fd::AsRawFd;
    // SAFETY: a system call on an open file.
    libc::off_t::try_from(length).is_ok_and(|length| unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } == 0)
}

/// Many computed pieces of bytes, from any thread: the first of them stay in memory, the others go to one file without a name; where
/// there is no room for that, they stay in memory as well.
#[derive(Debug, Default)]
pub struct Spill(Mutex<Ends>);

#[derive(Debug, Default)]
struct Ends {
    /// The bytes in memory.
    held: usize,
    /// The bytes of the file that belong to a piece.
    end: usize,
    /// The file, once it is needed.
    file: Option<Arc<File>>,
}

/// A piece that a [`Spill`] keeps.
#[derive(Debug)]
pub struct Kept(Place);

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    File(Range<usize>),
}

impl Spill {
    /// Keeps a piece.
    pub fn keep(&self, piece: Vec<u8>) -> Kept {
        // Each range is written once, and several at a time.
        match self.range(piece.len()) {
            Some((file, range)) if file.write_all_at(&piece, range.start as u64).is_ok() => Kept(Place::File(range)),
            _ => Kept(Place::Memory(piece)),
        }
    }

    /// A range of the file for so many bytes; `None` if they are to stay in memory.
    fn range(&self, length: usize) -> Option<(Arc<File>, Range<usize>)> {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.held + length <= HELD {
            ends.held += length;
            return None;
        }
        if ends.file.is_none() {
            ends.file = Some(Arc::new(tempfile::tempfile().ok()?));
        }
        let start = ends.end;
        ends.end += length;
        Some((ends.file.clone()?, start..start + length))
    }

    /// Returns a function that gives the bytes of the pieces. Errors: the file cannot be mapped.
    pub fn finish(self) -> io::Result<impl Fn(Kept) -> Bytes> {
        let ends = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let map = ends.file.map_or_else(|| Ok(Bytes::new()), |file| map_file(&file))?;
        Ok(move |kept: Kept| match kept.0 {
            Place::Memory(piece) => piece.into(),
            Place::File(range) => map.slice(range),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_or_spilled_has_its_bytes() {
        let large = filled(HELD + 1, |out| out[HELD] = 3);
        assert!(large[HELD] == 3 && large[..HELD].iter().all(|b| *b == 0));
        assert_eq!(filled(3, |out| out[0] = 1)[..], [1, 0, 0]);
        assert_eq!(spilled(|out| out.write_all(&[8; 100])).unwrap()[..], [8; 100]);
    }

    #[test]
    fn pieces_come_back_from_memory_and_file() {
        let spill = Spill::default();
        let piece = |i: u8| vec![i; (HELD >> 2) + i as usize];
        let kept: Vec<Kept> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..12)
                .map(|i| {
                    let (spill, piece) = (&spill, &piece);
                    scope.spawn(move || spill.keep(piece(i)))
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let in_memory = kept.iter().filter(|k| matches!(k.0, Place::Memory(_))).count();
        assert_eq!(in_memory, 3, "a quarter of the limit, and a little");
        let bytes = spill.finish().unwrap();
        for (i, kept) in kept.into_iter().enumerate() {
            assert!(bytes(kept)[..] == piece(i as u8));
        }
        let empty = Spill::default();
        let kept = empty.keep(Vec::new());
        assert!(empty.finish().unwrap()(kept).is_empty());
    }
}
