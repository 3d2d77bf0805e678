//! Schedules of winners on exports.
use crate::{
    schedule::{names_of, schedule_key},
    target::Target,
};
use halyard_ir::{
    Attr, Session,
    form::{Executable, KernelSchedule, NestSchedule},
    names,
};

/// The most characters of a schedule; people's and the compiler's have a few hundred.
const LONGEST: usize = 1 << 14;

/// A schedule has arrays in dictionaries in an array. MLIR's parser recurses.
const DEEPEST: usize = 4;

/// Whether an executable already has a schedule for a target: the program takes precedence. A malformed one counts, so
/// that it is reported as without a database.
pub(super) fn has_own(executable: Executable, target: &Target) -> bool {
    executable.exports().into_iter().any(|export| match KernelSchedule::of(export.op) {
        Ok(schedule) => schedule.is_some_and(|s| s.for_target(&names_of(target)).is_some()),
        Err(_) => true,
    })
}

/// Sets the schedules of a winner on the exports of an executable, for a target. Fails, without changes, if they do
/// not fit it. The kernel compiler checks later whether they are legal for its kernels.
pub(super) fn set(
    session: &Session,
    executable: Executable,
    target: &Target,
    schedules: &[Option<String>],
) -> Result<(), String> {
    let exports = executable.exports();
    if exports.len() != schedules.len() {
        return Err(format!("it is for {} exports, and the executable has {}", schedules.len(), exports.len()));
    }
    let mut values: Vec<Option<Attr>> = Vec::new();
    for (export, schedule) in exports.iter().zip(schedules) {
        let Some(text) = schedule else {
            values.push(None);
            continue;
        };
        let nests = read(session, text)?;
        let mut items = export.op.attr(names::SCHEDULE).and_then(Attr::as_dict).unwrap_or_default();
        items.push((schedule_key(target), nests));
        let items: Vec<(&str, Attr)> = items.iter().map(|(key, value)| (&**key, *value)).collect();
        let value = Attr::dict(session.raw(), &items);
        KernelSchedule::read(value)?;
        values.push(Some(value));
    }
    for (export, value) in exports.iter().zip(values) {
        if let Some(value) = value {
            export.op.set_attr(names::SCHEDULE, value);
        }
    }
    Ok(())
}

/// Removes the schedules that [`set`] added.
pub(super) fn unset(session: &Session, executable: Executable, target: &Target) {
    for export in executable.exports() {
        let Some(mut items) = export.op.attr(names::SCHEDULE).and_then(Attr::as_dict) else { continue };
        items.retain(|(key, _)| *key != schedule_key(target));
        let items: Vec<(&str, Attr)> = items.iter().map(|(key, value)| (&**key, *value)).collect();
        match items.as_slice() {
            [] => drop(export.op.remove_attr(names::SCHEDULE)),
            items => export.op.set_attr(names::SCHEDULE, Attr::dict(session.raw(), items)),
        }
    }
}

/// The most brackets that are open at once.
fn depth(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' | b'(' | b'<' => open += 1,
            b']' | b'}' | b')' | b'>' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// The schedule that a text says, as an array of nests. Errors: it is none, or one for several targets.
fn read(session: &Session, text: &str) -> Result<Attr, String> {
    if text.len() > LONGEST {
        return Err("its schedule is too long to be one".into());
    }
    if depth(text) > DEEPEST {
        return Err("its schedule is nested too deeply to be one".into());
    }
    let not_one = || format!("`{text}` is not a schedule");
    let parsed = Attr::parse(session.raw(), text);
    // MLIR's diagnostics about it would be reported with something else.
    session.take_diagnostics();
    let schedule = KernelSchedule::read(parsed.ok_or_else(not_one)?)?;
    let nests: &[NestSchedule] = schedule.for_target(&[]).ok_or_else(|| format!("`{text}` is for several targets"))?;
    let nests: Vec<String> = nests.iter().map(ToString::to_string).collect();
    Attr::parse(session.raw(), &format!("[{}]", nests.join(", "))).ok_or_else(not_one)
}
