//! Writes files to a folder, with a record: users edit them there and substitute them later.
use crate::File;
use halyard_cli::{Printer, write_atomically};
use halyard_diag::{Diagnostic, Error, Result, try_is_file};
use halyard_ir::{
    Session,
    form::{Executable, ExtractionRecord, Written, escape_symbol},
};
use std::{collections::HashMap, fs, path::Path};

/// Writes files into a folder, each whole or not at all. Files there that people edited since they were written are
/// kept, with a warning, unless they may be overwritten. What was written is recorded with the executables that it comes
/// from. Errors: a folder or file that cannot be written, a record that is damaged.
pub fn write_files(
    session: &Session,
    folder: &Path,
    (executables, files): (&[Executable], &[File]),
    overwrite: bool,
    printer: &Printer,
) -> Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
    // Another tool may write to the same folder just now. Where locks do not exist, that goes wrong as it would without.
    let lock = fs::File::open(folder).map_err(|e| Error::io("open the folder", folder, &e))?;
    drop(lock.lock());
    let known = Written::of(folder)?;
    let mut written = known.clone().unwrap_or_default();
    let mut record = ExtractionRecord::of(session, folder)?;
    let before = record.as_ref().map(ExtractionRecord::text);
    let mut fresh = Vec::new();
    for file in files {
        let path = folder.join(&file.name);
        if let Some(parent) = path.parent().filter(|p| *p != folder) {
            fs::create_dir_all(parent).map_err(|e| Error::io("make the folder", parent, &e))?;
        }
        // One that cannot be read may have been edited.
        let fail = |e: std::io::Error| Error::io("read", &path, &e);
        let there = try_is_file(&path).map_err(fail)?.then(|| fs::read(&path).map_err(fail)).transpose()?;
        // Unchanged files are not written, so that make does not rebuild what depends on them.
        let same = there.as_ref() == Some(&file.bytes);
        let edited = |bytes: &Vec<u8>| known.as_ref().is_some_and(|known| !known.is_unchanged(&file.name, bytes));
        if !same && !overwrite && there.as_ref().is_some_and(edited) {
            let text = format!("`{}` was edited since it was written, and is kept as it is", path.display());
            printer.diagnostic(
                &Diagnostic::warning(text)
                    .code("edited-file")
                    .hint("remove it to have it written again (`--overwrite` of `hal-extract`)"),
            );
            printer.verbose(format!("kept {}", path.display()));
            continue;
        }
        if !same {
            write_atomically(&path, &file.bytes)?;
        }
        written.add(&file.name, &file.bytes);
        fresh.push(file.name.clone());
        printer.verbose(format!("{} {}", if same { "kept" } else { "wrote" }, path.display()));
    }
    if Some(&written) != known.as_ref() {
        write_atomically(&folder.join(Written::FILE), written.text().as_bytes())?;
    }
    let record = record.get_or_insert_with(|| ExtractionRecord::new(session));
    record.put(&by_executable(executables, fresh));
    let text = record.text();
    if before.as_ref() != Some(&text) {
        write_atomically(&folder.join(ExtractionRecord::FILE), text.as_bytes())?;
    }
    Ok(())
}

/// The files of each executable, which are named after it. Names may have dots: the longest counts.
fn by_executable(executables: &[Executable], files: Vec<String>) -> Vec<(Executable, Vec<String>)> {
    let places: HashMap<String, usize> =
        executables.iter().enumerate().map(|(i, e)| (escape_symbol(&e.name()), i)).collect();
    let mut found: Vec<(Executable, Vec<String>)> = executables.iter().map(|e| (*e, Vec::new())).collect();
    for file in files {
        let stems = file.char_indices().rev().filter(|(_, c)| *c == '.').map(|(at, _)| &file[..at]);
        if let Some(&i) = stems.into_iter().find_map(|stem| places.get(stem)) {
            found[i].1.push(file);
        }
    }
    found
}
