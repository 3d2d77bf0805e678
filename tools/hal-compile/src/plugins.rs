//! Adds plugins to a reproducer: their folders, and the flags that enable them there.
use halyard_diag::{Error, Result};
use halyard_plugins::Active;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The folder for them in the package.
const FOLDER: &str = "inputs/plugin-folders";

/// A file: its name in the package, its contents, whether it is a program.
type File = (String, Vec<u8>, bool);

/// The flags and the files. Errors: a file of a plugin that cannot be read.
pub(crate) fn packed(plugins: &Active) -> Result<(Vec<String>, Vec<File>)> {
    let mut files = Vec::new();
    for (name, folder) in plugins.folders() {
        add(&folder, &format!("{FOLDER}/{name}"), &mut files)?;
    }
    let path = (!files.is_empty()).then(|| format!("--plugin-path={FOLDER}"));
    Ok((path.into_iter().chain(plugins.words()).collect(), files))
}

/// Adds what lies in a folder, in the order of names.
fn add(folder: &Path, name: &str, files: &mut Vec<File>) -> Result<()> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|e| Ok(e?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.map_err(|e| Error::io("read", folder, &e))?;
    paths.sort();
    for path in paths {
        let inside = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            add(&path, &inside, files)?;
        } else {
            let bytes = fs::read(&path).map_err(|e| Error::io("read", &path, &e))?;
            let mode = fs::metadata(&path).map_err(|e| Error::io("read", &path, &e))?.permissions().mode();
            files.push((inside, bytes, mode & 0o111 != 0));
        }
    }
    Ok(())
}
