//! Builds kernels of candidates.
use crate::{
    space::Space,
    subject::{Schedules, variant_for, with_schedules},
    unbuilt::Unbuilt,
};
use hal_translate::{Translation, TranslationReport, translate_each};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Executable, ObjectData},
};
use halyard_verify::Case;
use serde_json::Value;

/// A kernel that was built; it is unloaded when this is dropped.
#[derive(Debug)]
pub(crate) struct Built {
    /// A copy of the executable with the variant.
    pub(crate) case: Case,
    /// The choices that its schedule has; `None` if there are none.
    pub(crate) space: Option<Space>,
    /// The same as `hal-translate --schedules-json` writes it: the nests of all exports, in order.
    pub(crate) choices: Value,
    /// A hash of its code.
    pub(crate) code: blake3::Hash,
}

impl Drop for Built {
    fn drop(&mut self) {
        self.case.executable.op.erase();
    }
}

/// Builds kernels for one target.
#[derive(Clone, Copy)]
pub(crate) struct Builder<'a> {
    pub(crate) session: &'a Session,
    pub(crate) translation: &'a Translation,
}

impl Builder<'_> {
    /// The kind of device that its target is for, as `--device` has it.
    pub(crate) fn device(&self) -> &'static str {
        self.translation.targets[0].device()
    }

    /// A kernel for each choice of schedules, or why there is none; without one, the kernel that the program has.
    pub(crate) fn build(&self, executable: Executable, schedules: &[Option<Schedules>]) -> Vec<Result<Built, Unbuilt>> {
        let copies: Vec<Result<Executable, Unbuilt>> = schedules
            .iter()
            .map(|s| with_schedules(self.session, executable, s.as_ref()).map_err(Unbuilt::from))
            .collect();
        self.build_copies(copies)
    }

    /// A kernel for each copy of an executable, or why there is none.
    pub(crate) fn build_copies(&self, copies: Vec<Result<Executable, Unbuilt>>) -> Vec<Result<Built, Unbuilt>> {
        let sound: Vec<Executable> = copies.iter().filter_map(|c| c.as_ref().ok().copied()).collect();
        let mut reports = translate_each(self.session, &sound, self.translation).into_iter();
        copies
            .into_iter()
            .map(|copy| {
                finish(
                    self.device(),
                    copy?,
                    reports.next().unwrap_or_else(|| Err(Error::input("it was not translated"))),
                )
            })
            .collect()
    }
}

/// An executable outside of a program, which is erased if it has no kernel for a kind of device.
pub(crate) fn finish(device: &str, copy: Executable, report: Result<TranslationReport>) -> Result<Built, Unbuilt> {
    let made = report.map_err(Unbuilt::from).and_then(|report| {
        let variant = variant_for(copy, device).ok_or_else(|| format!("it gives no code for `{device}`"))?;
        let mut code = blake3::Hasher::new();
        for object in variant.objects().map_err(Unbuilt::from)? {
            if let ObjectData::Embedded(bytes) = object.data {
                code.update(&bytes);
            }
        }
        // How many workgroups there are, is a part of the kernel, too.
        let counts = variant.exports().into_iter().filter_map(|e| variant.workgroups(e));
        for count in counts {
            code.update(count.to_string().as_bytes());
        }
        let reported = report.schedules_json();
        let of_export = |name: &str| {
            let kernels = reported["kernels"].as_array().into_iter().flatten();
            let nests = kernels.into_iter().find(|k| k["export"] == name).map_or(&Value::Null, |k| &k["nests"]);
            nests.as_array().cloned().unwrap_or_default()
        };
        let choices: Vec<Vec<Value>> = copy.exports().iter().map(|e| of_export(&e.name())).collect();
        Ok((variant, choices, code.finalize()))
    });
    match made {
        Ok((variant, choices, code)) => {
            let space = Space::read(&choices);
            let case = Case { executable: copy, variant, source: copy.op, made: true, alike: Vec::new() };
            let choices = choices.into_iter().flatten().collect::<Vec<_>>();
            let choices = if choices.is_empty() { Value::Null } else { Value::Array(choices) };
            Ok(Built { case, space, choices, code })
        }
        Err(why) => {
            copy.op.erase();
            Err(why)
        }
    }
}
