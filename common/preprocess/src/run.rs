//! Collects the actions of all flags, and runs them.
use crate::{Action, Caller, Hook, PreprocessArgs, Task, calls::output, executables, objects, program, turn::Turn};
use halyard_cache::CacheChoice;
use halyard_cli::Printer;
use halyard_diag::{Error, ErrorKind, Result};
use halyard_exec::Slots;
use halyard_ir::{Module, Op, PipelineOptions, Session, form::Program};
use halyard_stages::{Matching, StageArgs, Stages};
use std::{collections::BTreeMap, num::NonZeroUsize, path::PathBuf};

/// The actions that the flags request, parsed and checked.
#[derive(Debug)]
pub struct Preprocess {
    tasks: BTreeMap<Hook, Vec<Task>>,
    args: PreprocessArgs,
    slots: Slots,
    options: PipelineOptions,
    object_path: Vec<PathBuf>,
    /// Where replies of pure commands are kept.
    cache: Option<CacheChoice>,
}

/// A module, and how many actions of the hook have seen it already.
#[derive(Debug)]
pub struct Converted<'s> {
    /// The module.
    pub module: Module<'s>,
    /// The number of actions of the hook that have run.
    pub done: usize,
}

impl<'s> From<Module<'s>> for Converted<'s> {
    fn from(module: Module<'s>) -> Self {
        Self { module, done: 0 }
    }
}

impl Preprocess {
    /// The stages among the actions, with what asks for them.
    pub fn stages(&self) -> impl Iterator<Item = (&str, &Stages)> {
        self.tasks.values().flatten().filter_map(|task| match &task.action {
            Action::Stage(stages) => Some((&*task.asked_by, stages)),
            _ => None,
        })
    }

    /// Checks what the flags ask for; `files` says where stages are looked for, `jobs` is what `-j` said. Errors: what [`Action::parse`] says, for all of them; limits
    /// without a command; a folder for files that cannot be made.
    pub fn new(
        session: &Session,
        args: &PreprocessArgs,
        files: &StageArgs,
        jobs: Option<NonZeroUsize>,
    ) -> Result<Self> {
        let mut tasks: BTreeMap<Hook, Vec<Task>> = BTreeMap::new();
        let mut problems = Vec::new();
        let mut kinds = Vec::new();
        for hook in Hook::ALL {
            for text in args.of(hook) {
                match Action::parse(session, files, hook, text) {
                    Ok(action) => tasks.entry(hook).or_default().push(Task::of_flag(action, hook, text, args)),
                    Err(e) => {
                        kinds.push(e.kind);
                        problems.extend(e.diagnostics);
                    }
                }
            }
        }
        if !problems.is_empty() {
            // Errors in the command line itself are reported first.
            let kind = kinds.iter().copied().find(|&k| k == ErrorKind::Usage).unwrap_or(kinds[0]);
            return Err(Error { kind, diagnostics: problems });
        }
        // Commands, and stages on executables, run in processes of their own.
        let is_limited = |(hook, list): (&Hook, &Vec<Task>)| {
            *hook == Hook::Executable || list.iter().any(|t| matches!(t.action, Action::Command(_)))
        };
        let any = tasks.iter().any(is_limited);
        if let Some(flag) = args.limit_words().next().filter(|_| !any) {
            return Err(Error::usage(format!("`{flag}` has no effect: no command is given")).hint(
                "it is for the commands of `--preprocess-executables-with` and its siblings, and for stages on executables",
            ));
        }
        if let Some(folder) = &args.keep_preprocess_files {
            std::fs::create_dir_all(folder).map_err(|e| Error::io("make", folder, &e))?;
        }
        Ok(Self { tasks, ..Self::of_tasks([], args.clone(), jobs) })
    }

    /// Makes actions that do not come from flags, such as those of plugins. Only the targets of `args` are used.
    pub fn of_tasks(
        all: impl IntoIterator<Item = (Hook, Task)>,
        args: PreprocessArgs,
        jobs: Option<NonZeroUsize>,
    ) -> Self {
        let mut tasks: BTreeMap<Hook, Vec<Task>> = BTreeMap::new();
        for (hook, task) in all {
            tasks.entry(hook).or_default().push(task);
        }
        let (slots, options) = (Slots::new(jobs), PipelineOptions::default());
        Self { tasks, args, slots, options, object_path: Vec::new(), cache: None }
    }

    /// Sets how matches of scripts and patterns are reported, and how passes run.
    #[must_use]
    pub fn with(mut self, matching: Matching, options: PipelineOptions) -> Self {
        for task in self.tasks.values_mut().flatten() {
            if let Action::Stage(stages) = &mut task.action {
                *stages = std::mem::take(stages).matching(matching);
            }
        }
        self.options = options;
        self
    }

    /// Sets the folders that are searched, after the working directory, for objects that a program names by path.
    #[must_use]
    pub fn objects_in(mut self, folders: &[PathBuf]) -> Self {
        self.object_path = folders.to_vec();
        self
    }

    /// Sets the cache that keeps replies of pure commands, on this machine.
    #[must_use]
    pub fn cached(mut self, cache: Option<CacheChoice>) -> Self {
        self.cache = cache.map(CacheChoice::on_this_machine);
        self
    }

    /// Whether a command among the actions declares itself pure.
    pub fn has_pure(&self) -> bool {
        let is_pure = |task: &Task| matches!(&task.action, Action::Command(command) if command.pure.is_some());
        self.tasks.values().flatten().any(is_pure)
    }

    /// Whether there are no actions.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether there is an action at a hook.
    pub fn has(&self, hook: Hook) -> bool {
        self.tasks.contains_key(&hook)
    }

    /// Converts a model that MLIR cannot read, such as one in a dialect of another project, with the first command at
    /// the hook `input`. Fails if there is no such command (with `why`, MLIR's error), or with the command's error.
    pub fn convert<'s>(
        &self,
        session: &'s Session,
        printer: &Printer,
        (bytes, name): (&[u8], &str),
        why: Error,
    ) -> Result<Converted<'s>> {
        match self.tasks.get(&Hook::Input).and_then(|tasks| tasks.first()) {
            Some(task @ Task { action: Action::Command(command), .. }) if !bytes.trim_ascii().is_empty() => {
                let turn = self.turn((Hook::Input, 0), task, printer);
                Ok(Converted { module: program::convert(session, (bytes, name), command, &turn, &why)?, done: 1 })
            }
            _ => Err(why),
        }
    }

    /// Runs what all flags ask for on a module, in the order of the hooks.
    pub fn run<'s>(&self, session: &'s Session, printer: &Printer, model: Converted<'s>) -> Result<Module<'s>> {
        let mut module = self.run_at(Hook::Input, session, printer, model)?;
        for hook in Hook::ALL.into_iter().filter(|&h| h != Hook::Input) {
            module = self.run_at(hook, session, printer, module.into())?;
        }
        Ok(module)
    }

    fn turn<'a>(&'a self, (hook, index): (Hook, usize), task: &Task, printer: &'a Printer) -> Turn<'a> {
        let caller = Caller {
            cache: self.cache.as_ref(),
            printer,
            slots: &self.slots,
            timeout: task.timeout,
            memory: task.memory,
            output: output(&self.args),
        };
        Turn { caller, hook, folder: format!("{}-{}", hook.name(), index + 1), args: &self.args, limits: task.limits }
    }

    /// Runs what the flag of one hook asks for. Errors: the program is in another phase; a tool that fails, or whose reply
    /// does not fit; what stages say.
    pub fn run_at<'s>(
        &self,
        hook: Hook,
        session: &'s Session,
        printer: &Printer,
        model: Converted<'s>,
    ) -> Result<Module<'s>> {
        self.run_noting(hook, session, printer, model, &mut |_, _| {})
    }

    /// Like [`Preprocess::run_at`]; `note` hears after each action which one it was, and the module.
    pub fn run_noting<'s>(
        &self,
        hook: Hook,
        session: &'s Session,
        printer: &Printer,
        model: Converted<'s>,
        note: &mut dyn FnMut(&Task, Op),
    ) -> Result<Module<'s>> {
        let Converted { mut module, done } = model;
        let Some(tasks) = self.tasks.get(&hook) else { return Ok(module) };
        for (i, task) in tasks.iter().enumerate().skip(done) {
            hook.check_phase(Op::from(&module), &task.asked_by)?;
            let turn = self.turn((hook, i), task, printer);
            let whole = matches!(hook, Hook::Input | Hook::Global | Hook::Dispatch | Hook::Link);
            match &task.action {
                Action::Command(command) if whole => module = program::command(session, module, command, &turn)?,
                Action::Stage(stages) if whole => program::stages(session, &module, stages, self.options)?,
                Action::Native(native) if whole => (native.run)(session, Op::from(&module))?,
                Action::Command(command) if hook == Hook::Object => {
                    objects::command((&module).into(), command, &turn, &self.object_path)?;
                }
                Action::Command(command) => executables::command(session, (&module).into(), command, &turn)?,
                Action::Stage(stages) => {
                    executables::stages(session, (&module).into(), (stages, &task.words), self.options, &turn)?;
                }
                Action::Native(native) => {
                    for executable in (Program { op: Op::from(&module) }).executables() {
                        (native.run)(session, executable.op)?;
                    }
                }
            }
            note(task, Op::from(&module));
        }
        Ok(module)
    }
}
