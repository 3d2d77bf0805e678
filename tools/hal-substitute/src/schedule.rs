//! Substitutes schedules of kernels.
use crate::{SubstitutionName, Variants, files::Source, request::Request};
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::{
    Session,
    form::{Executable, ScheduleFile},
    names,
};
use halyard_objects::FileFormat;

/// Errors: a schedule is given for one variant or export; the file says for which targets and exports it is.
pub(crate) fn check_name(request: &Request) -> Result<()> {
    let is_schedule = request.files.iter().any(|f| f.kind == FileFormat::Schedule);
    if !is_schedule || request.name.variants == Variants::Unsaid {
        return Ok(());
    }
    let (file, name) = (request.shown(), SubstitutionName::executable(&request.name.executable));
    Err(Error::usage(format!("`{file}` is a schedule, which is for an executable as a whole"))
        .code("wrong-kind")
        .hint(format!("`{name}={file}`; the file says for which exports and targets it is")))
}

/// Sets the schedules of a file on the exports of an executable. Returns remarks. Fails if there is no schedule, or an
/// unknown export.
pub(crate) fn set(session: &Session, executable: Executable, file: &Source) -> Result<Vec<String>> {
    let text = String::from_utf8_lossy(&file.bytes);
    let schedules = ScheduleFile::read(session, &text).map_err(|e| e.in_file(file.name.clone()))?.schedules;
    let exports = executable.exports();
    let known: Vec<String> = exports.iter().map(|e| e.name()).collect();
    for (name, value) in &schedules {
        let Some(export) = exports.iter().find(|e| e.name() == *name) else {
            let error = Error::input(format!("executable `{}` has no export `{name}`", executable.name()))
                .in_file(file.name.clone())
                .code("unknown-name");
            let near = nearest(name, known.iter().map(String::as_str));
            return Err(if near.is_empty() { error } else { error.hint(format!("did you mean {}?", either(&near))) });
        };
        export.op.set_attr(names::SCHEDULE, *value);
    }
    let without: Vec<String> =
        known.iter().filter(|k| !schedules.iter().any(|(name, _)| name == *k)).map(|k| format!("`{k}`")).collect();
    let remark = format!("the file says nothing of {}", without.join(", "));
    Ok(if without.is_empty() { Vec::new() } else { vec![remark] })
}
