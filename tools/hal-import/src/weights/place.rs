//! Records where the data of globals are.
use super::archive::Weight;
use halyard_cli::Origin;
use halyard_diag::Result;
use halyard_ir::{
    form::{Piece, Program, ProgramGlobal, WeightReference},
    resource,
};
use halyard_tensors::NewArchive;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// The globals that wait for a place: external, with a key and no archive.
fn waiting(program: Program) -> impl Iterator<Item = (ProgramGlobal, WeightReference)> {
    program
        .globals()
        .into_iter()
        .filter_map(|g| Some((g, g.parameter().filter(|p| p.archive.is_empty() && g.is_external())?)))
}

/// Makes globals refer to an archive by its file name.
pub fn externalize(program: Program, archive: &str) {
    for (global, parameter) in waiting(program) {
        global.set_parameter(&WeightReference { archive: archive.to_owned(), ..parameter });
    }
}

/// Embeds the data in the program, as resources named like the globals.
pub fn embed(program: Program, weights: &[Weight]) {
    let by_key: HashMap<&str, &Weight> = weights.iter().map(|w| (w.key.as_str(), w)).collect();
    for (global, parameter) in waiting(program) {
        if let Some(weight) = by_key.get(parameter.key.as_str()) {
            global.set_value(resource(global.ty(), &global.name(), weight.bytes.clone()));
        }
    }
}

/// Makes globals refer to weights files that contain their data unchanged, and removes these data from the list. Files
/// are identified by their names: of two files with one name, the data of the second stay in the list.
pub fn refer(program: Program, weights: &mut Vec<Weight>) {
    let mut paths: HashMap<String, PathBuf> = HashMap::new();
    let mut places: HashMap<String, (String, Piece)> = HashMap::new();
    weights.retain(|w| {
        let Some(Origin { path, offset, size }) = halyard_cli::origin(&w.bytes) else { return true };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if *paths.entry(name.clone()).or_insert_with(|| path.clone()) != path {
            return true;
        }
        places.insert(w.key.clone(), (name, Piece { offset, size }));
        false
    });
    for (global, parameter) in waiting(program) {
        if let Some((archive, piece)) = places.get(&parameter.key) {
            global.set_parameter(&WeightReference { archive: archive.clone(), piece: Some(*piece), ..parameter });
        }
    }
}

/// The file name for a new archive: that of `path`, or the next free one if the program already refers to an archive of
/// that name, which must not be overwritten; with `beside` also if a file of somebody else has it.
pub fn archive_name(program: Program, path: &Path, beside: bool) -> Result<String> {
    let taken: BTreeSet<String> =
        program.globals().into_iter().filter_map(|g| g.parameter()).map(|p| p.archive).collect();
    free_name(&taken, path, beside)
}

/// The file name that [`archive_name`] gives where a program refers to some archives.
pub(crate) fn free_name(taken: &BTreeSet<String>, path: &Path, beside: bool) -> Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".safetensors").unwrap_or(&name).to_owned();
    let mut numbered = (1..).map(|i| format!("{stem}.{i}.safetensors"));
    let mut wanted = name;
    while taken.contains(&wanted) || (beside && NewArchive::would_destroy(&path.with_file_name(&wanted))?) {
        wanted = numbered.next().expect("there are endless numbers");
    }
    Ok(wanted)
}
