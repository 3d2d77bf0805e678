//! `--dump-executable-stages-to`, also for `--report`: what each step and stage changes, in the program as long as it has no
//! executables, then in each executable.
use crate::dump_args::DumpArgs;
use hal_import::ImportHistory;
use hal_translate::CodeFile;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{Executable, Program, file_name},
};
use halyard_stages::{History, Observer, RunningStage};
use std::{collections::BTreeMap, fs, path::Path, time::Duration};

/// What the file about the program before it has executables is called.
const IMPORT: &str = "hal-import.stages.diff";

/// A program until it has executables, and these from their forming to their translation.
#[derive(Debug, Default)]
pub(crate) struct ExecutableHistories {
    /// Whether anybody wants them.
    on: bool,
    known: BTreeMap<String, History>,
    import: ImportHistory,
}

impl ExecutableHistories {
    pub(super) fn new(args: &DumpArgs) -> Self {
        Self { on: args.stage_folders().next().is_some(), ..Self::default() }
    }

    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Where an import notes its steps.
    pub(super) fn of_import(&self) -> Option<&ImportHistory> {
        self.on.then_some(&self.import)
    }

    /// Notes what a step changed; an executable that is new begins with it.
    pub(super) fn note(&mut self, step: &str, program: Program) {
        if self.on && program.executables().is_empty() && self.known.is_empty() {
            self.import.note(step, program.op);
        }
        self.each(step, program, |history, source| history.add(step, source));
    }

    /// Notes what a step changed that most compilations have nothing for.
    pub(super) fn note_change(&mut self, step: &str, program: Program) {
        self.each(step, program, |history, source| history.add_change(step, source));
    }

    fn each(&mut self, step: &str, program: Program, add: impl Fn(&mut History, Op)) {
        if !self.on {
            return;
        }
        for executable in program.executables() {
            let source = source(executable);
            match self.known.get_mut(&executable.name()) {
                Some(history) => add(history, source),
                None => drop(self.known.insert(executable.name(), History::new(step, source))),
            }
            source.erase();
        }
    }

    /// Writes them and those of the lowering. Errors: a folder that cannot be written.
    pub(super) fn write(&self, args: &DumpArgs, lowered: &[CodeFile]) -> Result<()> {
        for folder in args.stage_folders() {
            fs::create_dir_all(folder).map_err(|e| Error::io("make the folder", folder, &e))?;
            if let Some(text) = self.import.text() {
                halyard_cli::write_atomically(&folder.join(IMPORT), text.as_bytes())?;
            }
            self.known.iter().try_for_each(|(name, history)| write(folder, name, history.text()))?;
            hal_translate::write_code(folder, lowered)?;
        }
        Ok(())
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    halyard_cli::write_atomically(&folder.join(file_name(name, None, "stages.diff")), text.as_bytes())
}

/// A copy, in no block, of an executable without its variants.
fn source(executable: Executable) -> Op {
    let copy = Executable { op: executable.op.duplicate() };
    copy.variants().into_iter().for_each(|variant| variant.op.erase());
    copy.op
}

/// Stages on the whole program, which change executables.
pub(super) struct Watching<'a>(pub(super) &'a mut ExecutableHistories);

impl Observer for Watching<'_> {
    fn after(&mut self, stage: RunningStage<'_>, module: Op, _: Duration, result: Result<()>) -> Result<()> {
        if result.is_ok() && self.0.is_on() {
            // Between stages a program need not be one.
            if let Some(program) = Program::view(module) {
                self.0.note(&format!("--stage={}", stage.text), program);
            }
        }
        result
    }
}
