//! Finds the executable that a file was extracted from, and the corresponding one of this program.
use halyard_cli::{depend_on, folder_of};
use halyard_diag::{Diagnostic, Error, Result, few};
use halyard_ir::{
    Attr, Op, Session, Type,
    form::{
        Executable, ExecutableOrigin, Export, ExtractionRecord, Interface, content_key, escape_symbol, fingerprint,
        unescape_symbol,
    },
    names,
};
use halyard_objects::FileFormat;
use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    rc::Rc,
};

/// An executable as it was when a file was extracted from it.
#[derive(Debug, Clone)]
pub(crate) struct Provenance {
    /// The name.
    pub(crate) name: String,
    key: String,
    origin: ExecutableOrigin,
    exports: Vec<ExportRecord>,
}

/// An export as it was.
#[derive(Debug, Clone)]
struct ExportRecord {
    name: String,
    fingerprint: String,
    inputs: Vec<Type>,
    results: Vec<Type>,
}

/// The executable of this program that a file belongs to.
#[derive(Debug)]
pub(crate) enum Home {
    /// The executable of the same name, which has not changed.
    Same,
    /// This executable, for this reason.
    Moved(Executable, &'static str),
    /// None.
    Gone,
}

/// The executables of a program with their keys, and the records of folders; each is read once.
pub(crate) struct Known<'s> {
    session: &'s Session,
    pub(crate) executables: Vec<Executable>,
    names: HashMap<String, Executable>,
    keys: OnceCell<HashMap<String, Vec<Executable>>>,
    records: RefCell<BTreeMap<PathBuf, Rc<FolderRecord>>>,
}

/// The record of a folder.
#[derive(Default)]
struct FolderRecord {
    files: BTreeMap<String, Rc<Provenance>>,
    /// By the names of executables; if there are several, the provenance of code that users compile.
    stems: BTreeMap<String, Rc<Provenance>>,
}

impl FolderRecord {
    /// Returns the executable that a file was extracted from. Files that users made beside extracted ones, such as the
    /// object of a C file, belong to the executable that they are named after.
    fn of(&self, file: &str) -> Option<Rc<Provenance>> {
        let stems = file.char_indices().rev().filter(|(_, c)| *c == '.').map(|(at, _)| &file[..at]);
        self.files.get(file).or_else(|| stems.into_iter().find_map(|stem| self.stems.get(stem))).cloned()
    }
}

impl<'s> Known<'s> {
    pub(crate) fn new(session: &'s Session, executables: Vec<Executable>) -> Self {
        // The first of a name counts.
        let names = executables.iter().rev().map(|e| (e.name(), *e)).collect();
        Self { session, executables, names, keys: OnceCell::new(), records: RefCell::default() }
    }

    /// Returns the provenance of a file, from the record of its folder or from its content; `None` if unknown. Fails
    /// if the record is damaged.
    pub(crate) fn provenance(&self, path: &Path, bytes: &[u8]) -> Result<Option<Rc<Provenance>>> {
        let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(found) = self.record(folder_of(path))?.of(&file) {
            return Ok(Some(found));
        }
        if !matches!(FileFormat::of(bytes), FileFormat::MlirText | FileFormat::MlirBytecode) {
            return Ok(None);
        }
        // Errors in the file are reported when it is used.
        let Ok(module) = self.session.parse_beside(bytes, &path.display().to_string()) else {
            self.session.take_diagnostics();
            return Ok(None);
        };
        let op = Op::from(&module);
        let inside = op.body_ops();
        let found = std::iter::once(op).chain(inside).find_map(Executable::view);
        Ok(found.filter(|e| e.op.has_attr(names::KEY)).map(|e| Rc::new(Provenance::read(e))))
    }

    fn record(&self, folder: &Path) -> Result<Rc<FolderRecord>> {
        if let Some(known) = self.records.borrow().get(folder) {
            return Ok(known.clone());
        }
        let mut found = FolderRecord::default();
        if let Some(record) = ExtractionRecord::of(self.session, folder)? {
            depend_on(&folder.join(ExtractionRecord::FILE));
            for (file, executable) in record.executables() {
                let provenance = Rc::new(Provenance::read(executable));
                let is_code = [".c", ".cu", ".comp"].iter().any(|suffix| file.ends_with(suffix));
                let stem = escape_symbol(&provenance.name);
                if is_code || !found.stems.contains_key(&stem) {
                    found.stems.insert(stem, provenance.clone());
                }
                found.files.insert(file, provenance);
            }
        }
        let found = Rc::new(found);
        self.records.borrow_mut().insert(folder.to_owned(), found.clone());
        Ok(found)
    }

    /// Returns the executables with a content key.
    fn of_key(&self, key: &str) -> &[Executable] {
        let keys = self.keys.get_or_init(|| {
            let mut keys: HashMap<String, Vec<Executable>> = HashMap::new();
            self.executables.iter().for_each(|e| keys.entry(content_key(*e)).or_default().push(*e));
            keys
        });
        keys.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the executable of that name.
    pub(crate) fn named(&self, name: &str) -> Option<Executable> {
        self.names.get(name).copied()
    }

    /// Returns the executable whose files have this stem.
    pub(crate) fn of_stem(&self, stem: &str) -> Option<Executable> {
        self.named(&unescape_symbol(stem)?)
    }

    /// Returns the executables of which a stem may name a variant: `a` and `a.b` for `a.b.c`.
    pub(crate) fn of_variant_stem(&self, stem: &str) -> impl Iterator<Item = Executable> {
        stem.match_indices('.').filter_map(|(at, _)| self.of_stem(&stem[..at]))
    }
}

impl Provenance {
    fn read(executable: Executable) -> Self {
        Self {
            name: executable.name(),
            key: executable.op.attr(names::KEY).and_then(Attr::as_string).unwrap_or_default(),
            origin: ExecutableOrigin::of(executable.op),
            exports: executable.interface_exports().into_iter().map(ExportRecord::of).collect(),
        }
    }

    /// The executable of a program that this is now. Errors: several are alike; the interface is another one.
    pub(crate) fn home(&self, known: &Known<'_>, file: &str) -> Result<Home> {
        let (named, equal) = (known.named(&self.name), known.of_key(&self.key));
        if named.is_some_and(|named| equal.iter().any(|e| e.op == named.op)) {
            return Ok(Home::Same);
        }
        match equal {
            [] => {}
            [one] => return Ok(Home::Moved(*one, "it computes the same")),
            several => return Err(self.ambiguous(several, file)),
        }
        let related: Vec<Executable> =
            known.executables.iter().copied().filter(|e| ExecutableOrigin::of(e.op).meets(&self.origin)).collect();
        let fitting: Vec<Executable> = related.iter().copied().filter(|e| self.fits(*e)).collect();
        const CHANGED: &str = "it comes from the same nodes, though it computes something else now";
        match (fitting.as_slice(), related.as_slice()) {
            ([one], _) => return Ok(Home::Moved(*one, CHANGED)),
            ([_, ..], _) => match fitting.iter().find(|e| e.name() == self.name) {
                Some(same) => return Ok(Home::Moved(*same, CHANGED)),
                None => return Err(self.ambiguous(&fitting, file)),
            },
            ([], [first, ..]) => {
                return Err(
                    self.changed(named.filter(|e| related.iter().any(|r| r.op == e.op)).unwrap_or(*first), file)
                );
            }
            ([], []) => {}
        }
        // Without origins the name is all that there is.
        let unknown = |e: &Executable| self.origin.names().is_empty() || ExecutableOrigin::of(e.op).names().is_empty();
        match named.filter(unknown) {
            Some(same) if self.fits(same) => {
                Ok(Home::Moved(same, "its name and interface are the same, though it computes something else now"))
            }
            Some(same) => Err(self.changed(same, file)),
            None => Ok(Home::Gone),
        }
    }

    /// The old and new names of the executable and its exports, as far as they differ.
    pub(crate) fn renames(&self, home: Executable) -> Vec<(String, String)> {
        let exports =
            self.exports.iter().map(|e| e.name.clone()).zip(home.interface_exports().into_iter().map(|e| e.name()));
        std::iter::once((self.name.clone(), home.name())).chain(exports).filter(|(old, new)| old != new).collect()
    }

    /// Whether an executable still computes the same.
    pub(crate) fn is(&self, executable: Executable) -> bool {
        content_key(executable) == self.key
    }

    /// Whether the exports have the same interfaces, in order.
    pub(crate) fn fits(&self, executable: Executable) -> bool {
        let exports = executable.interface_exports();
        exports.len() == self.exports.len()
            && exports.iter().zip(&self.exports).all(|(e, old)| fingerprint(e.op) == old.fingerprint)
    }

    fn ambiguous(&self, several: &[Executable], file: &str) -> Error {
        let names: Vec<String> = several.iter().map(|e| e.name()).collect();
        Error::input(format!("`{file}`, of what was `{}`, fits several executables: {}", self.name, few(&names)))
            .code("ambiguous-name")
            .hint(format!("name the one that is meant: `{}={file}`", escape_symbol(&names[0])))
    }

    /// Makes the error that lists the changes of the interface.
    pub(crate) fn changed(&self, executable: Executable, file: &str) -> Error {
        let mut d = Diagnostic::error(format!(
            "`{file}` was extracted from `{}`, which is `{}` now, with another interface",
            self.name,
            executable.name()
        ))
        .code("interface-changed");
        let exports = executable.interface_exports();
        if exports.len() != self.exports.len() {
            d = d.note(format!("it had {} exports, and has {} now", self.exports.len(), exports.len()));
        }
        for (old, new) in self.exports.iter().zip(&exports).filter(|(old, new)| fingerprint(new.op) != old.fingerprint)
        {
            old.differences(*new).into_iter().for_each(|note| d.notes.push(note));
        }
        d.hint("`hal-extract` writes the executable as it is now; carry the edit over manually").into()
    }

    /// Makes the message for a file whose executable is not in this program.
    pub(crate) fn gone(&self, file: &str) -> Diagnostic {
        let origin = self.origin.texts();
        let d =
            Diagnostic::error(format!("`{file}` was extracted from `{}`, which this program does not have", self.name))
                .code("unknown-name")
                .note(format!("no executable has its content key, `{}`", self.key));
        let d = if origin.is_empty() { d } else { d.note(format!("and none comes from {}", origin.join(", "))) };
        d.hint("`NAME=FILE` says which executable it replaces; `--allow-unmatched` ignores it")
    }
}

impl ExportRecord {
    fn of(export: Export) -> Self {
        let Interface { inputs, results, .. } = export.interface();
        Self { name: export.name(), fingerprint: fingerprint(export.op), inputs, results }
    }

    /// `argument 1 was `tensor<4xf32>`, and is `tensor<8xf32>` now`, for each that differs.
    fn differences(&self, now: Export) -> Vec<String> {
        let new = now.interface();
        let mut notes = Vec::new();
        for (what, old, new) in [("argument", &self.inputs, &new.inputs), ("result", &self.results, &new.results)] {
            if old.len() != new.len() {
                notes.push(format!("`{}` had {} {what}s, and has {} now", self.name, old.len(), new.len()));
                continue;
            }
            let differing = old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new);
            notes.extend(differing.map(|(i, (old, new))| format!("{what} {i} was `{old}`, and is `{new}` now")));
        }
        if notes.is_empty() {
            notes.push(format!("`{}` ties or sizes its results in another way now", self.name));
        }
        notes
    }
}
