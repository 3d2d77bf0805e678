//! How stages are read: from where their files come, and what all of a run share.
use super::{PackedFile, Scope, library, python::Interpreter};
use crate::{grammar::OptionSetting, steps::PipelineSpec};
use clap::Args;
use halyard_diag::{Error, Result, Source, Span, may_exist};
use halyard_exec::Scratch;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Where stages are looked for.
#[derive(Debug, Clone, Default, Args)]
pub struct StageArgs {
    /// Look for stage files in FOLDER, after the working directory and before the built-in stages; repeatable
    ///
    /// HALYARD_STAGE_PATH lists further folders, separated by colons, which are searched after these.
    #[arg(long = "stage-path", value_name = "FOLDER", help_heading = "Stages")]
    pub stage_path: Vec<PathBuf>,
    /// Stop a Python stage that takes longer than this, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = halyard_cli::duration, help_heading = "Stages")]
    pub stage_timeout: Option<Duration>,
    /// Files that came along with the stages, in a reproducer.
    #[arg(skip)]
    pub unpacked: Option<Arc<Unpacked>>,
}

/// Files that came along with stages: they are found before all others.
#[derive(Debug)]
pub struct Unpacked {
    /// Where they are.
    folder: Scratch,
    /// By their names: what messages call them.
    shown: BTreeMap<String, String>,
}

impl Unpacked {
    /// Writes files to a new folder. Errors: a name that leads out of it; a failed write.
    pub fn new(files: &[PackedFile]) -> Result<Self> {
        let folder = Scratch::new("stages")?;
        for file in files {
            let path = Path::new(&file.name);
            if !path.components().all(|c| matches!(c, std::path::Component::Normal(_))) {
                return Err(Error::input(format!("`{}` is no name of a file that comes along", file.name)));
            }
            let path = folder.path().join(path);
            let parent = path.parent().unwrap_or(folder.path());
            std::fs::create_dir_all(parent).map_err(|e| Error::io("make the folder", parent, &e))?;
            std::fs::write(&path, &file.bytes).map_err(|e| Error::io("write", &path, &e))?;
        }
        let shown = files.iter().map(|f| (f.name.clone(), f.shown.clone())).collect();
        Ok(Self { folder, shown })
    }

    fn find(&self, name: &str) -> Option<Found> {
        let shown = self.shown.get(name)?;
        let path = self.folder.path().join(name);
        let bytes = std::fs::read(&path).ok()?;
        // Python reads its files by itself, others are what they are called.
        let path = if name.ends_with(".py") { path } else { shown.into() };
        Some(Found { path, bytes: bytes.into(), built_in: false })
    }
}

impl StageArgs {
    /// The folders, those of the environment last.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let more = std::env::var_os("HALYARD_STAGE_PATH").unwrap_or_default();
        let more: Vec<_> = std::env::split_paths(&more).filter(|p| !p.as_os_str().is_empty()).collect();
        self.stage_path.iter().cloned().chain(more).collect()
    }

    /// The same for any working directory.
    pub(crate) fn absolute(&self) -> Self {
        let folders = self.stage_path.iter().map(|f| std::path::absolute(f).unwrap_or_else(|_| f.clone()));
        Self { stage_path: folders.collect(), ..self.clone() }
    }

    /// The equivalent command-line arguments.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let folders = self.stage_path.iter().map(|f| format!("--stage-path={}", f.display()));
        folders.chain(self.stage_timeout.map(|t| format!("--stage-timeout={}", t.as_secs_f64())))
    }
}

/// What a stage is read with.
#[derive(Debug, Clone)]
pub(super) struct Reading<'a> {
    pub(super) args: &'a StageArgs,
    /// The folder of the file that names the stage; `None` on the command line.
    pub(super) folder: Option<PathBuf>,
    /// The text that it stands in.
    pub(super) source: &'a Arc<Source>,
    /// What runs stages in Python.
    pub(super) python: &'a Arc<Interpreter>,
    /// The pipeline files on the way here: what they are, and what messages call them.
    pub(super) chain: Vec<(PathBuf, String)>,
    /// What may stand there.
    pub(super) scope: Scope,
    /// The file that names the stage is built in.
    pub(super) built_in: bool,
}

/// A file that was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// What messages call it, and where it is if it is not built in.
    pub(super) path: PathBuf,
    /// Its contents.
    pub(super) bytes: Cow<'static, [u8]>,
    /// It comes with us.
    pub(super) built_in: bool,
}

impl<'a> Reading<'a> {
    /// Reads a command line.
    pub(super) fn new(args: &'a StageArgs, source: &'a Arc<Source>, python: &'a Arc<Interpreter>) -> Self {
        Self { args, folder: None, source, python, chain: Vec::new(), scope: Scope::default(), built_in: false }
    }

    /// Says what may stand there.
    pub(super) fn within(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// Fails for a step that nothing would run.
    pub(super) fn check_step(&self, place: &'static PipelineSpec, name: &str, at: &Range<usize>) -> Result<()> {
        if self.scope.any || self.scope.place == Some(place) {
            return Ok(());
        }
        let (tool, default) = (place.tool, place.name);
        Err(Error::usage(format!("step `{name}` runs in the pipeline `{default}` of {tool} only"))
            .code("misplaced-step")
            .at(self.span(at.clone()))
            .hint(format!("put it into a pipeline file, and pass that to `{tool} --pipeline={default}=FILE.yaml`")))
    }

    /// A place in the text.
    pub(super) fn span(&self, at: Range<usize>) -> Span {
        Span::new(self.source, at)
    }

    /// Finds and reads a file. Errors: it is nowhere, with where it was looked for; it cannot be read.
    pub(super) fn find(&self, path: &str, at: Range<usize>) -> Result<Found> {
        let span = self.span(at);
        let wanted = Path::new(path);
        if let Some(found) = self.args.unpacked.as_ref().and_then(|u| u.find(path)) {
            return Ok(found);
        }
        let built_in = || {
            let bytes = library::read(path)?;
            Some(Found { path: wanted.to_owned(), bytes: bytes.into(), built_in: true })
        };
        // Those that are built in are beside each other.
        if let Some(found) = built_in().filter(|_| self.built_in || self.scope.own) {
            return Ok(found);
        }
        let mut places: Vec<PathBuf> = Vec::new();
        places.extend(self.folder.clone());
        places.push(PathBuf::new());
        places.extend(self.args.folders());
        for place in &places {
            let candidate = place.join(wanted);
            if may_exist(&candidate) {
                let bytes = std::fs::read(&candidate)
                    .map_err(|e| Error::io("read", &candidate, &e).code("cannot-read").at(span.clone()))?;
                halyard_cli::depend_on(&candidate);
                return Ok(Found { path: candidate, bytes: bytes.into(), built_in: false });
            }
        }
        if let Some(found) = built_in() {
            return Ok(found);
        }
        let error = Error::environment(format!("cannot read `{path}`: no such file or directory"));
        let error = error.code("cannot-read").at(span);
        if wanted.is_absolute() {
            return Err(error);
        }
        let places: Vec<String> =
            places
                .iter()
                .map(|p| {
                    if p.as_os_str().is_empty() { "the working directory".into() } else { format!("`{}`", p.display()) }
                })
                .collect();
        let error = error.note(format!("looked for in {}, and among the built-in stages", places.join(", ")));
        Err(match halyard_diag::nearest(path, library::names()).first() {
            Some(near) => error.hint(format!("did you mean the built-in `{near}`?")),
            None => error.hint("`--stage-path=FOLDER` adds a folder; `--list-stages` shows those that are built in"),
        })
    }
}

/// Settings in the text that they stand in.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) source: Arc<Source>,
    pub(super) all: Vec<OptionSetting>,
}

impl Settings {
    /// The place of a name.
    pub(super) fn name_span(&self, setting: &OptionSetting) -> Span {
        Span::new(&self.source, setting.name_at.clone())
    }

    /// The place of a value.
    pub(super) fn value_span(&self, setting: &OptionSetting) -> Span {
        Span::new(&self.source, setting.value_at.clone())
    }

    /// The error for a setting that nothing knows.
    pub(super) fn unknown(&self, setting: &OptionSetting, what: &str, owner: &str, known: &[String]) -> Error {
        let error = Error::usage(format!("{owner} has no {what} `{}`", setting.name))
            .code("unknown-name")
            .at(self.name_span(setting));
        let error = if known.is_empty() {
            error.note(format!("it has no {what}s"))
        } else {
            let list: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
            error.note(format!("it has {}", list.join(", ")))
        };
        match halyard_diag::nearest(&setting.name, known.iter().map(String::as_str)).first() {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error,
        }
    }
}
