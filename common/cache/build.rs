//! Hashes the sources of the code generator, of the import and of the linker: entries of others do not fit.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What code depends on, from here.
const TRANSLATION: [&str; 2] = ["..", "../../tools/hal-translate"];
/// What a linked program depends on, beside its objects.
const LINK: [&str; 2] = ["..", "../../tools/hal-link"];
/// What an imported program depends on.
const IMPORT: [&str; 2] = ["..", "../../tools/hal-import"];
/// Folders below them that it does not depend on.
const OTHERS: [&str; 3] = ["target", "tests", "testing"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let skipped = OTHERS.iter().any(|other| path.file_name().is_some_and(|name| name == *other));
        if path.is_dir() && !skipped {
            files(&path, found);
        } else if path.is_file() {
            found.push(path);
        }
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let kinds = [("HALYARD_SOURCES", TRANSLATION), ("HALYARD_IMPORT_SOURCES", IMPORT), ("HALYARD_LINK_SOURCES", LINK)];
    for (name, folders) in kinds {
        println!("cargo::rustc-env={name}={}", hash(&folders));
    }
}

fn hash(folders: &[&str]) -> String {
    let mut found = Vec::new();
    for folder in folders.iter().map(Path::new).filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        files(folder, &mut found);
    }
    found.push("../../Cargo.lock".into());
    found.sort();
    let mut hasher = blake3::Hasher::new();
    for path in found {
        let Ok(bytes) = fs::read(&path) else { continue };
        hasher.update(path.to_string_lossy().as_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
