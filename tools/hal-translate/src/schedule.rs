//! Schedules: the requests of `hal.schedule` on exports, and the schedules that were chosen, for users and tuners.
use crate::target::Target;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{KernelSchedule, NestSchedule},
    names,
};
use halyard_kernel::ChosenSchedule;
use serde::{Deserialize, Serialize};

/// The schedule of an export in the form that is sent between processes: as the value of `hal.schedule`, and key by
/// key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentSchedule {
    /// The value of `hal.schedule`.
    pub(crate) text: String,
    /// The same as JSON with legal values: an array with an object for each nest.
    pub(crate) space: String,
}

impl SentSchedule {
    /// `None` if there was nothing to choose.
    pub(crate) fn new(chosen: &ChosenSchedule) -> Option<Self> {
        let nests: Vec<String> = chosen
            .nests
            .iter()
            .map(|nest| {
                let keys: Vec<String> = nest
                    .iter()
                    .map(|c| format!("\"{}\": {{\"value\": {}, \"legal\": {}}}", c.key, c.value, c.legal))
                    .collect();
                format!("{{{}}}", keys.join(", "))
            })
            .collect();
        let space = format!("[{}]", nests.join(", "));
        (!nests.is_empty()).then(|| Self { text: chosen.to_string(), space })
    }
}

/// The schedule that an export asks for, for a target. Errors: what is wrong with it.
pub(crate) fn asked(export: Op, target: &str, device: &str) -> Result<Option<Vec<NestSchedule>>> {
    let name = export.symbol().unwrap_or_default();
    let bad = |why| Error::input(format!("`{}` of export `@{name}`: {why}", names::SCHEDULE)).code("bad-schedule");
    let schedule = KernelSchedule::of(export).map_err(bad)?;
    Ok(schedule.and_then(|s| s.for_target(&[target.to_owned(), device.to_owned()]).map(<[_]>::to_vec)))
}

/// The names of a target that schedules may be for, the longest first.
pub(crate) fn names_of(target: &Target) -> [String; 2] {
    [target.short(), target.device().to_owned()]
}

/// The key of `hal.schedule` for a target: its device and chip. Features are none of it.
pub fn schedule_key(target: &Target) -> String {
    let short = target.short();
    short.split_once(',').map_or(short.as_str(), |(key, _)| key).to_owned()
}

/// Makes the error for a schedule that is impossible.
pub(crate) fn refused(name: &str, reasons: &[String]) -> Error {
    let mut reasons = reasons.iter();
    let first = reasons.next().map_or("", String::as_str);
    let error = Error::input(format!("`{}` of export `@{name}`: {first}", names::SCHEDULE)).code("bad-schedule");
    let error = reasons.fold(error, |error, reason| error.note(reason.clone()));
    error.hint("`hal-translate --explain=schedule-space` lists what is legal, without the attribute")
}

/// Makes the error for a schedule that was not used.
pub(crate) fn unused(name: &str, why: &str) -> Error {
    let what = format!("`{}` of export `@{name}` has no effect: {why}", names::SCHEDULE);
    Error::input(what).code("bad-schedule").hint("leave it out, or name the targets that it is for: `{cpu = {…}}`")
}
