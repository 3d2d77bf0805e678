//! Folders of files that are named after the parts that they replace, as `hal-extract` names them.
//!
//! If a folder has a record (`.halyard.b3sum`), unedited files are ignored beside edited ones: you can dump
//! everything, edit one file, and substitute the whole folder.
use crate::{
    Folder, Only, SubstitutionName, Variants,
    carry::{self, Carried},
    provenance::Known,
    suffix::{Suffix, stem},
};
use halyard_cli::depend_on;
use halyard_diag::{Diagnostic, Error, Result, either, may_be_file, may_exist, nearest};
use halyard_ir::form::{Executable, Phase, Written, escape_symbol};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

/// The files of a folder that can be substituted.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    /// Files by what they replace, and how they come there.
    pub(crate) files: Vec<(SubstitutionName, PathBuf, Carried)>,
    /// Files that are named like nothing in the program.
    pub(crate) unmatched: Vec<PathBuf>,
    /// Remarks on the choice among several files.
    pub(crate) remarks: Vec<String>,
    /// Whether the folder has no files that could be substituted in any program.
    pub(crate) is_empty: bool,
    /// Files in C that were edited, and of which no object is there.
    pub(crate) c_files: Vec<PathBuf>,
    /// Files that were edited and cannot replace anything here, by their executable.
    pub(crate) left: Vec<(String, PathBuf)>,
}

/// The program that the files are for.
pub(crate) struct Places<'a, 's> {
    pub(crate) known: &'a Known<'s>,
    pub(crate) phase: Phase,
    /// The variants that `hal-translate` will make.
    pub(crate) to_come: &'a [String],
}

/// A part of the program that a file may replace.
#[derive(Debug)]
struct Place {
    stem: String,
    name: SubstitutionName,
    /// Whether it is a variant that `hal-translate` will make: MLIR may become its code.
    to_come: bool,
}

/// A file that may replace a part.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    suffix: Suffix,
    /// Whether it was edited since it was written; `None` if unknown.
    edited: Option<bool>,
    carried: Carried,
}

/// Scans a folder. Fails if it cannot be read, if names match nothing (unless allowed), or if two files have one name.
pub(crate) fn scan(folder: &Folder, program: &Places<'_, '_>, allow_unmatched: bool) -> Result<Offer> {
    let places = places(program);
    let by_stem = by_stem(&places);
    let known = program.known;
    let mut found: BTreeMap<SubstitutionName, Vec<Candidate>> = BTreeMap::new();
    let mut offer = Offer::default();
    let (mut problems, mut c_files, mut outdated) = (Vec::new(), Vec::new(), 0);
    let (whole, suffix) = chosen(&folder.path)?;
    // A flag that names a kind of file is an explicit choice.
    let written = if suffix.is_none() { Written::of(&whole)? } else { None };
    if written.is_some() {
        depend_on(&whole.join(Written::FILE));
    }
    for path in list(&whole)? {
        let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some((stem, kind)) = stem(&file) else {
            let owner = file.strip_suffix(".c").and_then(|stem| known.of_stem(stem));
            if let (Some(written), Some(e)) = (&written, owner) {
                c_files.extend(edited(written, &file, &path)?.then(|| (e.name(), path)));
            }
            continue;
        };
        if suffix.is_some_and(|wanted| wanted != kind) || (written.is_none() && !takes(folder.only, kind)) {
            continue;
        }
        let edited = written.as_ref().map(|w| edited(w, &file, &path)).transpose()?;
        let (stem, carried) = match carried(program, &path, (stem, kind), edited)? {
            carry::Place::Named => (stem.to_owned(), Carried::default()),
            carry::Place::Stem(stem, carried) => (stem, carried),
            carry::Place::Nowhere(_) if allow_unmatched => {
                offer.unmatched.push(path);
                continue;
            }
            carry::Place::Nowhere(_) if edited == Some(false) => {
                outdated += 1;
                continue;
            }
            carry::Place::Nowhere(error) => {
                problems.extend(error.diagnostics);
                continue;
            }
        };
        let stem = &*stem;
        let fits = |place: &&Place| kind.is_source() || !place.to_come;
        let named = by_stem.get(stem).map(Vec::as_slice).unwrap_or_default();
        let fitting: Vec<_> = named.iter().copied().filter(fits).map(|place| &place.name).collect();
        match fitting.as_slice() {
            [place] => {
                found.entry((*place).clone()).or_default().push(Candidate { path, suffix: kind, edited, carried })
            }
            _ if !takes(folder.only, kind) => {
                let owner = known.of_variant_stem(stem).next();
                offer.left.extend(owner.filter(|_| edited == Some(true)).map(|e| (e.name(), path)));
            }
            [] if edited == Some(false)
                && folder.only == Only::Any
                && is_beside(&whole, kind, program.phase, known.of_variant_stem(stem)) => {}
            [] => {
                if !allow_unmatched {
                    problems.push(unmatched(&path, stem, kind, &places));
                }
                offer.unmatched.push(path);
            }
            several => {
                let names: Vec<_> = several.iter().map(|p| p.to_string()).collect();
                let text = format!("`{}` may mean {}", path.display(), either(&names));
                problems.push(Diagnostic::error(text).code("ambiguous-name").hint("give it by name: `NAME=FILE`"));
            }
        }
    }
    // A user who compiled it has its object there.
    let edited = found.iter().filter(|(_, files)| files.iter().any(|f| f.edited == Some(true)));
    let compiled: HashSet<&str> = edited.map(|(name, _)| name.executable.as_str()).collect();
    let c_files = c_files.into_iter().filter(|(name, _)| !compiled.contains(name.as_str()));
    offer.c_files = c_files.map(|(_, path)| path).collect();
    offer.is_empty = found.is_empty() && offer.unmatched.is_empty() && problems.is_empty();
    if outdated > 0 {
        let (files, are) = if outdated == 1 { ("file", "is") } else { ("files", "are") };
        let whole = whole.display();
        offer.remarks.push(format!(
            "{outdated} unedited {files} of an earlier version of the program {are} left out: `{whole}`"
        ));
    }
    drop_stale(&mut found, folder.only, program.phase, &mut offer);
    let mut several = Vec::new();
    for (name, files) in found {
        match choose(&name, files, &mut offer) {
            Ok(file) => offer.files.extend(file.map(|(file, carried)| (name, file, carried))),
            Err(files) => several.push((name, files)),
        }
    }
    if let Some((name, files)) = several.first() {
        let paths: Vec<PathBuf> = files.iter().map(|f| f.path.clone()).collect();
        let mut d = twice(name, &paths);
        if files[0].edited.is_some() {
            d = d.note("these files were edited; unedited ones are ignored");
        }
        if several.len() > 1 {
            let more = several.len() - 1;
            d = d.note(format!("and so for {more} other {}", if more == 1 { "name" } else { "names" }));
        }
        let pattern = whole.join(format!("*.{}", files[0].suffix));
        problems.push(d.hint(format!("`{}` selects one kind of file", pattern.display())));
    }
    if problems.is_empty() { Ok(offer) } else { Err(Error::many(problems)) }
}

fn takes(only: Only, kind: Suffix) -> bool {
    match only {
        Only::Any => true,
        Only::Sources => kind.is_source(),
        Only::Objects => !kind.is_source(),
    }
}

fn edited(written: &Written, name: &str, path: &Path) -> Result<bool> {
    // Only regular files count: reading anything else may never end.
    let is_file = may_be_file(path);
    if !is_file {
        return Ok(true);
    }
    depend_on(path);
    let bytes = fs::read(path).map_err(|e| Error::io("read", path, &e))?;
    Ok(!written.is_unchanged(name, &bytes))
}

/// Returns the destination in this program of a file that was extracted from an earlier one. Fails if the record is
/// damaged or the file is unreadable.
fn carried(
    program: &Places<'_, '_>,
    path: &Path,
    (stem, kind): (&str, Suffix),
    edited: Option<bool>,
) -> Result<carry::Place> {
    let is_file = may_be_file(path);
    let bytes =
        if kind.is_mlir() && is_file { fs::read(path).map_err(|e| Error::io("read", path, &e))? } else { Vec::new() };
    let Some(provenance) = program.known.provenance(path, &bytes)? else { return Ok(carry::Place::Named) };
    let old_source = edited == Some(false) && kind.is_source();
    Ok(carry::in_folder(&provenance, program.known, (path, stem), old_source))
}

/// Whether a file is an object of a variant that the program does not have yet: it was extracted with the source,
/// which is also in the folder.
fn is_beside(folder: &Path, kind: Suffix, phase: Phase, mut owners: impl Iterator<Item = Executable>) -> bool {
    let has_source = |e: Executable| {
        ["mlir", "mlirbc"].iter().any(|s| may_exist(&folder.join(format!("{}.{s}", escape_symbol(&e.name())))))
    };
    !kind.is_source() && phase == Phase::Executables && owners.any(has_source)
}

fn by_stem(places: &[Place]) -> HashMap<&str, Vec<&Place>> {
    let mut found: HashMap<&str, Vec<&Place>> = HashMap::new();
    places.iter().for_each(|place| found.entry(&place.stem).or_default().push(place));
    found
}

/// Drops unedited objects beside an edited source, as they were built from the old source, and an unedited source if
/// there are objects.
fn drop_stale(found: &mut BTreeMap<SubstitutionName, Vec<Candidate>>, only: Only, phase: Phase, offer: &mut Offer) {
    let mut executables: BTreeMap<&str, Vec<&mut Vec<Candidate>>> = BTreeMap::new();
    found.iter_mut().for_each(|(name, files)| executables.entry(&name.executable).or_default().push(files));
    for (executable, mut own) in executables {
        let all = || own.iter().flat_map(|files| files.iter());
        let source = all().find(|f| f.suffix.is_source() && f.edited == Some(true)).map(|f| f.path.clone());
        let has_objects = all().any(|f| !f.suffix.is_source());
        let mut old = Vec::new();
        for files in &mut own {
            files.retain(|file| {
                let is_source = file.suffix.is_source();
                let stale = source.is_some() && !is_source && file.edited == Some(false);
                let silent = is_source && file.edited == Some(false) && has_objects && phase == Phase::Objects;
                let wanted = takes(only, file.suffix);
                if stale && wanted {
                    old.push(format!("`{}`", file.path.display()));
                }
                if !wanted && file.edited == Some(true) {
                    offer.left.push((executable.to_owned(), file.path.clone()));
                }
                wanted && !stale && !(silent && only == Only::Any)
            });
        }
        if let (Some(source), false) = (source, old.is_empty()) {
            offer.remarks.push(format!(
                "`{}` was edited: objects of the old source are left out: {}",
                source.display(),
                old.join(", ")
            ));
        }
    }
    found.retain(|_, files| !files.is_empty());
}

/// The file that counts: the only one, the only one that was edited or, where none was, the one that is nearest to what
/// runs. Fails with those that are too many.
fn choose(
    name: &SubstitutionName,
    files: Vec<Candidate>,
    offer: &mut Offer,
) -> Result<Option<(PathBuf, Carried)>, Vec<Candidate>> {
    if files.len() == 1 {
        return Ok(files.into_iter().next().map(|f| (f.path, f.carried)));
    }
    let shown =
        |files: &[Candidate]| files.iter().map(|f| format!("`{}`", f.path.display())).collect::<Vec<_>>().join(", ");
    if files.iter().any(|f| f.edited.is_none()) {
        return Err(files);
    }
    let (mut edited, mut same): (Vec<_>, Vec<_>) = files.into_iter().partition(|f| f.edited == Some(true));
    if edited.len() > 1 {
        return Err(edited);
    }
    if let Some(file) = edited.pop() {
        offer.remarks.push(format!(
            "`{name}`: `{}` was edited; as they were written are {}",
            file.path.display(),
            shown(&same)
        ));
        return Ok(Some((file.path, file.carried)));
    }
    same.sort_by_key(|f| f.suffix.rank());
    Ok(same.into_iter().next().map(|f| (f.path, f.carried)))
}

/// Makes the error for two files with one name.
pub(crate) fn twice(name: &SubstitutionName, files: &[PathBuf]) -> Diagnostic {
    let shown: Vec<_> = files.iter().map(|f| format!("`{}`", f.display())).collect();
    Diagnostic::error(format!("several files are given for `{name}`: {}", shown.join(", ")))
        .code("given-twice")
        .hint(format!("name the one that is meant: `{name}={}`", files[files.len() - 1].display()))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let fail = |e: std::io::Error| Error::io("read the folder", folder, &e);
    let entries = fs::read_dir(folder).map_err(fail)?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

/// `FOLDER/*.SUFFIX` taken apart. Errors: another pattern.
fn chosen(path: &Path) -> Result<(PathBuf, Option<Suffix>)> {
    let last = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if !last.contains('*') {
        return Ok((path.to_owned(), None));
    }
    match last.strip_prefix("*.").and_then(Suffix::named) {
        Some(suffix) => Ok((path.with_file_name(""), Some(suffix))),
        None => {
            let known: Vec<_> = Suffix::all().map(|s| format!("`*.{s}`")).collect();
            Err(Error::usage(format!("`{}` is not a valid file pattern", path.display()))
                .note(format!("known are {}", known.join(", "))))
        }
    }
}

/// Returns the parts of a program that files could replace.
fn places(program: &Places<'_, '_>) -> Vec<Place> {
    let mut places = Vec::new();
    for executable in &program.known.executables {
        let name = executable.name();
        places.push(Place { stem: escape_symbol(&name), name: SubstitutionName::executable(&name), to_come: false });
        let variants: Vec<String> = executable.variants().into_iter().map(|v| v.name()).collect();
        let to_come = program.to_come.iter().filter(|v| !variants.contains(v)).map(|v| (v, true));
        for (variant, to_come) in variants.iter().map(|v| (v, false)).chain(to_come) {
            let stem = format!("{}.{}", escape_symbol(&name), escape_symbol(variant));
            let variants = Variants::One(variant.clone());
            places.push(Place {
                stem,
                name: SubstitutionName { executable: name.clone(), variants, export: None },
                to_come,
            });
        }
    }
    places
}

fn unmatched(path: &Path, stem: &str, kind: Suffix, places: &[Place]) -> Diagnostic {
    let possible = || places.iter().filter(|p| kind.is_source() || !p.to_come);
    let d = Diagnostic::error(format!("`{}` matches nothing in the program", path.display())).code("unknown-name");
    let near = nearest(stem, possible().map(|place| place.stem.as_str()));
    let parent = possible().find(|p| stem.strip_prefix(p.stem.as_str()).is_some_and(|rest| rest.starts_with('.')));
    let d = match (parent, near.is_empty()) {
        (Some(parent), true) => d.note(format!("executable `{}` has no variant of that name", parent.stem)),
        (_, true) => d,
        (_, false) => d.hint(format!("did you mean {}?", either(&near))),
    };
    d.hint("`--allow-unmatched` ignores such files")
}
