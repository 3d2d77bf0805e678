//! Stores a command's input and output as files: after a failure, or on request.
//!
//! Each call has a folder: `stdin.mlir`, `stdout.mlir`, `stderr`, and `replay`, a script that runs it again. A reply
//! that exceeds the limit is cut, and the file `stdout-is-cut` records that.
use crate::{Command, Request};
use halyard_diag::{Error, Result, quote};
use halyard_exec::{Finished, Scratch};
use std::{
    cell::OnceCell,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The most bytes of a reply that are kept unless files are requested.
const MOST: usize = 64 << 20;

/// The folder of all calls of one action.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Made when something is kept, unless people name it.
    root: OnceCell<PathBuf>,
    always: bool,
}

impl Kept {
    /// Makes a folder: `name` in the one that the user names, or a temporary one. Fails if it cannot be created.
    pub(crate) fn new(folder: Option<&Path>, name: &str) -> Result<Self> {
        let kept = Self { root: OnceCell::new(), always: folder.is_some() };
        if let Some(folder) = folder {
            let root = folder.join(name);
            fs::create_dir_all(&root).map_err(|e| Error::io("make", &root, &e))?;
            kept.root.get_or_init(|| root);
        }
        Ok(kept)
    }

    /// Makes a folder for failures. Fails if it cannot be created.
    pub(crate) fn of_failures(folder: Option<&Path>) -> Result<Self> {
        Ok(Self { always: false, ..Self::new(folder, "")? })
    }

    /// Returns the folder, which is not removed.
    fn root(&self) -> Result<&Path> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let made = Scratch::new("preprocess")?.keep();
        Ok(self.root.get_or_init(|| made))
    }

    /// Whether the files of successful calls are kept, too.
    pub(crate) fn always(&self) -> bool {
        self.always
    }

    /// Returns the name of a successful call's reply for messages: its file, or a description if there is none.
    pub(crate) fn reply(&self, command: &Command, request: &Request) -> String {
        let words = || format!("<reply of `{}` for {}>", command.name(), request.name);
        let kept = self.root.get().filter(|_| self.always);
        kept.map_or_else(words, |root| stdout(&root.join(&request.file), request).display().to_string())
    }

    /// The file of a reply that is not good, and will be kept. Errors: there can be none.
    pub(crate) fn stdout(&self, request: &Request) -> Result<String> {
        Ok(stdout(&self.root()?.join(&request.file), request).display().to_string())
    }

    /// Writes the files of a call, which stay. Errors: they cannot be written.
    pub(crate) fn write(&self, command: &Command, request: &Request, finished: &Finished) -> Result<PathBuf> {
        let folder = self.root()?.join(&request.file);
        fs::create_dir_all(&folder).map_err(|e| Error::io("make", &folder, &e))?;
        let write = |path: PathBuf, bytes: &[u8]| fs::write(&path, bytes).map_err(|e| Error::io("write", &path, &e));
        let stdin = format!("stdin.{}", request.suffix);
        write(folder.join(&stdin), &request.stdin)?;
        let whole = &finished.stdout;
        let kept = if self.always { whole } else { whole.get(..MOST).unwrap_or(whole) };
        write(stdout(&folder, request), kept)?;
        if kept.len() < whole.len() {
            let words = format!(
                "the reply had {} bytes; the file beside this one has the first {} of them\n",
                whole.len(),
                kept.len()
            );
            write(folder.join("stdout-is-cut"), words.as_bytes())?;
        }
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

fn stdout(folder: &Path, request: &Request) -> PathBuf {
    folder.join(format!("stdout.{}", request.replies.unwrap_or(request.suffix)))
}

/// Returns a one-line command that repeats the call, from any folder.
fn script(command: &Command, request: &Request, stdin: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let variables: String =
        command.variables(request).map(|(name, value)| format!("{name}={} ", quote(value))).collect();
    format!(
        "#!/bin/sh\n{{ cd {} && {variables}exec sh -c {}; }} <\"$(dirname \"$0\")\"/{stdin}\n",
        quote(&here.display().to_string()),
        quote(&command.line)
    )
}
