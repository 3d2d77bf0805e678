//! Candidates from files: MLIR, C, LLVM IR, assembly, objects, schedules; what `hal-substitute` takes, and C.
use crate::{
    build::{Builder, Built, finish},
    compilers::CandidateCompilers,
    script::Script,
    subject::{Subject, variant_for},
    unbuilt::Unbuilt,
};
use hal_substitute::{Only, Rule, Substitution, SubstitutionName, Variants, Workgroups, substitute};
use hal_translate::translate_each;
use halyard_diag::{Error, Result, try_is_file};
use halyard_ir::{
    Op, Session,
    form::{Executable, ExecutableSelector, ObjectData, Phase, Program},
};
use halyard_manifest::{ListedCandidate, TuningCandidates};
use halyard_objects::writable_sections;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    rc::Rc,
    str::FromStr,
};

/// `NAME=FILE`: a file that competes with the kernels of the executables of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateFile {
    /// Which executables: a name, a pattern, a content key or an origin.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The parameters of a transform script, as in a stage: `[seq=NAME]{KNOB=VALUE}`.
    pub settings: String,
    /// The plugin that lists it.
    pub plugin: Option<String>,
    /// Whether it applies to all executables that it fits: one that it does not fit is not reported.
    pub is_for_any: bool,
}

impl CandidateFile {
    /// As a stage: the path in quotes if it needs them.
    pub(crate) fn stage(&self) -> String {
        let path = self.file.display().to_string();
        let is_plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c));
        let path = if is_plain { path } else { format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"")) };
        path + &self.settings
    }

    /// What plugins list.
    pub(crate) fn of_plugins(all: TuningCandidates) -> Vec<Self> {
        let file = |(plugin, listed): (String, ListedCandidate)| Self {
            is_for_any: listed.executable.is_none(),
            name: listed.executable.unwrap_or_else(|| "*".into()),
            file: listed.file,
            settings: String::new(),
            plugin: Some(plugin),
        };
        all.candidates.into_iter().map(file).collect()
    }
}

impl FromStr for CandidateFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => {
                let end = [".mlir[", ".mlir{"].iter().filter_map(|s| file.find(s)).min().map(|at| at + ".mlir".len());
                let (file, settings) = file.split_at(end.unwrap_or(file.len()));
                Ok(Self {
                    name: name.to_owned(),
                    file: file.into(),
                    settings: settings.to_owned(),
                    plugin: None,
                    is_for_any: false,
                })
            }
            _ => Err(format!("`{text}` is not NAME=FILE")),
        }
    }
}

impl fmt::Display for CandidateFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--candidate={}={}{}", self.name, self.file.display(), self.settings)
    }
}

/// A candidate file, as a transform script if it is one, with the names of the executables that it is for.
type Entry = (CandidateFile, Option<Rc<Script>>, BTreeSet<String>);

/// Builds kernels of candidate files.
#[derive(Debug)]
pub(crate) struct Files {
    files: Vec<Entry>,
    /// Workgroup counts, with the names of executables.
    workgroups: Vec<(BTreeSet<String>, [u32; 3])>,
    compilers: CandidateCompilers,
}

impl Files {
    /// `more_may_come` says that there may be files in C or GLSL beside those of the list. `commands` compile these. Errors: a file that is not there, a name that matches nothing.
    pub(crate) fn new(
        session: &Session,
        program: Program,
        (files, workgroups): (&[CandidateFile], &[Workgroups]),
        (commands, more_may_come): ([String; 2], bool),
    ) -> Result<Self> {
        let executables = program.executables();
        let selector = ExecutableSelector::new(&executables);
        let names =
            |text: &str| -> Result<BTreeSet<String>> { Ok(selector.all(text)?.iter().map(|e| e.name()).collect()) };
        for candidate in files {
            if !try_is_file(&candidate.file).map_err(|e| Error::io("read", &candidate.file, &e))? {
                return Err(Error::usage(format!("`{candidate}`: there is no such file")));
            }
        }
        let compilers = CandidateCompilers::new(commands, files.iter().map(|f| &*f.file), more_may_come)?;
        let entry = |f: &CandidateFile| -> Result<Entry> {
            let is_mlir = f.file.extension().is_some_and(|e| e == "mlir");
            let stage = f.stage();
            let script = if is_mlir { Script::read(session, "--candidate", &stage)? } else { None };
            if script.is_none() && !f.settings.is_empty() {
                return Err(Error::usage(format!("`{f}`: it is not a transform script, and has no `{}`", f.settings)));
            }
            // A plugin is for many programs.
            let names = if f.plugin.is_some() { names(&f.name).unwrap_or_default() } else { names(&f.name)? };
            Ok((f.clone(), script.map(Rc::new), names))
        };
        let files = files.iter().map(entry).collect::<Result<Vec<_>>>()?;
        let count = |w: &Workgroups| Ok((names(&w.name.executable)?, w.count));
        let workgroups = workgroups.iter().map(count).collect::<Result<Vec<_>>>()?;
        Ok(Self { files, workgroups, compilers })
    }

    /// The first file that is for none of the subjects.
    pub(crate) fn unmatched(&self, subjects: &[Subject]) -> Option<&CandidateFile> {
        let fits = |names: &BTreeSet<String>| subjects.iter().any(|s| is_for(names, s));
        self.files.iter().find(|(f, _, names)| f.plugin.is_none() && !fits(names)).map(|(file, ..)| file)
    }

    /// The files that are for a subject.
    pub(crate) fn of(&self, subject: &Subject) -> Vec<CandidateFile> {
        let own = self.files.iter().filter(|(_, script, names)| script.is_none() && is_for(names, subject));
        own.map(|(f, ..)| f.clone()).collect()
    }

    /// The scripts and files for a subject, as a client may propose them.
    pub(crate) fn proposals(&self, subject: &Subject) -> Vec<Value> {
        let own = self.files.iter().filter(|(.., names)| is_for(names, subject));
        let path = |f: &CandidateFile| std::path::absolute(&f.file).unwrap_or_else(|_| f.file.clone());
        own.map(|(f, script, _)| match script {
            Some(_) => json!({ "script": CandidateFile { file: path(f), ..f.clone() }.stage() }),
            None => json!({ "file": path(f) }),
        })
        .collect()
    }

    /// Whether anything is for a subject.
    pub(crate) fn are_for(&self, subject: &Subject) -> bool {
        self.files.iter().any(|(.., names)| is_for(names, subject))
    }

    /// The scripts that are for a subject.
    pub(crate) fn scripts(&self, subject: &Subject) -> Vec<(CandidateFile, Rc<Script>)> {
        let own = self.files.iter().filter(|(.., names)| is_for(names, subject));
        own.filter_map(|(f, script, _)| Some((f.clone(), script.clone()?))).collect()
    }

    /// A kernel of a file, or why there is none.
    pub(crate) fn build(
        &self,
        builder: &Builder<'_>,
        subject: &Subject,
        file: (&Path, Option<[u32; 3]>),
    ) -> Result<Built, Unbuilt> {
        let module = builder.session.empty_module();
        let program = Program::stamp(Op::from(&module), Phase::Executables);
        let copy = Executable { op: subject.executable.op.duplicate() };
        program.op.body().ok_or("a module without a body")?.append(copy.op);
        for export in copy.exports() {
            program.add_entry(&copy.name(), export);
        }
        // Another executable may take its place.
        let name = copy.name();
        let made = self.put(builder, program, &name, file);
        let Some(copy) = program.executable(&name) else { return Err("its executable is gone".into()) };
        copy.op.detach();
        if let Err(error) = made {
            copy.op.erase();
            return Err(error.into());
        }
        let device = builder.device();
        if variant_for(copy, device).is_none() && copy.exports().iter().all(|e| e.op.body().is_some()) {
            let report = translate_each(builder.session, &[copy], builder.translation).pop();
            return finish(device, copy, report.unwrap_or_else(|| Err(Error::input("it was not translated"))));
        }
        finish(device, copy, Ok(Default::default()))
    }

    /// Puts a file into the place of an executable, with a workgroup count if it has one of its own. Errors: it does not fit.
    pub(crate) fn put(
        &self,
        builder: &Builder<'_>,
        program: Program,
        name: &str,
        (file, count): (&Path, Option<[u32; 3]>),
    ) -> Result<()> {
        let object = self.compilers.compiled(file)?;
        let file = object.as_deref().unwrap_or(file);
        // MLIR and schedules say it themselves, or leave it to the compiler.
        let is_object = !file.extension().is_some_and(|e| e == "mlir" || e == "mlirbc" || e == "schedule");
        let own =
            self.workgroups.iter().filter(|(names, _)| is_object && names.contains(name)).map(|(_, count)| *count);
        let workgroups = count.into_iter().chain(own).take(1).map(|count| Workgroups {
            name: SubstitutionName { variants: Variants::All, ..SubstitutionName::executable(name) },
            count,
        });
        let what = Substitution {
            rules: vec![Rule { name: SubstitutionName::executable(name), file: file.to_owned(), further: false }],
            targets: builder.translation.targets.clone(),
            workgroups: workgroups.collect(),
            only: Only::Any,
            ..Substitution::default()
        };
        substitute(builder.session, program, &what).map(drop)
    }
}

/// Why a kernel could keep results between calls: it has memory for that.
pub(crate) fn keeps_state(built: &Built) -> Option<String> {
    let objects = built.case.variant.objects().unwrap_or_default();
    let sections = objects.into_iter().find_map(|object| match object.data {
        ObjectData::Embedded(bytes) => writable_sections(&bytes).ok().filter(|s| !s.is_empty()),
        _ => None,
    })?;
    let list: Vec<String> = sections.iter().map(|(name, bytes)| format!("`{name}` of {bytes} bytes")).collect();
    Some(format!("it has static memory that it can write ({}), in which results could outlive a call", list.join(", ")))
}

fn is_for(names: &BTreeSet<String>, subject: &Subject) -> bool {
    subject.members.iter().any(|e| names.contains(&e.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_have_settings_and_any_path() {
        let read = |text: &str| text.parse::<CandidateFile>().unwrap();
        let script = read("main*=a/b.mlir[seq=x]{rows=4}");
        let shown = (script.name.as_str(), script.file.to_str().unwrap(), script.settings.as_str());
        assert_eq!(shown, ("main*", "a/b.mlir", "[seq=x]{rows=4}"));
        assert_eq!(script.to_string(), "--candidate=main*=a/b.mlir[seq=x]{rows=4}");
        assert_eq!(script.stage(), "a/b.mlir[seq=x]{rows=4}");
        assert_eq!(read("k=my file, new.mlir{rows=4}").stage(), "\"my file, new.mlir\"{rows=4}");
        assert!("k".parse::<CandidateFile>().is_err());
    }
}
