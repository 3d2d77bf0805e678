//! Resolves the command line to substitutions in executables.
use crate::{
    Folder, Only, Rule, SubstitutionName, Variants,
    carry::{self, Carried},
    files::{Reader, Source},
    folder::{Offer, Places, scan, twice},
    problems::Problems,
    provenance::Known,
};
use halyard_diag::{Diagnostic, Error, Result, either};
use halyard_ir::{
    Session,
    form::{Executable, ExecutableSelector, Program, escape_symbol},
};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

/// A substitution: a part of the program, and the files that replace it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) name: SubstitutionName,
    pub(crate) executable: Executable,
    pub(crate) files: Vec<Source>,
}

impl Request {
    /// Whether it is MLIR, which replaces the source or the code of a variant, or a schedule.
    pub(crate) fn is_source(&self) -> bool {
        self.files.iter().any(|f| f.kind.is_source())
    }

    /// Whether it replaces the source of the executable.
    pub(crate) fn is_whole_source(&self) -> bool {
        self.is_source() && self.name.variants == Variants::Unsaid
    }

    /// Returns the names of the files for messages.
    pub(crate) fn shown(&self) -> String {
        self.files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(" + ")
    }
}

/// Finds requests by the files that they name, and by the executables that they are for.
pub(crate) struct RequestIndex<'r> {
    by_file: HashMap<&'r str, Vec<&'r str>>,
    by_executable: HashMap<&'r str, Vec<&'r Request>>,
}

impl<'r> RequestIndex<'r> {
    pub(crate) fn new(requests: &'r [Request]) -> Self {
        let (mut by_file, mut by_executable) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for request in requests {
            let executable = request.name.executable.as_str();
            by_executable.entry(executable).or_default().push(request);
            for file in &request.files {
                by_file.entry(file.name.as_str()).or_default().push(executable);
            }
        }
        Self { by_file, by_executable }
    }

    /// Returns the names of the executables that a file is given for.
    pub(crate) fn executables_of(&self, file: &str) -> &[&'r str] {
        self.by_file.get(file).map_or(&[], Vec::as_slice)
    }

    /// Returns the requests for an executable, in order.
    pub(crate) fn of_executable(&self, name: &str) -> impl Iterator<Item = &'r Request> {
        self.by_executable.get(name).into_iter().flatten().copied()
    }
}

/// The rules and folders of the command line, with the files that they may name.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) rules: &'a [Rule],
    pub(crate) folders: &'a [Folder],
    /// The kinds of files that rules may name.
    pub(crate) only: Only,
    pub(crate) allow_unmatched: bool,
    /// The variants that `hal-translate` will make of sources.
    pub(crate) to_come: &'a [String],
}

/// The requests that rules and folders make.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The substitutions, in the order of the command line.
    pub(crate) requests: Vec<Request>,
    /// The files of each folder; they are also among the requests.
    pub(crate) offers: Vec<(Folder, Offer)>,
    /// Notes on files that are carried over from an earlier version of the program.
    pub(crate) notes: Vec<Diagnostic>,
    /// For names on the command line that differ from the executable's present name: the executable.
    pub(crate) meant: BTreeMap<String, String>,
}

impl Found {
    /// The name that another flag gives, in this program. Errors: a pattern that means none or several executables.
    pub(crate) fn resolve(&self, program: Program, name: &mut SubstitutionName) -> Result<()> {
        if let Some(meant) = self.meant.get(&name.executable) {
            name.executable.clone_from(meant);
        } else if name.is_pattern() && program.executable(&name.executable).is_none() {
            name.executable = ExecutableSelector::new(&program.executables()).one(&name.executable)?.name();
        }
        Ok(())
    }
}

/// Resolves all substitutions in a program. Fails for unknown names, unreadable files, and several files for one part.
pub(crate) fn requests(
    session: &Session,
    program: Program,
    asked: &Asked<'_>,
    reader: &mut Reader<'_>,
) -> Result<Found> {
    let known = Known::new(session, program.executables());
    let mut problems = Problems::default();
    let mut wanted: Vec<(SubstitutionName, Vec<PathBuf>, Option<Carried>)> = Vec::new();
    // The place of each name among them.
    let mut places: BTreeMap<SubstitutionName, usize> = BTreeMap::new();
    for rule in asked.rules {
        let same = places.get(&rule.name).map(|place| &mut wanted[*place]);
        match (same, rule.further) {
            (Some((_, files, _)), true) => files.push(rule.file.clone()),
            (Some((name, files, _)), false) => problems.add(given_twice(name, files, &rule.file)),
            (None, false) => {
                places.insert(rule.name.clone(), wanted.len());
                wanted.push((rule.name.clone(), vec![rule.file.clone()], None));
            }
            (None, true) => problems.add(
                Error::usage(format!("`{rule}` has nothing to add to: no `{}=FILE` stands before it", rule.name))
                    .code("nothing-to-add-to"),
            ),
        }
    }
    let mut offers = Vec::new();
    let phase = program.phase()?;
    for folder in asked.folders {
        let parts = Places { known: &known, phase, to_come: asked.to_come };
        let Some(mut offer) = problems.take(scan(folder, &parts, asked.allow_unmatched)) else { continue };
        let files = std::mem::take(&mut offer.files);
        offers.push((folder.clone(), offer));
        for (name, file, carried) in files {
            match places.get(&name).map(|place| &wanted[*place]) {
                Some((_, files, _)) => problems.add(twice(&name, &[files.as_slice(), &[file]].concat()).into()),
                None => {
                    places.insert(name.clone(), wanted.len());
                    wanted.push((name, vec![file], Some(carried)));
                }
            }
        }
    }
    let mut found = Found::default();
    for (name, files, carried) in wanted {
        let read: Vec<_> = files.iter().map(|f| reader.read(f)).collect();
        let files: Vec<Source> = read.into_iter().filter_map(|r| problems.take(r)).collect();
        let mut request: Option<Request> = None;
        for file in files {
            let (executable, carried) = match &carried {
                Some(carried) => (find(&known, &name), carried.clone()),
                None => match place(&known, &name, &file) {
                    Ok((executable, carried)) => (Ok(executable), carried),
                    Err(error) => (Err(error), Carried::default()),
                },
            };
            let Some(executable) = problems.take(executable) else { break };
            problems.take(check_family(&file, asked.only));
            let Some(file) = problems.take(carried.apply(session, &file)) else { continue };
            found.notes.extend(carried.note);
            if name.executable != executable.name() {
                found.meant.insert(name.executable.clone(), executable.name());
            }
            let name = SubstitutionName { executable: executable.name(), ..name.clone() };
            request.get_or_insert_with(|| Request { name, executable, files: Vec::new() }).files.push(file);
        }
        found.requests.extend(request);
    }
    overlaps(&found.requests, &mut problems);
    problems.finish().map(|()| Found { offers, ..found })
}

/// The executable that a rule means for a file, and how the file comes there.
fn place(known: &Known<'_>, name: &SubstitutionName, file: &Source) -> Result<(Executable, Carried)> {
    let is_pattern = name.is_pattern() && known.named(&name.executable).is_none();
    let chosen = match is_pattern {
        true => ExecutableSelector::new(&known.executables).one(&name.executable),
        false => find(known, name),
    };
    let provenance = known.provenance(Path::new(&file.name), &file.bytes)?;
    carry::by_name(provenance.as_deref(), known, (name, is_pattern), chosen, file)
}

fn given_twice(name: &SubstitutionName, files: &[PathBuf], file: &PathBuf) -> Error {
    let mut d = twice(name, &[files, std::slice::from_ref(file)].concat());
    d = d.hint(format!("`{name}+={}` adds an object to the first", file.display()));
    Error::new(halyard_diag::ErrorKind::Usage, d)
}

/// Returns the executable that a name refers to.
fn find(known: &Known<'_>, name: &SubstitutionName) -> Result<Executable> {
    if let Some(found) = known.named(&name.executable) {
        return Ok(found);
    }
    let executables = known.executables.as_slice();
    let error = Error::usage(format!("there is no executable `{}`", name.executable)).code("unknown-name");
    // A slash in a symbol looks like a variant.
    let joined = name.to_string().replace("%25", "%").replace("%2F", "/");
    if let Some(meant) = executables.iter().find(|e| e.name().contains('/') && joined.starts_with(&e.name())) {
        return Err(error.hint(format!("a `/` in a name is written `%2F`: `{}`", escape_symbol(&meant.name()))));
    }
    // Profiles and symbol tables have the names of kernels.
    let has_export = |e: &&Executable| e.interface_exports().iter().any(|x| x.name() == name.executable);
    if let Some(meant) = executables.iter().find(has_export) {
        let meant = escape_symbol(&meant.name());
        return Err(error.note(format!("it is an export of `{meant}`")).hint(format!("did you mean `{meant}`?")));
    }
    let names: Vec<String> = executables.iter().map(|e| escape_symbol(&e.name())).collect();
    let near = ExecutableSelector::new(executables).near(&escape_symbol(&name.executable));
    Err(match (near.is_empty(), names.as_slice()) {
        (false, _) => error.hint(format!("did you mean {}?", either(&near))),
        (true, []) => error.note("the program has no executables"),
        (true, [only]) => error.note(format!("the program has one executable, `{only}`")),
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

/// Checks that no part is replaced twice, and no source together with objects, which would belong to another source.
fn overlaps(requests: &[Request], problems: &mut Problems) {
    let index = RequestIndex::new(requests);
    for a in requests {
        let sources = a.files.iter().filter(|f| f.kind.is_source()).count();
        if sources > 0 && a.files.len() > 1 {
            let error = Error::input(format!(
                "`{}` is given {}: a source cannot be combined with other files",
                a.name,
                a.shown()
            ));
            problems.add(error.code("given-twice"));
        }
        let after = index.of_executable(&a.name.executable).skip_while(|b| !std::ptr::eq(*b, a)).skip(1);
        for b in after {
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
                // A new source together with code for one variant: the source is for the others.
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
