//! Notes what an import changes until executables are formed, for reports.
use halyard_diag::Result;
use halyard_ir::{Op, Session};
use halyard_stages::{History, Pipeline, StepRunner};
use std::cell::RefCell;

/// What each step of an import changed: passes and steps of its pipelines, and what the command line asks for.
#[derive(Debug, Default)]
pub struct ImportHistory(RefCell<Option<History>>);

impl ImportHistory {
    /// Notes what a step made. The first one is shown whole.
    pub fn note(&self, step: &str, module: Op) {
        match &mut *self.0.borrow_mut() {
            Some(history) => history.add(step, module),
            none => *none = Some(History::new(step, module)),
        }
    }

    /// Notes what a step changed that most imports have nothing for.
    pub fn note_change(&self, step: &str, module: Op) {
        if let Some(history) = &mut *self.0.borrow_mut() {
            history.add_change(step, module);
        }
    }

    /// The text, as [`History`] describes it; `None` if there was no import.
    pub fn text(&self) -> Option<String> {
        self.0.borrow().as_ref().map(|history| history.text().to_owned())
    }
}

/// Runs a pipeline, and notes what each pass and step changes if anybody wants to know. Errors: those of the stages.
pub(crate) fn run_pipeline(
    session: &Session,
    pipeline: &Pipeline,
    (module, runner): (Op, &mut dyn StepRunner),
    history: Option<&ImportHistory>,
) -> Result<()> {
    let Some(noted) = history else { return pipeline.prepare(session)?.run(module, runner) };
    let begun = noted.0.take().unwrap_or_else(|| History::new("before", module));
    let begun = pipeline.prepare_watched(session)?.run_noting(begun, module, runner)?;
    noted.0.replace(Some(begun));
    Ok(())
}
