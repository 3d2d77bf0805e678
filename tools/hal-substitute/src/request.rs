//! From the command line to what is done to which executable.
use crate::{
    Folder, Only, Rule, SubstitutionName, Variants,
    files::{Reader, Source},
    folder::{Offer, Places, scan, twice},
    problems::Problems,
};
use halyard_diag::{Diagnostic, Error, Result, either, nearest};
use halyard_ir::form::{Executable, Program, escape_symbol};
use std::path::PathBuf;

/// One substitution: a place, and the files that come there.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) name: SubstitutionName,
    pub(crate) executable: Executable,
    pub(crate) files: Vec<Source>,
}

impl Request {
    /// Whether it is MLIR, which replaces the source or becomes the code of a variant, or says how the source is translated.
    pub(crate) fn is_source(&self) -> bool {
        self.files.iter().any(|f| f.kind.is_source())
    }

    /// Whether it replaces the source of the executable.
    pub(crate) fn is_whole_source(&self) -> bool {
        self.is_source() && self.name.variants == Variants::Unsaid
    }

    /// The files as people know them.
    pub(crate) fn shown(&self) -> String {
        self.files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(" + ")
    }
}

/// The rules and folders of the command line, with the files that they may name.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) rules: &'a [Rule],
    pub(crate) folders: &'a [Folder],
    /// Which files rules may name.
    pub(crate) only: Only,
    pub(crate) allow_unmatched: bool,
    /// The variants that `hal-translate` will make of sources.
    pub(crate) to_come: &'a [String],
}

/// The requests that rules and folders make.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// In the order of the command line.
    pub(crate) requests: Vec<Request>,
    /// What folders offer beside them; their files are among the requests.
    pub(crate) offers: Vec<(Folder, Offer)>,
}

/// Finds what is asked for in a program. Errors: unknown names, files that cannot be read, several files for one place.
pub(crate) fn requests(program: Program, asked: &Asked<'_>, reader: &mut Reader<'_>) -> Result<Found> {
    let executables = program.executables();
    let mut problems = Problems::default();
    let mut wanted: Vec<(SubstitutionName, Vec<PathBuf>)> = Vec::new();
    for rule in asked.rules {
        let same = wanted.iter_mut().find(|(name, _)| *name == rule.name);
        match (same, rule.further) {
            (Some((_, files)), true) => files.push(rule.file.clone()),
            (Some((name, files)), false) => problems.add(given_twice(name, files, &rule.file)),
            (None, false) => wanted.push((rule.name.clone(), vec![rule.file.clone()])),
            (None, true) => problems.add(
                Error::usage(format!("`{rule}` has nothing to add to: no `{}=FILE` stands before it", rule.name))
                    .code("nothing-to-add-to"),
            ),
        }
    }
    let mut offers = Vec::new();
    let phase = program.phase()?;
    for folder in asked.folders {
        let places = Places { executables: &executables, phase, to_come: asked.to_come };
        let Some(mut offer) = problems.take(scan(folder, &places, asked.allow_unmatched)) else { continue };
        let files = std::mem::take(&mut offer.files);
        offers.push((folder.clone(), offer));
        for (name, file) in files {
            match wanted.iter().find(|(known, _)| *known == name) {
                Some((_, files)) => problems.add(twice(&name, &[files.as_slice(), &[file]].concat()).into()),
                None => wanted.push((name, vec![file])),
            }
        }
    }
    let mut requests = Vec::new();
    for (name, files) in wanted {
        let Some(executable) = problems.take(find(program, &executables, &name)) else { continue };
        let read: Vec<_> = files.iter().map(|f| reader.read(f)).collect();
        let files: Vec<Source> = read.into_iter().filter_map(|r| problems.take(r)).collect();
        for file in &files {
            problems.take(check_family(file, asked.only));
        }
        requests.push(Request { name, executable, files });
    }
    overlaps(&requests, &mut problems);
    problems.finish().map(|()| Found { requests, offers })
}

fn given_twice(name: &SubstitutionName, files: &[PathBuf], file: &PathBuf) -> Error {
    let mut d = twice(name, &[files, std::slice::from_ref(file)].concat());
    d = d.hint(format!("`{name}+={}` adds an object to the first", file.display()));
    Error::new(halyard_diag::ErrorKind::Usage, d)
}

/// The executable that a name means.
fn find(program: Program, executables: &[Executable], name: &SubstitutionName) -> Result<Executable> {
    if let Some(found) = program.executable(&name.executable) {
        return Ok(found);
    }
    let error = Error::usage(format!("there is no executable `{}`", name.executable)).code("unknown-name");
    // A slash in a symbol looks like a variant.
    let joined = name.to_string().replace("%25", "%").replace("%2F", "/");
    if let Some(meant) = executables.iter().find(|e| joined.starts_with(&e.name())) {
        return Err(error.hint(format!("a `/` in a name is written `%2F`: `{}`", escape_symbol(&meant.name()))));
    }
    // Profiles and symbol tables have the names of kernels.
    let has_export = |e: &&Executable| e.interface_exports().iter().any(|x| x.name() == name.executable);
    if let Some(meant) = executables.iter().find(has_export) {
        let meant = escape_symbol(&meant.name());
        return Err(error.note(format!("it is an export of `{meant}`")).hint(format!("did you mean `{meant}`?")));
    }
    let names: Vec<String> = executables.iter().map(|e| escape_symbol(&e.name())).collect();
    let near = nearest(&escape_symbol(&name.executable), names.iter().map(String::as_str));
    Err(match (near.is_empty(), names.as_slice()) {
        (false, _) => error.hint(format!("did you mean {}?", either(&near))),
        (true, []) => error.note("the program has no executables"),
        (true, [first, ..]) => error.note(format!("the program has {} executables, such as `{first}`", names.len())),
    })
}

/// The driver has a flag for sources and one for objects.
fn check_family(file: &Source, only: Only) -> Result<()> {
    let (flag, needs) = match only {
        Only::Sources if !file.kind.is_source() => ("object", "MLIR"),
        Only::Objects if file.kind.is_source() => ("source", "objects"),
        _ => return Ok(()),
    };
    let what = halyard_objects::FileFormat::describe(&file.bytes);
    let error =
        Error::input(format!("`{}` is {what}, but only {needs} can be used here", file.name)).code("wrong-kind");
    Err(error.hint(format!("pass it with `--substitute-executable-{flag}`")))
}

/// No place is replaced twice, and no source together with objects: those would be of another source.
fn overlaps(requests: &[Request], problems: &mut Problems) {
    for (i, a) in requests.iter().enumerate() {
        let sources = a.files.iter().filter(|f| f.kind.is_source()).count();
        if sources > 0 && a.files.len() > 1 {
            let error = Error::input(format!("`{}` is given {}: a source stands alone", a.name, a.shown()));
            problems.add(error.code("given-twice"));
        }
        for b in &requests[i + 1..] {
            if a.name.executable != b.name.executable {
                continue;
            }
            if a.is_source() != b.is_source() {
                let (source, object) = if a.is_source() { (a, b) } else { (b, a) };
                let text = format!(
                    "executable `{}` is given a source, `{}`, and an object, `{}`",
                    a.name.executable,
                    source.shown(),
                    object.shown()
                );
                let d = Diagnostic::error(text)
                    .code("given-twice")
                    .note("the object may have been built from another source");
                problems
                    .add(d.hint("`--sources-from` and `--objects-from` select one kind of file in a folder").into());
            } else if a.is_source() && a.is_whole_source() != b.is_whole_source() {
                // A new source, and one variant with code of its own: the source is for the others.
            } else if a.name.overlaps(&b.name) {
                let text = format!("`{}` and `{}` both replace `{}`", a.shown(), b.shown(), narrower(&a.name, &b.name));
                problems.add(Diagnostic::error(text).code("given-twice").into());
            }
        }
    }
}

fn narrower<'n>(a: &'n SubstitutionName, b: &'n SubstitutionName) -> &'n SubstitutionName {
    let depth = |n: &SubstitutionName| usize::from(n.variants != Variants::Unsaid) + usize::from(n.export.is_some());
    if depth(a) > depth(b) { a } else { b }
}
