//! Puts winners into the program.
use crate::subject::{Schedules, Subject};
use halyard_diag::Result;
use halyard_ir::{
    Attr, Session,
    form::{KernelSchedule, NestSchedule},
    names,
};
use halyard_runtime::DeviceKind;

/// Sets schedules for one target on the exports of a subject. What the program says for other targets stays. Errors: what the
/// program says is damaged.
pub(crate) fn install(session: &Session, subject: &Subject, target: &str, schedules: &Schedules) -> Result<()> {
    for executable in &subject.members {
        for (export, schedule) in executable.exports().into_iter().zip(schedules) {
            let Some(schedule) = schedule else { continue };
            let present = KernelSchedule::of(export.op).map_err(halyard_diag::Error::input)?;
            let mut entries: Vec<(String, String)> = present.map(|p| others(&p, target)).unwrap_or_default();
            entries.push((target.to_owned(), schedule.clone()));
            entries.sort();
            let items: Vec<String> = entries.iter().map(|(key, value)| format!("\"{key}\" = {value}")).collect();
            let text = format!("{{{}}}", items.join(", "));
            let attr = Attr::parse(session.raw(), &text).ok_or_else(|| session.error("a schedule cannot be read"))?;
            export.op.set_attr(names::SCHEDULE, attr);
        }
    }
    Ok(())
}

/// What a schedule says for other targets.
fn others(schedule: &KernelSchedule, target: &str) -> Vec<(String, String)> {
    let text = |nests: &[NestSchedule]| match nests {
        [only] => only.to_string(),
        several => format!("[{}]", several.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    match schedule.for_all() {
        Some(nests) => DeviceKind::ALL.into_iter().map(|kind| (kind.name().to_owned(), text(nests))).collect(),
        None => {
            let named = schedule.by_target().iter().filter(|(name, _)| name != target);
            named.map(|(name, nests)| (name.clone(), text(nests))).collect()
        }
    }
}
