//! The sources of executables in the folder of a build graph.
//!
//! A file is written only if it changes, so that only changed executables are translated again. A list of hashes
//! (`sources.b3sum`, as `b3sum` has it) says what was written: a file that differs from it was edited and is kept, unless the
//! model changed it, too.
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result};
use halyard_ir::form::{Executable, escape_symbol, write_standalone};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

const LIST: &str = "sources.b3sum";

/// Writes the sources; returns their file names without the suffix, in order. Errors: a folder that cannot be written; sources
/// that were edited and changed in the model, too.
pub(super) fn write(folder: &Path, executables: &[Executable]) -> Result<Vec<String>> {
    for name in ["sources", "objects"] {
        let path = folder.join(name);
        fs::create_dir_all(&path).map_err(|e| Error::io("make the folder", &path, &e))?;
    }
    let old = read_list(folder)?;
    let mut new = BTreeMap::new();
    let mut contents = Vec::new();
    for &executable in executables {
        let name = escape_symbol(&executable.name()).to_string();
        let text = write_standalone(executable, false);
        let hash = blake3::hash(&text).to_hex().to_string();
        let path = file(folder, "sources", &name);
        let is = match fs::read(&path) {
            Ok(bytes) => Some(blake3::hash(&bytes).to_hex().to_string()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(Error::io("read", &path, &e)),
        };
        let wrote = old.get(&name);
        let edited = is.is_some() && is.as_ref() != Some(&hash) && is.as_ref() != wrote;
        if edited && wrote != Some(&hash) {
            return Err(Error::input(format!("`{}` was edited, and the model changed it, too", path.display()))
                .hint("move it away, write the graph again, and put the edit into the new file"));
        }
        if !edited && is.as_ref() != Some(&hash) {
            contents.push((path, text));
        }
        new.insert(name, hash);
    }
    // Nothing is written before all is known to be right.
    for (path, text) in contents {
        write_atomically(&path, &text)?;
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        for path in ["sources", "objects"].map(|kind| file(folder, kind, name)) {
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::io("remove", &path, &e)),
                _ => {}
            }
        }
    }
    let list: String = new.iter().map(|(name, hash)| format!("{hash}  sources/{name}.mlir\n")).collect();
    write_atomically(&folder.join(LIST), list.as_bytes())?;
    Ok(executables.iter().map(|e| escape_symbol(&e.name()).to_string()).collect())
}

fn file(folder: &Path, kind: &str, name: &str) -> PathBuf {
    folder.join(kind).join(format!("{name}.mlir"))
}

/// The hashes of what was written before, by name.
fn read_list(folder: &Path) -> Result<BTreeMap<String, String>> {
    let path = folder.join(LIST);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(e) => return Err(Error::io("read", &path, &e)),
    };
    let entry = |line: &str| {
        let (hash, file) = line.split_once("  ")?;
        let name = file.strip_prefix("sources/")?.strip_suffix(".mlir").filter(|n| !n.contains('/'))?;
        Some((name.to_owned(), hash.to_owned()))
    };
    text.lines()
        .map(|line| entry(line).ok_or_else(|| Error::input(format!("`{}` is damaged: `{line}`", path.display()))))
        .collect()
}
