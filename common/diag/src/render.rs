//! Renders errors for people, editors and programs.
use crate::{Diagnostic, Error, Label, Severity, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};
use serde::Serialize;
use std::{ops::Range, sync::Arc};

/// The format of rendered diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiagnosticFormat {
    /// With source excerpts and carets.
    #[default]
    Human,
    /// `file:line:column: error: message`, one line each.
    Short,
    /// One JSON object per line, with `"schema": 1`.
    Json,
}

/// The most diagnostics of one error that are drawn.
const MOST: usize = 200;

/// Draws the diagnostics of an error, up to a maximum; ends with a newline unless there are none.
pub fn render(error: &Error, format: DiagnosticFormat, color: bool) -> String {
    let shown = error.diagnostics.len().min(MOST);
    let more = error.diagnostics.len() - shown;
    let last = (more > 0).then(|| Diagnostic::new(Severity::Note, format!("{more} more messages are not shown")));
    error.diagnostics[..shown].iter().chain(&last).map(|d| diagnostic(d, format, color)).collect()
}

/// Draws one diagnostic, with a newline at the end.
pub fn diagnostic(d: &Diagnostic, format: DiagnosticFormat, color: bool) -> String {
    let d = &*crate::shorten::shortened(d);
    match format {
        DiagnosticFormat::Human => human(d, color),
        DiagnosticFormat::Short => short(d),
        DiagnosticFormat::Json => json(d),
    }
}

fn human(d: &Diagnostic, color: bool) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
        Severity::Remark => Level::INFO.with_name("remark"),
    };
    let mut title = level.primary_title(&*d.message);
    if let Some(code) = d.code {
        title = title.id(code);
    }
    let mut group = Group::with_title(title);
    let excerpt = d.primary.as_ref().filter(|s| drawable(s));
    if let Some(primary) = excerpt {
        let labels: Vec<_> = d.labels.iter().filter(|l| same(&l.span, primary) && drawable(&l.span)).collect();
        let (start, end) = window(primary, &labels);
        let within = |range: &Range<usize>| range.start - start..range.end - start;
        let mut snippet = Snippet::source(&primary.source.text[start..end])
            .path(&*primary.source.name)
            .line_start(primary.source.position(start).0)
            .annotation(AnnotationKind::Primary.span(within(&primary.range)));
        for label in labels {
            snippet = snippet.annotation(AnnotationKind::Context.span(within(&label.span.range)).label(&*label.text));
        }
        group = group.element(snippet);
    } else if let Some(place) = place(d) {
        group = group.element(annotate_snippets::Origin::path(place));
    }
    for label in d.labels.iter().filter(|l| excerpt.is_none_or(|p| !same(&l.span, p) || !drawable(&l.span))) {
        group = group.element(Level::NOTE.message(format!("{}: {}", at(&label.span), label.text)));
    }
    for note in &d.notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    for hint in &d.hints {
        group = group.element(Level::HELP.with_name("hint").message(&**hint));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
    let text = renderer.render(&[group]);
    // Without an excerpt the renderer still leaves a line for its margin.
    let margin = |line: &&str| excerpt.is_some() || strip_styles(line).trim() != "|";
    let mut text: String = text.lines().filter(margin).flat_map(|line| [line, "\n"]).collect();
    if text.is_empty() {
        text.push('\n');
    }
    text
}

/// Removes colour sequences from text.
fn strip_styles(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain += before;
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

/// Whether two spans lie in the same text. Compares identity first, as texts may be large.
fn same(a: &Span, b: &Span) -> bool {
    Arc::ptr_eq(&a.source, &b.source) || a.source == b.source
}

/// The byte range of the lines that an excerpt shows: the renderer looks at each line that it is given, and a program
/// can have millions.
fn window(primary: &Span, labels: &[&Label]) -> (usize, usize) {
    let text = &primary.source.text;
    let spans = || labels.iter().map(|l| &l.span).chain([primary]);
    let start = spans().map(|s| s.range.start).min().unwrap_or(0);
    let end = spans().map(|s| s.range.end).max().unwrap_or(text.len());
    (text[..start].rfind('\n').map_or(0, |i| i + 1), text[end..].find('\n').map_or(text.len(), |i| end + i))
}

/// Excerpts of very long lines (weights in the text) are not useful.
fn drawable(span: &Span) -> bool {
    let text = &span.source.text;
    let start = text[..span.range.start].rfind('\n').map_or(0, |i| i + 1);
    let end = text[span.range.start..].find('\n').map_or(text.len(), |i| span.range.start + i);
    end - start <= 500
}

fn at(span: &Span) -> String {
    let (line, column) = span.source.position(span.range.start);
    format!("{}:{line}:{column}", span.source.name)
}

fn place(d: &Diagnostic) -> Option<String> {
    d.primary.as_ref().map(at).or_else(|| d.origin.clone())
}

fn short(d: &Diagnostic) -> String {
    let mut text = String::new();
    if let Some(place) = place(d) {
        text += &format!("{place}: ");
    }
    text += &format!("{}: {}", d.severity.as_str(), d.message);
    // One line, and nothing in it that a terminal would obey.
    let mut line: String = text.chars().map(|c| if c.is_control() || is_bidi(c) { ' ' } else { c }).collect();
    line.push('\n');
    line
}

/// Whether a character reorders text (Unicode UAX #9), which could make a message read as something else.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    schema: u32,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<JsonPlace<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
    labels: Vec<JsonPlace<'a>>,
    notes: &'a [String],
    hints: &'a [String],
}

fn json_place<'a>(span: &'a Span, label: Option<&'a str>) -> JsonPlace<'a> {
    let (line, column) = span.source.position(span.range.start);
    let (end_line, end_column) = span.source.position(span.range.end);
    JsonPlace { file: &span.source.name, line, column, end_line, end_column, label }
}

fn json(d: &Diagnostic) -> String {
    let object = JsonDiagnostic {
        schema: 1,
        severity: d.severity.as_str(),
        code: d.code,
        message: &d.message,
        place: d.primary.as_ref().map(|s| json_place(s, None)),
        origin: d.origin.as_deref(),
        labels: d.labels.iter().map(|l| json_place(&l.span, Some(&l.text))).collect(),
        notes: &d.notes,
        hints: &d.hints,
    };
    let mut line = serde_json::to_string(&object).expect("strings and numbers serialise");
    line.push('\n');
    line
}
