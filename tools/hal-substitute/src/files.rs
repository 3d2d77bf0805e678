//! Finds and reads files.
use halyard_cli::read_input;
use halyard_diag::{Error, Result, says_absent};
use halyard_objects::FileFormat;
use std::{
    collections::HashMap,
    fs::{File, Metadata, OpenOptions},
    io::Read,
    os::{
        fd::AsRawFd,
        unix::fs::{FileTypeExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
    rc::Rc,
};

/// A file that is substituted.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The name in messages.
    pub(crate) name: String,
    /// The contents.
    pub(crate) bytes: Rc<Vec<u8>>,
    /// The format, detected from the content.
    pub(crate) kind: FileFormat,
}

/// Reads files; each once, so that two names may share a pipe.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    folders: &'a [PathBuf],
    /// Whether standard input has not been read yet.
    stdin: bool,
    read: HashMap<PathBuf, Source>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(folders: &'a [PathBuf], stdin: bool) -> Self {
        Self { folders, stdin, read: HashMap::new() }
    }

    /// Reads a file, as given or in one of the folders. Errors: it is not there, not a file, or cannot be read.
    pub(crate) fn read(&mut self, given: &Path) -> Result<Source> {
        if let Some(source) = self.read.get(given) {
            return Ok(source.clone());
        }
        let source = if given == Path::new("-") { self.standard_input()? } else { self.file(given)? };
        self.read.insert(given.to_owned(), source.clone());
        Ok(source)
    }

    fn standard_input(&self) -> Result<Source> {
        if !self.stdin {
            return Err(Error::usage("standard input cannot be both the program and a file that replaces something")
                .hint("name the program: `hal-substitute program.mlir NAME=-`"));
        }
        let input = read_input(Path::new("-"))?;
        source(input.name, input.bytes.into())
    }

    fn file(&self, given: &Path) -> Result<Source> {
        let path = self.find(given)?;
        let fail = |e: std::io::Error| Error::io("read", &path, &e);
        // A pipe without a writer would keep us waiting for it to be opened.
        let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        check(&path, &metadata)?;
        wait_for_data(&file);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fail)?;
        halyard_cli::depend_on(&path);
        let name = path.display().to_string();
        if bytes.is_empty() {
            let pipe = metadata.file_type().is_fifo();
            let hint = if pipe { "nobody wrote to this pipe" } else { "was the file written completely?" };
            return Err(Error::input("the file is empty").in_file(name).code("empty-input").hint(hint));
        }
        source(name, bytes)
    }

    fn find(&self, given: &Path) -> Result<PathBuf> {
        let in_folders = self.folders.iter().filter(|_| given.is_relative()).map(|f| f.join(given));
        let candidates: Vec<PathBuf> = std::iter::once(given.to_owned()).chain(in_folders).collect();
        // A link in a circle exists, though it leads nowhere, and so may what cannot be looked at: opening it says so.
        if let Some(found) = candidates.iter().find(|p| !p.symlink_metadata().is_err_and(|e| says_absent(&e))) {
            return Ok(found.clone());
        }
        let error = Error::environment(format!("there is no file `{}`", given.display())).code("missing-file");
        if candidates.len() == 1 {
            return Err(error.hint("`--search-path=FOLDER` names a folder to look in"));
        }
        let tried: Vec<_> = candidates.iter().map(|p| format!("`{}`", p.display())).collect();
        Err(error.note(format!("looked for {}", tried.join(", "))))
    }
}

/// Detects the kind of a file; assembles text of GPU code. Fails if the kind is unknown.
fn source(name: String, bytes: Vec<u8>) -> Result<Source> {
    let (bytes, kind) = halyard_targets::assembled(&name, &format!("`{name}`"), bytes)?;
    Ok(Source { name, bytes: Rc::new(bytes), kind })
}

fn check(path: &Path, metadata: &Metadata) -> Result<()> {
    let kind = metadata.file_type();
    let what = match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () if kind.is_socket() => "a socket",
        () => return Ok(()),
    };
    let error = Error::environment(format!("`{}` is {what}, not a file", path.display())).code("not-a-file");
    Err(if kind.is_dir() { error.hint("`--from=FOLDER` takes files by their names out of a folder") } else { error })
}

/// Makes reading wait for data again, as it does for `<(command)` of shells.
fn wait_for_data(file: &File) {
    // SAFETY: the descriptor is open; only its own flag is changed.
    unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        if flags >= 0 {
            libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK);
        }
    }
}
