//! Says where the data of globals are.
use super::archive::Weight;
use halyard_ir::{
    form::{Global, Parameter, Program},
    resource,
};
use std::{collections::BTreeSet, path::Path};

/// The globals that wait for a place: external, with a key and no archive.
fn waiting(program: Program) -> impl Iterator<Item = (Global, Parameter)> {
    program
        .globals()
        .into_iter()
        .filter_map(|g| Some((g, g.parameter().filter(|p| p.archive.is_empty() && g.is_external())?)))
}

/// Lets globals refer to an archive by its file name.
pub fn externalize(program: Program, archive: &str) {
    for (global, parameter) in waiting(program) {
        global.set_parameter(&Parameter { archive: archive.to_owned(), ..parameter });
    }
}

/// Puts the data into the program, as resources named like the globals.
pub fn embed(program: Program, weights: &[Weight]) {
    for (global, parameter) in waiting(program) {
        if let Some(weight) = weights.iter().find(|w| w.key == parameter.key) {
            global.set_value(resource(global.ty(), &global.name(), weight.bytes.clone()));
        }
    }
}

/// The file name for a new archive: that of `path`, or the next free one if the program already refers to an archive of
/// that name, which must not be overwritten.
pub fn archive_name(program: Program, path: &Path) -> String {
    let taken: BTreeSet<String> =
        program.globals().into_iter().filter_map(|g| g.parameter()).map(|p| p.archive).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !taken.contains(&name) {
        return name;
    }
    let stem = name.strip_suffix(".safetensors").unwrap_or(&name);
    (1..).map(|i| format!("{stem}.{i}.safetensors")).find(|n| !taken.contains(n)).expect("there are endless numbers")
}
