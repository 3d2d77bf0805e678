//! Extracts schedules of executables, as text that people edit.
use crate::{
    bodies::{bare_program, has_source, with_objects},
    generated::target_words,
    request::{Extract, File, Scheduled},
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{Executable, device_of_target, file_name},
    names,
};
use serde_json::Value;
use std::fmt::Write;

/// Makes a file for each executable.
pub(crate) fn files(session: &Session, what: &Extract<'_>, remarks: &mut Vec<Diagnostic>) -> Result<Vec<File>> {
    let mut files = Vec::new();
    // Executables for the same targets are translated together.
    let mut groups: Vec<(Vec<String>, Vec<Executable>)> = Vec::new();
    for &executable in what.executables {
        if !has_source(executable) {
            let message = format!("executable `@{}` has no source, whose kernels have schedules", executable.name());
            what.soften::<()>(Err(Error::input(message).code("no-source")), remarks)?;
            continue;
        }
        let attrs = with_objects(executable).into_iter().filter_map(|v| v.target());
        let targets: Vec<String> = attrs.filter_map(words).collect();
        match groups.iter_mut().find(|(known, _)| *known == targets) {
            Some((_, list)) => list.push(executable),
            None => groups.push((targets, vec![executable])),
        }
    }
    let mut all = Vec::new();
    for (targets, executables) in &groups {
        all.extend(what.generator.schedules(&bare_program(session, executables), targets)?);
    }
    for executable in what.executables.iter().filter(|e| has_source(**e)) {
        let name = executable.name();
        let own: Vec<&Scheduled> = all.iter().filter(|s| s.executable == name).collect();
        files.push(File { name: file_name(&name, None, "schedule"), bytes: text(*executable, &own).into_bytes() });
    }
    Ok(files)
}

/// A target attribute in the words of hal-translate.
fn words(target: Attr) -> Option<String> {
    match device_of_target(target)? {
        "cpu" => target_words(target),
        _ => Some(halyard_targets::Target::of_attr(target)?.to_string()),
    }
}

/// Returns the text of a file.
fn text(executable: Executable, schedules: &[&Scheduled]) -> String {
    let name = executable.name();
    let mut text = format!(
        "// How the kernels of @{name} are made. `hal-substitute {name}=FILE` puts what is edited here into a program.\n"
    );
    for export in executable.exports() {
        let own: Vec<&&Scheduled> = schedules.iter().filter(|s| s.export == export.name()).collect();
        let with: Vec<String> = own
            .iter()
            .filter(|s| !s.nests.is_empty())
            .map(|s| match s.nests.as_slice() {
                [only] => format!("  \"{}\" = {only}", s.target),
                several => format!("  \"{}\" = [\n    {}\n  ]", s.target, several.join(",\n    ")),
            })
            .collect();
        if with.is_empty() {
            let _ = writeln!(text, "// @{} has nothing to be chosen.", export.name());
        } else {
            let _ = writeln!(text, "{} @{} = {{\n{}\n}}", names::SCHEDULE, quoted(&export.name()), with.join(",\n"));
        }
    }
    text
}

/// Quotes a name in the syntax of symbols.
fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_$.-".contains(c));
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Reads what `hal-translate --schedules-json` writes.
pub fn scheduled(json: &Value) -> Vec<Scheduled> {
    let text = |v: &Value, key: &str| v[key].as_str().unwrap_or_default().to_owned();
    let nest = |nest: &Value| {
        let keys = halyard_ir::form::KEYS.iter().filter_map(|(key, _)| {
            let value = nest.get(key)?.get("value")?;
            Some(format!("{key} = {}", value.to_string().replace(',', ", ")))
        });
        format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
    };
    let kernels = json["kernels"].as_array().map(Vec::as_slice).unwrap_or_default();
    kernels
        .iter()
        .map(|kernel| Scheduled {
            executable: text(kernel, "executable"),
            export: text(kernel, "export"),
            target: text(kernel, "target"),
            nests: kernel["nests"].as_array().map(|n| n.iter().map(nest).collect()).unwrap_or_default(),
        })
        .collect()
}
