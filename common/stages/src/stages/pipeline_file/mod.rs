//! Pipeline files: lists of stages in YAML, with variables. They become the stages that they list.

mod schema;
#[cfg(test)]
mod tests;

pub(super) use schema::{PipelineFile, read};

use schema::Item;

use super::{
    Stages,
    reading::{Found, Reading, Settings},
};
use crate::grammar::{self, EntryKind, FileKind, FileText, PipelineEntry, StageText, Variables};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Source, Span};
use halyard_ir::Session;
use std::{path::PathBuf, sync::Arc};

/// Adds the stages of a pipeline file. Errors: what is wrong in it, with file and line; variables that it does not have, or that
/// have no value; a pipeline file that includes itself; what is wrong with its stages.
pub(super) fn add(
    stages: &mut Stages,
    session: &Session,
    reading: &Reading<'_>,
    text: &FileText,
    found: &Found,
) -> Result<()> {
    let name = found.path.display().to_string();
    let here = reading.span(text.path.at.clone());
    let identity =
        if found.built_in { found.path.clone() } else { found.path.canonicalize().unwrap_or(found.path.clone()) };
    let chain = cycle_free(reading, &identity, &name, &here)?;
    let utf8 = std::str::from_utf8(&found.bytes)
        .map_err(|_| Error::input(format!("`{name}` is not UTF-8")).code("bad-bundle").at(here.clone()))?;
    let source = Source::new(&*name, utf8);
    let file = read(&source)?;
    let values = values(reading, text, &file, &source, &here)?;
    let folder = match found.built_in {
        true => None,
        false => Some(found.path.parent().map_or_else(PathBuf::new, PathBuf::from)),
    };
    let nested = Reading { folder, source: &source, chain, built_in: found.built_in, ..reading.clone() };
    add_items(stages, session, &nested, &file.items, &values)?;
    if let Some(idle) = file.variables.iter().find(|v| !values.uses(&v.name)) {
        return Err(Error::input(format!("variable `{}` is not used", idle.name))
            .code("bad-variable")
            .at(Span::new(&source, idle.at.clone()))
            .hint(format!("write `${{{}}}` where its value belongs, or take it out", idle.name)));
    }
    Ok(())
}

/// Adds the stages of a pipeline file, with variables and conditions. Errors: as [`add_entries`]; conditions that mean nothing.
fn add_items(
    stages: &mut Stages,
    session: &Session,
    reading: &Reading<'_>,
    items: &[Item],
    values: &Variables,
) -> Result<()> {
    for item in items {
        let (text, at, items) = match item {
            Item::Stage(entry) => {
                add_entries(stages, session, reading, std::slice::from_ref(entry), values)?;
                continue;
            }
            Item::When { text, at, items } => (text, at, items),
        };
        let mut inner = Stages::default();
        add_items(&mut inner, session, reading, items, values)?;
        let written = match reading.source.text.get(at.clone()) {
            Some(same) if same == text => grammar::condition(reading.source, at.clone()),
            _ => Err(Error::input("a condition is one line of text").code("bad-bundle").at(reading.span(at.clone()))),
        };
        let added = written.and_then(|written| stages.add_conditional(session, reading, written, inner));
        added.map_err(|e| Error { kind: ErrorKind::Input, ..e })?;
    }
    Ok(())
}

/// Adds the stages that a file lists, with variables. The reading is in the file: its text, its folder. Errors: what is wrong
/// with them.
pub(super) fn add_entries(
    stages: &mut Stages,
    session: &Session,
    reading: &Reading<'_>,
    entries: &[PipelineEntry],
    values: &Variables,
) -> Result<()> {
    let source: &Arc<Source> = reading.source;
    for entry in entries {
        let expanded = values.put_into(source, entry)?;
        // What has no variables keeps its place in the file.
        let (inner, range) = match (&expanded, entry.verbatim) {
            (None, true) => (source.clone(), entry.at.clone()),
            (text, _) => {
                let (line, _) = source.position(entry.at.start);
                let text = text.as_ref().unwrap_or(&entry.text);
                (Source::new(format!("{}:{line}", source.name), &**text), 0..text.len())
            }
        };
        let nested = Reading { source: &inner, ..reading.clone() };
        let added = staged(&inner, range, entry.kind).and_then(|stage| stages.add_stage(session, &nested, stage));
        added.map_err(|mut e| {
            // It is not the command line that is wrong.
            if e.kind == ErrorKind::Usage {
                e.kind = ErrorKind::Input;
            }
            let elsewhere = |d: &Diagnostic| d.primary.as_ref().is_some_and(|s| s.source == inner);
            if inner != *source
                && let Some(d) = e.diagnostics.iter_mut().find(|d| elsewhere(d))
            {
                d.labels.push(halyard_diag::Label {
                    span: Span::new(source, entry.at.clone()),
                    text: "with variables from here".into(),
                });
            }
            e
        })?;
    }
    Ok(())
}

/// Reads the text of an entry as what its key says.
fn staged(source: &Arc<Source>, range: std::ops::Range<usize>, kind: EntryKind) -> Result<StageText> {
    let wrong =
        |what: &str, hint: &str| Error::input(what).code("bad-bundle").at(Span::new(source, range.clone())).hint(hint);
    if kind == EntryKind::Pass {
        if source.text[range.clone()].trim().is_empty() {
            return Err(wrong("this names no pass", "`--list-passes` shows all passes"));
        }
        return grammar::passes(source, range.clone()).map(StageText::Passes);
    }
    match (grammar::stage(source, range.clone())?, kind) {
        (StageText::When(_), _) => Err(wrong("this has a condition", "conditions stand after `when:`")),
        (StageText::Passes(_), EntryKind::Include) => Err(wrong("this is no pipeline file", "it would end in `.yaml`")),
        (StageText::Passes(_), _) => Err(wrong("this is no file", "passes stand after `pass:`")),
        (StageText::File(f), EntryKind::Include) if f.kind != FileKind::Pipeline => {
            Err(wrong("this is no pipeline file", "transform scripts and Python stand after `transform:`"))
        }
        (StageText::File(f), EntryKind::Transform) if f.kind == FileKind::Pipeline => {
            Err(wrong("this is a pipeline file", "pipeline files stand after `include:`"))
        }
        (stage, _) => Ok(stage),
    }
}

/// The pipeline files on the way here with this one. Errors: it is among them.
fn cycle_free(reading: &Reading<'_>, identity: &PathBuf, name: &str, here: &Span) -> Result<Vec<(PathBuf, String)>> {
    let mut chain = reading.chain.clone();
    if let Some(start) = chain.iter().position(|(path, _)| path == identity) {
        let way: Vec<_> = chain[start..].iter().map(|(_, n)| format!("`{n}`")).chain([format!("`{name}`")]).collect();
        return Err(Error::input(format!("pipeline file `{name}` includes itself"))
            .code("bundle-cycle")
            .at(here.clone())
            .note(format!("the cycle is {}", way.join(", "))));
    }
    chain.push((identity.clone(), name.to_owned()));
    Ok(chain)
}

/// The values of the variables: given, or by default. Errors: one that is not declared, one without a value.
fn values(
    reading: &Reading<'_>,
    text: &FileText,
    file: &PipelineFile,
    source: &Arc<Source>,
    here: &Span,
) -> Result<Variables> {
    let name = &source.name;
    let given = Settings { source: reading.source.clone(), all: text.options.settings.clone() };
    let known: Vec<String> = file.variables.iter().map(|v| v.name.clone()).collect();
    if let Some(unknown) = given.all.iter().find(|s| !known.contains(&s.name)) {
        return Err(given.unknown(unknown, "variable", &format!("pipeline file `{name}`"), &known));
    }
    let mut values = Variables::new("variable", "variables: {NAME: …}");
    for variable in &file.variables {
        let value = given.all.iter().find(|s| s.name == variable.name).map(|s| s.value.clone());
        let Some(value) = value.or_else(|| variable.default.clone()) else {
            let d = Diagnostic::error(format!("variable `{}` of pipeline file `{name}` needs a value", variable.name))
                .code("missing-parameter")
                .at(here.clone())
                .label(Span::new(source, variable.at.clone()), "declared here without a default")
                .hint(format!("write `{{{}=…}}` after the file", variable.name));
            return Err(Error::new(ErrorKind::Usage, d));
        };
        values.set(&variable.name, value);
    }
    Ok(values)
}
