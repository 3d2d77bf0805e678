//! Writes outputs atomically: a file is complete or not changed.
use crate::{OutputArgs, closed, patient::Patient, unnamed::Unnamed};
use halyard_diag::{Error, Result, says_absent};
use std::{
    fs,
    io::{self, IsTerminal, Seek, Write},
    path::Path,
};

/// Writes MLIR. Errors: bytecode to a terminal without `-f`; what [`write_output`] says.
pub fn write_ir(args: &OutputArgs, bytes: &[u8], is_bytecode: bool) -> Result<()> {
    if is_bytecode && !args.force && args.output == Path::new("-") && std::io::stdout().is_terminal() {
        return Err(Error::usage("bytecode is not written to a terminal")
            .code("bytecode-to-terminal")
            .hint("`-o FILE` writes it to a file, `--emit=text` shows text, `-f` writes it all the same"));
    }
    write_output(&args.output, bytes)
}

/// Writes to a file atomically, or to standard output for `-`.
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<()> {
    if path == Path::new("-") { write_stdout(bytes) } else { write_atomically(path, bytes) }
}

/// Writes to standard output. Errors: it is closed, or full.
pub(crate) fn write_stdout(bytes: &[u8]) -> Result<()> {
    let mut out = Patient(std::io::stdout().lock());
    let written = closed::writable().and_then(|()| out.write_all(bytes)).and_then(|()| out.flush());
    written.map_err(|e| Error::io("write", "<stdout>", &e))
}

/// Writes beside the target and renames, so that a failed run leaves the old file. A target that is not a regular file
/// (a pipe, `/dev/null`) is written directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    write_pieces_atomically(path, [bytes])
}

/// Writes a file like [`write_atomically`], from contents in several pieces.
pub fn write_pieces_atomically<'a>(path: &Path, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
    let fail = |e: std::io::Error| Error::io("write", path, &e);
    // What cannot be looked at may be a pipe, which a file must not take the place of.
    let there = match fs::metadata(path) {
        Ok(about) => Some(about),
        Err(e) if says_absent(&e) => None,
        Err(e) => return Err(fail(e)),
    };
    if there.as_ref().is_some_and(|about| !about.is_file()) {
        let mut file = fs::OpenOptions::new().write(true).open(path).map_err(fail)?;
        return pieces.into_iter().try_for_each(|p| crate::try_in_pieces(p, |p| file.write_all(p))).map_err(fail);
    }
    let write = |file: &mut fs::File| {
        pieces.into_iter().try_for_each(|p| crate::try_in_pieces(p, |p| write_with_holes(file, p)))?;
        // A hole at the end is nothing so far.
        let end = file.stream_position()?;
        file.set_len(end)
    };
    let folder = folder_of(path);
    // A permission of the old file, or what a new file gets: a temporary file is private.
    let mode = there.map_or_else(default_permissions, |about| about.permissions());
    if let Some(mut file) = Unnamed::new(folder) {
        write(&mut file.file).and_then(|()| file.file.set_permissions(mode)).map_err(fail)?;
        return file.persist(path).map_err(fail);
    }
    let mut file = tempfile::Builder::new().prefix(".hal-").tempfile_in(folder).map_err(fail)?;
    write(file.as_file_mut()).map_err(fail)?;
    file.as_file().set_permissions(mode).map_err(fail)?;
    file.persist(path).map_err(|e| fail(e.error))?;
    Ok(())
}

/// Makes a file that nobody sees before it is whole. Returns whether it did: a file of that name stays as it is.
pub fn create_atomically(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let is_there = |e: io::Error| if e.kind() == io::ErrorKind::AlreadyExists { Ok(false) } else { Err(e) };
    let folder = folder_of(path);
    if let Some(mut file) = Unnamed::new(folder) {
        file.file.write_all(bytes)?;
        file.file.set_permissions(default_permissions())?;
        match file.name(path) {
            Ok(()) => return Ok(true),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            // Some file systems have unnamed files and give them no name.
            Err(_) => {}
        }
    }
    let mut file = tempfile::Builder::new().prefix(".hal-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(default_permissions())?;
    file.persist_noclobber(path).map(|_| true).or_else(|e| is_there(e.error))
}

/// Returns the folder of a file; `.` if its path names none.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Turns this many zero bytes into a hole of the file.
const HOLE: usize = 64 << 10;

/// Writes to a file. Long runs of zeros are left out where that makes a hole, which reads as zeros and takes no room.
fn write_with_holes(file: &mut fs::File, bytes: &[u8]) -> io::Result<()> {
    static ZEROS: [u8; HOLE] = [0; HOLE];
    let is_zero = |chunk: &[u8]| *chunk == ZEROS;
    let mut rest = bytes;
    while !rest.is_empty() {
        let zeros = HOLE * rest.chunks(HOLE).take_while(|c| is_zero(c)).count();
        if zeros > 0 && file.seek_relative(zeros as i64).is_err() {
            file.write_all(&rest[..zeros])?;
        }
        rest = &rest[zeros..];
        let data: usize = rest.chunks(HOLE).take_while(|c| !is_zero(c)).map(<[u8]>::len).sum();
        file.write_all(&rest[..data])?;
        rest = &rest[data..];
    }
    Ok(())
}

fn default_permissions() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    // SAFETY: umask only swaps a number; it is put back at once.
    let mask = unsafe {
        let mask = libc::umask(0o022);
        libc::umask(mask);
        mask
    };
    fs::Permissions::from_mode(0o666 & !mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_file_that_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        assert!(create_atomically(&path, b"first").unwrap() && !create_atomically(&path, b"second").unwrap());
        assert!(fs::read(&path).unwrap() == b"first" && fs::read_dir(&folder).unwrap().count() == 1);
        assert!(create_atomically(&folder.path().join("no/x"), b"").is_err());
    }

    #[test]
    fn zeros_take_no_room_and_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut bytes = vec![0u8; 40 * HOLE + 5];
        bytes[3 * HOLE + 7] = 1;
        bytes[20 * HOLE - 1] = 2;
        for end in [bytes.len(), 40 * HOLE, 3 * HOLE, 0] {
            write_pieces_atomically(&path, [&bytes[..end.min(5)], &bytes[end.min(5)..end]]).unwrap();
            assert!(fs::read(&path).unwrap() == bytes[..end]);
        }
        write_atomically(&path, &bytes).unwrap();
        assert!(fs::metadata(&path).unwrap().blocks() * 512 < 10 * HOLE as u64);
    }
}
