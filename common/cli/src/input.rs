//! Reading inputs.
use halyard_diag::{Error, Result};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// The bytes of an input.
#[derive(Debug)]
pub struct Input {
    /// What messages call it: the path as given, or `<stdin>`.
    pub name: String,
    /// The path, unless it is standard input.
    pub path: Option<PathBuf>,
    /// The contents; never empty.
    pub bytes: Vec<u8>,
}

/// Reads a file, or standard input for `-`. An empty input is an error: the previous stage of the pipe died.
pub fn read_input(path: &Path) -> Result<Input> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::io("read", "<stdin>", &e))?;
        if bytes.is_empty() {
            return Err(Error::input("the input is empty")
                .in_file("<stdin>")
                .code("empty-input")
                .hint("did the previous command of the pipe fail?"));
        }
        return Ok(Input { name: "<stdin>".into(), path: None, bytes });
    }
    let bytes = fs::read(path).map_err(|e| Error::io("read", path, &e))?;
    crate::depend_on(path);
    if bytes.is_empty() {
        return Err(Error::input("the input is empty")
            .in_file(path.display().to_string())
            .code("empty-input")
            .hint("was the file written completely?"));
    }
    Ok(Input { name: path.display().to_string(), path: Some(path.to_owned()), bytes })
}
