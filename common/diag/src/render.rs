//! Draws errors: for people, for editors, for programs.
use crate::{Diagnostic, Error, Severity, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};
use serde::Serialize;

/// How diagnostics are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// With source excerpts and carets.
    #[default]
    Human,
    /// `file:line:column: error: message`, one line each.
    Short,
    /// One JSON object a line; `"schema": 1`.
    Json,
}

/// Draws all diagnostics of an error; ends with a newline unless there is nothing to say.
pub fn render(error: &Error, format: Format, color: bool) -> String {
    error.diagnostics.iter().map(|d| diagnostic(d, format, color)).collect()
}

/// Draws one diagnostic, with a newline at the end.
pub fn diagnostic(d: &Diagnostic, format: Format, color: bool) -> String {
    match format {
        Format::Human => human(d, color),
        Format::Short => short(d),
        Format::Json => json(d),
    }
}

fn human(d: &Diagnostic, color: bool) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
        Severity::Remark => Level::INFO,
    };
    let mut title = level.primary_title(&*d.message);
    if let Some(code) = d.code {
        title = title.id(code);
    }
    let mut group = Group::with_title(title);
    let excerpt = d.primary.as_ref().filter(|s| drawable(s));
    if let Some(primary) = excerpt {
        let mut snippet = Snippet::source(&*primary.source.text)
            .path(&*primary.source.name)
            .line_start(primary.source.first_line)
            .annotation(AnnotationKind::Primary.span(primary.range.clone()));
        for label in d.labels.iter().filter(|l| l.span.source == primary.source && drawable(&l.span)) {
            snippet = snippet.annotation(AnnotationKind::Context.span(label.span.range.clone()).label(&*label.text));
        }
        group = group.element(snippet);
    } else if let Some(place) = place(d) {
        group = group.element(annotate_snippets::Origin::path(place));
    }
    for label in d.labels.iter().filter(|l| excerpt.is_none_or(|p| p.source != l.span.source)) {
        group = group.element(Level::NOTE.message(format!("{}: {}", at(&label.span), label.text)));
    }
    for note in &d.notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    for hint in &d.hints {
        group = group.element(Level::HELP.with_name("hint").message(&**hint));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
    let mut text = renderer.render(&[group]).clone();
    text.push('\n');
    text
}

/// Excerpts of very long lines (weights in the text) help nobody.
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
    text += &format!("{}: {}\n", d.severity.as_str(), d.message.replace('\n', " "));
    text
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
