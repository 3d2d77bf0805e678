//! Makes kernels of candidates.
use crate::{space::Space, subject::with_schedule};
use hal_translate::{Translation, TranslationReport, translate_each};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Executable, ObjectData},
};
use halyard_verify::Case;
use serde_json::Value;

/// A kernel that was made; it is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Built {
    /// A copy of the executable with the variant.
    pub(crate) case: Case,
    /// What may be chosen for it; `None` if nothing.
    pub(crate) space: Option<Space>,
    /// The same as `hal-translate --schedules-json` writes it.
    pub(crate) choices: Value,
    /// A hash of its code.
    pub(crate) code: blake3::Hash,
}

impl Drop for Built {
    fn drop(&mut self) {
        self.case.executable.op.erase();
    }
}

/// Makes kernels for one target.
pub(crate) struct Builder<'a> {
    pub(crate) session: &'a Session,
    pub(crate) translation: &'a Translation,
}

impl Builder<'_> {
    /// A kernel for each schedule, or why there is none; without a schedule, the kernel that the program has.
    pub(crate) fn build(&self, executable: Executable, schedules: &[Option<String>]) -> Vec<Result<Built, String>> {
        let copies: Vec<Result<Executable, String>> = schedules
            .iter()
            .map(|s| with_schedule(self.session, executable, s.as_deref()).map_err(|e| reason(&e)))
            .collect();
        let sound: Vec<Executable> = copies.iter().filter_map(|c| c.as_ref().ok().copied()).collect();
        let mut reports = translate_each(self.session, &sound, self.translation).into_iter();
        copies
            .into_iter()
            .map(|copy| finish(copy?, reports.next().unwrap_or_else(|| Err(Error::input("it was not translated")))))
            .collect()
    }
}

/// What became of an executable in no program, which is erased if there is no kernel.
pub(crate) fn finish(copy: Executable, report: Result<TranslationReport>) -> Result<Built, String> {
    let made = report.map_err(|e| reason(&e)).and_then(|report| {
        let variant = copy.variants().into_iter().next().ok_or("it was not translated")?;
        let mut code = blake3::Hasher::new();
        for object in variant.objects().map_err(|e| reason(&e))? {
            if let ObjectData::Embedded(bytes) = object.data {
                code.update(&bytes);
            }
        }
        // How many workgroups there are, is a part of the kernel, too.
        let counts = variant.exports().into_iter().filter_map(|e| variant.workgroups(e));
        for count in counts {
            code.update(count.to_string().as_bytes());
        }
        let choices = report.schedules_json()["kernels"].get(0).map_or(Value::Null, |k| k["nests"].clone());
        Ok((variant, choices, code.finalize()))
    });
    match made {
        Ok((variant, choices, code)) => {
            let space = Space::read(&choices);
            let case = Case { executable: copy, variant, source: copy.op, made: true, alike: Vec::new() };
            Ok(Built { case, space, choices, code })
        }
        Err(why) => {
            copy.op.erase();
            Err(why)
        }
    }
}

/// What an error says, in one line, without the executable that it is about.
pub(crate) fn reason(error: &Error) -> String {
    let Some(first) = error.diagnostics.first() else { return "it was not translated".into() };
    let line = first.message.lines().next().unwrap_or_default();
    line.split_once("` of export `@")
        .and_then(|(_, rest)| rest.split_once("`: "))
        .map_or(line, |(_, why)| why)
        .to_owned()
}
