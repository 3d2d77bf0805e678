//! Converts MLIR's locations and diagnostics to Halyard's. Texts have buffer names that locations carry.
use crate::{
    handles::{Op, owned},
    misspelt,
};
use halyard_diag::{Diagnostic, Severity, Source, Span, either};
use melior::diagnostic::DiagnosticSeverity;
use mlir_sys::*;
use std::{fmt::Write as _, sync::Arc};

/// Returns the buffer name of a text in locations: `-`, its length and part of its hash. The same text has the same
/// name in any file, and a location that came in bytecode from another text is not mistaken for a place in this one.
pub(crate) fn buffer_name(source: &Source) -> String {
    format!("-{}-{}", source.text.len(), &blake3::hash(source.text.as_bytes()).to_hex()[..12])
}

/// Whether locations with this name are places in a text. Hashes only if the length matches.
fn is_buffer_of(source: &Source, name: &str) -> bool {
    let length = name.strip_prefix('-').and_then(|n| n.split_once('-')).map(|(length, _)| length);
    length == Some(&*source.text.len().to_string()) && buffer_name(source) == name
}

/// File, line and column (from 1) of a location; looks through names, fusions and call sites.
pub(crate) fn file_line_column(loc: MlirLocation) -> Option<(String, usize, usize)> {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if mlirLocationIsAFileLineColRange(loc) {
            let file = owned(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(loc)));
            let line = mlirLocationFileLineColRangeGetStartLine(loc);
            let column = mlirLocationFileLineColRangeGetStartColumn(loc);
            return (line > 0).then_some((file, line as usize, column.max(1) as usize));
        }
        if mlirLocationIsAName(loc) {
            return file_line_column(mlirLocationNameGetChildLoc(loc));
        }
        if mlirLocationIsACallSite(loc) {
            return file_line_column(mlirLocationCallSiteGetCallee(loc));
        }
        if mlirLocationIsAFused(loc) {
            let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
            mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
            return parts.into_iter().find_map(file_line_column);
        }
        None
    }
}

/// The node of a model that an operation comes from, and its operator: those of the innermost named location.
pub fn node_of(op: Op) -> Option<(String, Option<String>)> {
    named(op.loc())
}

fn named(loc: MlirLocation) -> Option<(String, Option<String>)> {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if mlirLocationIsAName(loc) {
            let name = owned(mlirIdentifierStr(mlirLocationNameGetName(loc)));
            let operator = named(mlirLocationNameGetChildLoc(loc)).map(|(operator, _)| operator);
            return Some((name, operator));
        }
        if mlirLocationIsACallSite(loc) {
            return named(mlirLocationCallSiteGetCallee(loc));
        }
        if mlirLocationIsAFused(loc) {
            let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
            mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
            return parts.into_iter().find_map(named);
        }
        None
    }
}

/// All names of the model that a location states: of nodes and other named places, and `FILE:LINE` of places in files
/// that are no MLIR. Lines of MLIR text are left out: whether a model comes as text or bytecode makes no difference.
pub fn origins_of(op: Op) -> Vec<String> {
    let mut found = Vec::new();
    add_origins(op.loc(), &mut found);
    found
}

fn add_origins(loc: MlirLocation, found: &mut Vec<String>) {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if mlirLocationIsAName(loc) {
            // The inner location determines the kind.
            found.push(owned(mlirIdentifierStr(mlirLocationNameGetName(loc))));
        } else if mlirLocationIsACallSite(loc) {
            add_origins(mlirLocationCallSiteGetCallee(loc), found);
        } else if mlirLocationIsAFused(loc) {
            let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
            mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
            parts.into_iter().for_each(|part| add_origins(part, found));
        } else if let Some((file, line, _)) = file_line_column(loc) {
            // Lines of MLIR text: ours, of standard input, or as upstream tools note them in bytecode.
            let is_text = file.starts_with(['-', '<']) || file.ends_with(".mlir");
            let file = file.rsplit('/').next().unwrap_or_default();
            found.extend((!is_text).then(|| format!("{file}:{line}")));
        }
    }
}

/// The line that an operation comes from, whatever the file is.
pub fn line_of(op: Op) -> Option<usize> {
    file_line_column(op.loc()).map(|(_, line, _)| line)
}

/// The place of a location, if it lies in one of the texts.
pub(crate) fn span_of(loc: MlirLocation, sources: &[Arc<Source>]) -> Option<Span> {
    let (file, line, column) = file_line_column(loc)?;
    // The C API names the buffer of several operations `-`; the buffer is then the text parsed last.
    let source = match file.strip_prefix('-') {
        Some("") => sources.last()?,
        Some(_) => sources.iter().rev().find(|s| is_buffer_of(s, &file))?,
        None => sources.iter().rev().find(|s| s.name == file)?,
    };
    Span::token(source, line, column)
}

/// Returns the text of a diagnostic as far as it is UTF-8: a damaged file may have names that are not.
pub(crate) fn text_of(d: &melior::diagnostic::Diagnostic<'_>) -> String {
    let mut text = String::new();
    if write!(text, "{d}").is_err() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// A diagnostic of MLIR as one of ours.
pub(crate) fn bridge(d: &melior::diagnostic::Diagnostic<'_>, sources: &[Arc<Source>]) -> Diagnostic {
    let severity = match d.severity() {
        DiagnosticSeverity::Error => Severity::Error,
        DiagnosticSeverity::Warning => Severity::Warning,
        DiagnosticSeverity::Note => Severity::Note,
        DiagnosticSeverity::Remark => Severity::Remark,
    };
    let mut message = text_of(d);
    // Verifier errors append the whole operation in generic form; the caret shows it better.
    if let Some(cut) = message.find("\nsee current operation:") {
        message.truncate(cut);
    }
    let loc = d.location().to_raw();
    let mut result = Diagnostic::new(severity, message);
    match span_of(loc, sources) {
        Some(span) => result = result.at(span),
        None => {
            if let Some((file, line, column)) = file_line_column(loc).filter(|(file, ..)| !file.starts_with('-')) {
                result = result.in_file(format!("{file}:{line}:{column}"));
            }
        }
    }
    for note in (0..d.note_count()).filter_map(|i| d.note(i).ok()) {
        let text = text_of(&note);
        if text.starts_with("see current operation:") {
            continue;
        }
        match span_of(note.location().to_raw(), sources) {
            Some(span) if Some(&span) != result.primary.as_ref() => result = result.label(span, text),
            _ => result = result.note(text),
        }
    }
    if let Some(name) = misspelt::unknown(&result.message) {
        // SAFETY: the location is of the context that reports the message.
        let near = misspelt::near(unsafe { mlirLocationGetContext(loc) }, name);
        if !near.is_empty() {
            result = result.hint(format!("did you mean {}?", either(&near)));
        }
    }
    if ["Dialect `", "operation being parsed with an unregistered dialect"]
        .iter()
        .any(|start| result.message.starts_with(start))
    {
        result = result.hint("`--load-dialect-plugin=LIBRARY` loads a dialect of your own");
    }
    result
}
