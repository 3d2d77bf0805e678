//! What a command was given and what it wrote, as files: for failures, and for people who ask for it.
//!
//! A folder for each call: `stdin.mlir`, `stdout.mlir`, `stderr`, and `replay`, a script that runs it again.
use super::{Command, Request};
use halyard_diag::{Error, Result, quote};
use halyard_exec::{Finished, Scratch};
use std::{
    cell::RefCell,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The folder of all calls of one action.
#[derive(Debug)]
pub(crate) struct Kept {
    root: PathBuf,
    /// Goes away unless something is kept in it.
    scratch: RefCell<Option<Scratch>>,
    always: bool,
}

impl Kept {
    /// In a folder that people name (with `name` below it), or in a temporary one. Errors: it cannot be made.
    pub(crate) fn new(folder: Option<&Path>, name: &str) -> Result<Self> {
        match folder {
            Some(folder) => {
                let root = folder.join(name);
                fs::create_dir_all(&root).map_err(|e| Error::io("make", &root, &e))?;
                Ok(Self { root, scratch: RefCell::default(), always: true })
            }
            None => {
                let scratch = Scratch::new("preprocess")?;
                Ok(Self { root: scratch.path().to_owned(), scratch: RefCell::new(Some(scratch)), always: false })
            }
        }
    }

    /// Whether the files of calls that went well are kept, too.
    pub(crate) fn always(&self) -> bool {
        self.always
    }

    /// The folder of a call.
    pub(crate) fn folder(&self, request: &Request) -> PathBuf {
        self.root.join(&request.file)
    }

    /// What messages call the reply of a call that went well: its file, or words where there is none.
    pub(crate) fn reply(&self, command: &Command, request: &Request) -> String {
        let words = || format!("<reply of `{}` for {}>", command.name(), request.name);
        if self.always { self.stdout(request).display().to_string() } else { words() }
    }

    /// Where the standard output of a call is or would be.
    pub(crate) fn stdout(&self, request: &Request) -> PathBuf {
        self.folder(request).join(format!("stdout.{}", request.suffix))
    }

    /// Writes the files of a call, which stay. Errors: they cannot be written.
    pub(crate) fn write(&self, command: &Command, request: &Request, finished: &Finished) -> Result<PathBuf> {
        if let Some(scratch) = self.scratch.borrow_mut().take() {
            scratch.keep();
        }
        let folder = self.folder(request);
        fs::create_dir_all(&folder).map_err(|e| Error::io("make", &folder, &e))?;
        let write = |path: PathBuf, bytes: &[u8]| fs::write(&path, bytes).map_err(|e| Error::io("write", &path, &e));
        let stdin = format!("stdin.{}", request.suffix);
        write(folder.join(&stdin), &request.stdin)?;
        write(self.stdout(request), &finished.stdout)?;
        let mut stderr = Vec::new();
        if finished.stderr.dropped() > 0 {
            stderr.extend_from_slice(format!("… {} bytes before …\n", finished.stderr.dropped()).as_bytes());
        }
        stderr.extend_from_slice(finished.stderr.bytes());
        write(folder.join("stderr"), &stderr)?;
        let replay = folder.join("replay");
        write(replay.clone(), script(command, request, &stdin).as_bytes())?;
        fs::set_permissions(&replay, fs::Permissions::from_mode(0o755))
            .map_err(|e| Error::io("make executable", &replay, &e))?;
        Ok(folder)
    }
}

/// One line that does it again, from any folder.
fn script(command: &Command, request: &Request, stdin: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let variables: String = request.env.iter().map(|(name, value)| format!("{name}={} ", quote(value))).collect();
    format!(
        "#!/bin/sh\n{{ cd {} && {variables}exec sh -c {}; }} <\"$(dirname \"$0\")\"/{stdin}\n",
        quote(&here.display().to_string()),
        quote(&command.line)
    )
}
