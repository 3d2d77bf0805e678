//! Reading inputs.
use crate::patient::Patient;
use bytes::Bytes;
use halyard_diag::{Error, Result};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// An input that was read, with its name for messages.
#[derive(Debug)]
pub struct Input {
    /// The name in messages: the path as given, or `<stdin>`.
    pub name: String,
    /// The path, unless it is standard input.
    pub path: Option<PathBuf>,
    /// The contents; never empty. Those of a large file are mapped: clones and slices share them.
    pub bytes: Bytes,
}

/// Regular files of at least this many bytes are mapped instead of read, so that a model with its weights takes no
/// private memory.
const MAPPED: u64 = 4 << 20;

/// Reads a file, or standard input for `-`. An empty input is an error: the previous stage of the pipe died.
pub fn read_input(path: &Path) -> Result<Input> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        Patient(std::io::stdin().lock()).read_to_end(&mut bytes).map_err(|e| Error::io("read", "<stdin>", &e))?;
        if bytes.is_empty() {
            return Err(Error::input("the input is empty")
                .in_file("<stdin>")
                .code("empty-input")
                .hint("did the previous command of the pipe fail?"));
        }
        return Ok(Input { name: "<stdin>".into(), path: None, bytes: bytes.into() });
    }
    let bytes = contents(path).map_err(|e| Error::io("read", path, &e))?;
    crate::depend_on(path);
    if bytes.is_empty() {
        return Err(Error::input("the input is empty")
            .in_file(path.display().to_string())
            .code("empty-input")
            .hint("was the file written completely?"));
    }
    Ok(Input { name: path.display().to_string(), path: Some(path.to_owned()), bytes })
}

fn contents(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() >= MAPPED {
        return crate::map_file(&file);
    }
    fs::read(path).map(Bytes::from)
}
