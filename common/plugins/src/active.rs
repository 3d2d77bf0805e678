//! Enabled plugins: their stages, targets and libraries, with the values of their options.
use halyard_cli::{duration, size};
use halyard_diag::{Error, ErrorKind, Result, Span};
use halyard_ir::Session;
use halyard_manifest::{CommandKeys, DeclaredTarget, Manifest, Stage, What};
use halyard_preprocess::{Action, Command, CompiledIn, Hook, Native, Preprocess, PreprocessArgs, Purity, Task};
use halyard_stages::{EntryKind, PipelineEntry, StageArgs, Stages, Variables};
use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

/// The enabled plugins, in order.
#[derive(Debug, Default)]
pub struct Active {
    pub(crate) plugins: Vec<Plugin>,
}

/// An enabled plugin.
pub(crate) struct Plugin {
    pub(crate) manifest: Manifest,
    /// The values of its options, and its folder.
    pub(crate) values: Variables,
    pub(crate) code: Option<&'static dyn CompiledIn>,
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Plugin").field(&self.manifest.name).finish()
    }
}

/// A code generator with its options in place.
#[derive(Debug)]
pub struct ExternalGenerator {
    /// The target's name, as in `--target`.
    pub name: String,
    /// The plugin that declares it.
    pub plugin: String,
    /// The command that generates the object of an executable.
    pub command: Command,
    /// An empty reply leaves an executable to other targets.
    pub partial: bool,
    /// The CPU target that the objects run on, as in `--target`.
    pub cpu: String,
    /// Into how many workgroups a dispatch is cut.
    pub workgroups: [u32; 3],
    /// The time limit for one executable.
    pub timeout: Option<Duration>,
    /// The memory limit, in bytes.
    pub memory: Option<u64>,
}

impl Active {
    /// Whether no plugin is enabled.
    pub fn is_empty(&self) -> bool {
        self.plugins.is_empty()
    }

    /// Returns the plugins' actions at hooks, checked. `jobs` is the value of `-j`; `targets` are the targets that
    /// commands are informed of. Fails if stages are malformed, with their places in the manifest.
    pub fn hooks(
        &self,
        session: &Session,
        files: &StageArgs,
        targets: &[String],
        jobs: Option<NonZeroUsize>,
    ) -> Result<Preprocess> {
        let mut tasks = Vec::new();
        for plugin in &self.plugins {
            for stage in &plugin.manifest.stages {
                if stage.when.as_ref().is_none_or(|option| plugin.is_set(option)) {
                    let hook = Hook::OF_PLUGINS.into_iter().find(|h| h.name() == stage.hook).unwrap_or(Hook::Input);
                    tasks.push((hook, plugin.task(session, files, stage)?));
                }
            }
        }
        let args = PreprocessArgs { preprocess_target: targets.to_vec(), ..PreprocessArgs::default() };
        Ok(Preprocess::of_tasks(tasks, args, jobs))
    }

    /// The code generator for a target. Errors: a time or size that is none.
    pub fn generator(&self, name: &str) -> Result<Option<ExternalGenerator>> {
        let targets = self.plugins.iter().flat_map(|p| p.manifest.targets.iter().map(move |t| (p, t)));
        targets.into_iter().find(|(_, t)| t.name == name).map(|(p, t)| p.generator(t)).transpose()
    }

    /// Returns the names of all targets.
    pub fn targets(&self) -> Vec<&str> {
        self.plugins.iter().flat_map(|p| &p.manifest.targets).map(|t| &*t.name).collect()
    }

    /// Names and folders of the plugins that have one, in order.
    pub fn folders(&self) -> Vec<(String, PathBuf)> {
        let folder = |p: &Plugin| Some((p.manifest.name.clone(), p.manifest.folder.clone()?));
        self.plugins.iter().filter_map(folder).collect()
    }

    /// Whether a file is in the folder of one of the plugins.
    pub fn has_file(&self, path: &Path) -> bool {
        self.folders().iter().any(|(_, folder)| path.starts_with(folder))
    }

    /// Returns the arguments that enable the same plugins, with all options, wherever the requests came from.
    pub fn words(&self) -> Vec<String> {
        self.plugins.iter().map(|p| format!("--plugin={}", p.text())).collect()
    }
}

impl Plugin {
    /// Returns the plugin as `NAME{OPTION=VALUE …}`.
    fn text(&self) -> String {
        let value = |name: &String| self.values.get(name).map(|v| format!("{name}={v}"));
        let options: Vec<_> = self.manifest.options.iter().filter_map(|o| value(&o.name)).collect();
        match options.len() {
            0 => self.manifest.name.clone(),
            _ => format!("{}{{{}}}", self.manifest.name, options.join(" ")),
        }
    }

    fn is_set(&self, option: &str) -> bool {
        self.values.get(option) == Some(&halyard_stages::grammar::OptionValue::Bool(true))
    }

    fn task(&self, session: &Session, files: &StageArgs, stage: &Stage) -> Result<Task> {
        let Self { manifest, values, code } = self;
        let action = match (stage.what, code) {
            (What::Stage, _) => {
                let place = (&manifest.source, manifest.folder.as_deref());
                let entries = std::slice::from_ref(&stage.entry);
                Action::Stage(Stages::listed(session, files, place, entries, values).map_err(|mut e| {
                    // It is not the command line that is wrong.
                    e.kind = if e.kind == ErrorKind::Usage { ErrorKind::Input } else { e.kind };
                    e.note(format!("plugin `{}` runs it at `{}`", manifest.name, stage.hook))
                })?)
            }
            (What::Call, Some(code)) => {
                let (code, values, name) = (*code, values.clone(), stage.entry.text.clone());
                let run = {
                    let name = name.clone();
                    move |session: &Session, module| code.call(&name, session, module, &values)
                };
                Action::Native(Native { name, run: Box::new(run) })
            }
            _ => Action::Command(self.command(&stage.entry, &stage.command)?),
        };
        let words = match &action {
            Action::Stage(stages) => stages.flat().iter().map(|s| format!("--stage={s}")).collect(),
            _ => Vec::new(),
        };
        let (timeout, memory) = self.limits(&stage.command)?;
        let asked_by = format!("plugin `{}` at `{}`", manifest.name, stage.hook);
        let limits = ["`timeout` in the plugin's manifest", "`memory` in the plugin's manifest"];
        Ok(Task { action, asked_by, limits, words, timeout, memory })
    }

    fn command(&self, entry: &PipelineEntry, keys: &CommandKeys) -> Result<Command> {
        let line = self.values.put_into_line(&self.manifest.source, entry)?;
        let line = line.unwrap_or_else(|| entry.text.clone());
        let may_be_empty = "if that means that it changes nothing, write `empty-is-unchanged = true` in the manifest";
        let pure = keys.pure.then(|| Purity { reads: keys.reads.clone() });
        if pure.is_some() {
            Purity::check(&line).map_err(|e| e.note(format!("plugin `{}` runs it", self.manifest.name)))?;
        }
        Ok(Command {
            pure,
            title: Some(self.without_folder(&line)),
            line,
            bytecode: keys.bytecode,
            empty_is_unchanged: keys.empty_is_unchanged,
            may_be_empty,
        })
    }

    /// A command as messages call it: its options are filled in, the plugin's folder is left out.
    fn without_folder(&self, line: &str) -> String {
        match &self.manifest.folder {
            Some(folder) => line.replace(&format!("{}/", folder.display()), ""),
            None => line.to_owned(),
        }
    }

    fn limits(&self, keys: &CommandKeys) -> Result<(Option<Duration>, Option<u64>)> {
        Ok((self.limit(keys.timeout.as_ref(), duration)?, self.limit(keys.memory.as_ref(), size)?))
    }

    fn limit<T>(&self, entry: Option<&PipelineEntry>, read: fn(&str) -> Result<T, String>) -> Result<Option<T>> {
        let Some(entry) = entry else { return Ok(None) };
        let text = self.expand(entry)?;
        read(&text).map(Some).map_err(|why| {
            let at = Span::new(&self.manifest.source, entry.at.clone());
            Error::input(format!("`{text}` does not fit: {why}")).code("bad-manifest").at(at)
        })
    }

    fn expand(&self, entry: &PipelineEntry) -> Result<String> {
        let entry = PipelineEntry { kind: EntryKind::Pass, ..entry.clone() };
        Ok(self.values.put_into(&self.manifest.source, &entry)?.unwrap_or(entry.text))
    }

    fn generator(&self, target: &DeclaredTarget) -> Result<ExternalGenerator> {
        let (timeout, memory) = self.limits(&target.command)?;
        let mut command = self.command(&target.entry, &target.command)?;
        command.empty_is_unchanged = target.partial;
        command.may_be_empty = "if that leaves it to other targets, write `partial = true` in the manifest";
        Ok(ExternalGenerator {
            name: target.name.clone(),
            plugin: self.manifest.name.clone(),
            command,
            partial: target.partial,
            cpu: self.expand(&target.cpu)?,
            workgroups: target.workgroups,
            timeout,
            memory,
        })
    }
}
