//! What stages there are and what they take: `--list-stages`, `--list-parameters`.
use super::{
    Scope, library, parameters, pipeline_file,
    python::{self, Interpreter},
    reading::{Found, Reading, StageArgs},
    sequences::sequences,
};
use crate::{
    grammar::{self, FileKind, StageText},
    steps::PIPELINE_SPECS,
};
use halyard_diag::{Error, Result, Source, may_be_file};
use halyard_ir::{Op, Session};
use std::fmt::Write;

/// Describes the files of `--stage-path` and those that are built in. Errors: a folder that cannot be read, a file that is
/// malformed.
pub(super) fn all(session: &Session, args: &StageArgs) -> Result<String> {
    let source = Source::new("--stage-path", "");
    let python = Interpreter::shared(args.stage_timeout);
    let reading = Reading::new(args, &source, &python).within(Scope { any: true, ..Scope::default() });
    let mut text = String::new();
    for folder in &args.folders() {
        let entries = std::fs::read_dir(folder).and_then(|entries| entries.map(|e| Ok(e?.path())).collect());
        let mut paths: Vec<std::path::PathBuf> = entries.map_err(|e| Error::io("read", folder, &e))?;
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(kind) = FileKind::by_suffix(&name).filter(|_| may_be_file(&path)) else { continue };
            let bytes = std::fs::read(&path).map_err(|e| Error::io("read", &path, &e))?;
            let found = Found { path, bytes: bytes.into(), built_in: false };
            // One that is malformed does not hide the others.
            match describe(session, &reading, kind, &found, &name) {
                Ok(words) => text += &words.unwrap_or_default(),
                Err(e) => {
                    let why = e.diagnostics.first().map_or("", |d| d.message.as_str());
                    let _ = writeln!(text, "{name}\n    cannot be used: {why}");
                }
            }
        }
    }
    for name in library::names() {
        let (Some(kind), Some(bytes)) = (FileKind::by_suffix(name), library::read(name)) else { continue };
        let found = Found { path: name.into(), bytes: bytes.into(), built_in: true };
        text += &describe(session, &reading, kind, &found, &format!("{name} (built in)"))?.unwrap_or_default();
    }
    for place in PIPELINE_SPECS {
        for step in place.steps {
            let _ = writeln!(
                text,
                "{} (step of the pipeline {} of {})\n    {}",
                step.name, place.name, place.tool, step.does
            );
            for option in step.options {
                let _ = writeln!(text, "    {}: {}", option.name, option.does);
            }
        }
    }
    Ok(text)
}

/// What stands in a file that is a stage; those that are built in come first: a shell makes the file that the copy goes to
/// before it is asked for. Errors: it is nowhere.
pub(super) fn text(args: &StageArgs, name: &str) -> Result<Vec<u8>> {
    if let Some(bytes) = library::read(name) {
        return Ok(bytes.to_vec());
    }
    let python = Interpreter::shared(args.stage_timeout);
    let source = Source::new("--show-stage", name);
    Ok(Reading::new(args, &source, &python).find(name, 0..name.len())?.bytes.into_owned())
}

/// Describes the files that stages name. Errors: what is malformed or not there.
pub(super) fn named(session: &Session, args: &StageArgs, texts: &[String]) -> Result<String> {
    let python = Interpreter::shared(args.stage_timeout);
    let mut listed = String::new();
    for text in texts {
        let source = Source::new("--stage", text.clone());
        let reading = Reading::new(args, &source, &python).within(Scope { any: true, ..Scope::default() });
        match grammar::stage(&source, 0..text.len())? {
            StageText::Passes(_) => {
                let _ = writeln!(listed, "{text}\n    passes; `--list-passes` shows their options");
            }
            StageText::When(_) => {
                let _ = writeln!(listed, "{text}\n    stages with a condition; `--expand` shows them");
            }
            StageText::File(file) => {
                let found = reading.find(&file.path.text, file.path.at.clone())?;
                let words = describe(session, &reading, file.kind, &found, &file.path.text)?;
                listed += &words.ok_or_else(|| {
                    let name = &file.path.text;
                    Error::input(format!("`{name}` contains neither a transform script nor PDL patterns"))
                        .code("not-a-stage")
                })?;
            }
        }
    }
    Ok(listed)
}

/// Describes a file; `None` for MLIR that is no stage.
fn describe(
    session: &Session,
    reading: &Reading<'_>,
    kind: FileKind,
    found: &Found,
    title: &str,
) -> Result<Option<String>> {
    let mut text = format!("{title}\n");
    let mut line = |indent: usize, words: &str| {
        for l in words.lines().filter(|l| !l.trim().is_empty()) {
            let _ = writeln!(text, "{:indent$}{}", "", l.trim());
        }
    };
    match kind {
        FileKind::Mlir => {
            let module = session.parse_beside(&found.bytes, &found.path.display().to_string())?;
            session.take_diagnostics();
            let root = Op::from(&module);
            let whole = std::str::from_utf8(&found.bytes).unwrap_or_default();
            let mut patterns = Vec::new();
            root.walk(&mut |op| patterns.extend(op.is("pdl.pattern").then_some(op)));
            if patterns.is_empty() && sequences(root).is_empty() {
                return Ok(None);
            }
            line(4, &first_comment(whole));
            for pattern in patterns.iter().filter_map(|p| p.symbol()) {
                line(4, &format!("[pattern={pattern}]"));
            }
            for sequence in sequences(root) {
                // What others include takes more than a module and parameters.
                let Ok(all) = parameters::of(session, root, sequence) else { continue };
                line(4, &format!("[{}]", sequence.symbol().unwrap_or_default()));
                if let Some(span) = session.span(sequence) {
                    line(8, &comment_above(&span.source.text, span.range.start));
                }
                all.iter().for_each(|p| line(8, &p.describe()));
            }
        }
        FileKind::Python => {
            let module = python::describe(reading, found)?;
            line(4, &module.doc);
            for function in module.functions {
                line(4, &format!("[{}]", function.signature));
                line(8, &function.doc);
            }
        }
        FileKind::Pipeline => {
            let source = Source::new(found.path.display().to_string(), String::from_utf8_lossy(&found.bytes));
            let pipeline_file = pipeline_file::read(&source)?;
            line(4, &pipeline_file.description);
            for variable in &pipeline_file.variables {
                match &variable.default {
                    Some(default) => line(4, &format!("{} = {default}", variable.name)),
                    None => line(4, &format!("{} (needs a value)", variable.name)),
                }
            }
        }
    }
    Ok(Some(text))
}

/// The comment that a text begins with.
fn first_comment(text: &str) -> String {
    let lines = text.lines().map_while(|l| l.trim().strip_prefix("//"));
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// The comment right above a place.
fn comment_above(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').unwrap_or(0);
    let mut lines: Vec<&str> = text[..start].lines().rev().map_while(|l| l.trim().strip_prefix("//")).collect();
    lines.reverse();
    // The comment at the top is about the file.
    let top = start > 0 && text[..start].lines().count() == lines.len();
    if top { String::new() } else { lines.into_iter().map(str::trim).collect::<Vec<_>>().join("\n") }
}
