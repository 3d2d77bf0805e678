//! Records what the files of a folder were extracted from, so that a later version of the program finds its kernels
//! again.
//!
//! The record is a file in the folder, [`ExtractionRecord::FILE`]: a module with an unnamed module for each executable, whose
//! `hal.files` lists the files, and in it the executable without its source: name, content key, origin and interfaces.
use super::{
    Executable, ExecutableOrigin, Export, content_key, fingerprint::result_attrs, load, load_constants::kernel_type,
};
use crate::{Attr, Block, Builder, Module, Op, Region, Session, names};
use halyard_diag::{Error, Result};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    path::Path,
};

/// The record of a folder.
pub struct ExtractionRecord<'s> {
    module: Module<'s>,
}

impl<'s> ExtractionRecord<'s> {
    /// The file name of the record. It is hidden because only tools read it.
    pub const FILE: &'static str = ".halyard.mlir";

    /// Makes an empty record.
    pub fn new(session: &'s Session) -> Self {
        Self { module: session.empty_module() }
    }

    /// Reads the record of a folder; `None` if there is none. Errors: one that cannot be read, or is damaged.
    pub fn of(session: &'s Session, folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(Self::FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io("read", &path, &e)),
        };
        let hint = "remove the record; files then belong to the executables that they are named after";
        // It is no input: places in what was parsed before stay known.
        let module = session.parse_beside(&bytes, &path.display().to_string()).map_err(|e| e.hint(hint))?;
        let record = Self { module };
        let damaged = record.entries().into_iter().find(|(files, executable)| {
            let known = executable.is_some_and(|e| e.op.has_attr(names::KEY) && !e.name().is_empty());
            files.is_empty() || !known
        });
        match damaged {
            None => Ok(Some(record)),
            Some(_) => Err(Error::input("an entry of the record has no files, or no executable with a content key")
                .in_file(path.display().to_string())
                .code("damaged-record")
                .hint(hint)),
        }
    }

    /// The executables that files were extracted from, without their sources, by the names of the files.
    pub fn executables(&self) -> BTreeMap<String, Executable> {
        let known = self.entries().into_iter().filter_map(|(files, executable)| Some((files, executable?)));
        known.flat_map(|(files, executable)| files.into_iter().map(move |file| (file, executable))).collect()
    }

    /// Notes which files were extracted from which executables now, whatever they were before.
    pub fn put(&mut self, extracted: &[(Executable, Vec<String>)]) {
        let fresh: HashSet<&String> = extracted.iter().flat_map(|(_, files)| files).collect();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut left: Vec<(Op, Vec<String>)> = Vec::new();
        for wrapper in self.wrappers() {
            let rest: Vec<String> = files_of(wrapper).into_iter().filter(|f| !fresh.contains(f)).collect();
            let text =
                wrapper.body().and_then(|b| b.ops().into_iter().find_map(Executable::view)).map(|e| load::print(e.op));
            known.extend(text.map(|text| (text, left.len())));
            left.push((wrapper, rest));
        }
        let body = Op::from(&self.module).body().expect("a module has a body");
        for (executable, files) in extracted.iter().filter(|(_, files)| !files.is_empty()) {
            let new = declared(*executable);
            // Entries that did not change keep their position.
            if let Some(&at) = known.get(&load::print(new)) {
                left[at].1.extend(files.iter().cloned());
                new.erase();
                continue;
            }
            let loc = executable.op.loc();
            let region = Region::create();
            let block = Block::create(&[], loc);
            region.append(block);
            let wrapper = Builder::create(loc, "builtin.module", &[], &[], &[], vec![region]);
            block.append(new);
            body.append(wrapper);
            set_files(wrapper, files);
        }
        for (wrapper, rest) in left {
            match rest.is_empty() {
                true => wrapper.erase(),
                false => set_files(wrapper, &rest),
            }
        }
    }

    /// Returns the contents of the record file.
    pub fn text(&self) -> String {
        load::print(Op::from(&self.module))
    }

    fn wrappers(&self) -> Vec<Op> {
        Op::from(&self.module).body_ops()
    }

    fn entries(&self) -> Vec<(Vec<String>, Option<Executable>)> {
        let executable = |w: Op| w.body()?.ops().into_iter().find_map(Executable::view);
        self.wrappers().into_iter().map(|w| (files_of(w), executable(w))).collect()
    }
}

fn files_of(wrapper: Op) -> Vec<String> {
    let list = wrapper.attr(names::FILES).and_then(Attr::as_array).unwrap_or_default();
    list.into_iter().filter_map(Attr::as_string).collect()
}

fn set_files(wrapper: Op, files: &[String]) {
    let context = wrapper.context();
    let mut files = files.to_vec();
    files.sort();
    files.dedup();
    let list: Vec<Attr> = files.iter().map(|f| Attr::string(context, f)).collect();
    wrapper.set_attr(names::FILES, Attr::array(context, &list));
}

/// An executable with declarations of its exports, its key and origin, and nothing else.
fn declared(executable: Executable) -> Op {
    let (context, loc) = (executable.op.context(), executable.op.loc());
    let made = Executable::create(loc, &executable.name());
    made.op.set_attr(names::KEY, Attr::string(context, &content_key(executable)));
    ExecutableOrigin::of(executable.op).set(made.op);
    for export in executable.interface_exports() {
        made.body().append(declaration(export));
    }
    made.op
}

fn declaration(export: Export) -> Op {
    let context = export.op.context();
    let mut attrs = vec![
        ("sym_name", Attr::string(context, &export.name())),
        ("sym_visibility", Attr::string(context, "private")),
        ("function_type", Attr::ty(kernel_type(export.op))),
        (names::EXPORT, Attr::unit(context)),
    ];
    attrs.extend(export.op.attr(names::LOAD_CONSTANTS).map(|list| (names::LOAD_CONSTANTS, list)));
    attrs.extend(result_attrs(export.op).map(|results| ("res_attrs", results)));
    Builder::create(export.op.loc(), "func.func", &[], &[], &attrs, vec![Region::create()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{fingerprint, load_program};

    const PROGRAM: &str = r#"
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable, hal.origin = ["/conv"]} {
    func.func @k(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
      return %x : tensor<?xf32>
    }
  }
  module @f attributes {hal.executable} {
    func.func @l(%x: tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export} { return %x : tensor<4xf32> }
  }
}
"#;

    #[test]
    fn records_come_back() {
        let session = Session::new();
        let (_module, program) = load_program(&session, PROGRAM.as_bytes(), "p.mlir").unwrap();
        let (e, f) = (program.executables()[0], program.executables()[1]);
        let mut record = ExtractionRecord::new(&session);
        record.put(&[(e, vec!["e.mlir".into(), "e.c".into()]), (f, vec!["f.mlir".into()])]);
        let first = record.text();
        record.put(&[(f, vec!["f.mlir".into()]), (e, vec!["e.c".into()])]);
        assert_eq!(record.text(), first);
        // A file that is written again belongs to its latest executable.
        record.put(&[(f, vec!["e.mlir".into(), "f.mlir".into()])]);
        let folder = std::env::temp_dir().join(format!("halyard-record-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(ExtractionRecord::FILE), record.text()).unwrap();
        let read = ExtractionRecord::of(&session, &folder).unwrap().unwrap();
        let of = |file: &str| read.executables().get(file).copied();
        assert_eq!(of("e.c").unwrap().name(), "e");
        assert_eq!(of("e.mlir").unwrap().name(), "f");
        assert!(of("g.mlir").is_none());
        let (e_read, f_read) = (of("e.c").unwrap(), of("f.mlir").unwrap());
        assert_eq!(ExecutableOrigin::of(e_read.op), ExecutableOrigin::of(e.op));
        for (read, original) in [(e_read, e), (f_read, f)] {
            assert_eq!(content_key(read), content_key(original));
            assert_eq!(fingerprint(read.exports()[0].op), fingerprint(original.exports()[0].op));
        }
        assert_eq!(read.text(), record.text());
        fs::write(folder.join(ExtractionRecord::FILE), "module { module attributes {hal.files = [\"a\"]} {} }")
            .unwrap();
        assert!(ExtractionRecord::of(&session, &folder).is_err());
        fs::remove_dir_all(&folder).unwrap();
        assert!(ExtractionRecord::of(&session, &folder).unwrap().is_none());
    }
}
