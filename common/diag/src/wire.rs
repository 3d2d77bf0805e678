//! Errors as plain data, to send to another process of the same tool.
use crate::{Diagnostic, Error, ErrorKind, Label, Severity, Source, Span};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An error that can be sent. Places in texts that both sides know are sent as numbers, other texts as a whole.
#[derive(Debug, Serialize, Deserialize)]
pub struct WireError {
    kind: ErrorKind,
    diagnostics: Vec<WireDiagnostic>,
    texts: Vec<(String, String, usize)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireDiagnostic {
    severity: Severity,
    code: Option<String>,
    message: String,
    primary: Option<WireSpan>,
    origin: Option<String>,
    labels: Vec<(WireSpan, String)>,
    notes: Vec<String>,
    hints: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireSpan {
    text: Text,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Text {
    Known(usize),
    Sent(usize),
}

impl WireError {
    /// Converts an error to plain data. `known` are the sources that the other side also has, in the same order.
    pub fn new(error: Error, known: &[Arc<Source>]) -> Self {
        let mut wire = Self { kind: error.kind, diagnostics: Vec::new(), texts: Vec::new() };
        let mut sent: Vec<Arc<Source>> = Vec::new();
        let mut span = |span: Span| {
            let position = |list: &[Arc<Source>]| list.iter().position(|s| Arc::ptr_eq(s, &span.source));
            let text = position(known).map(Text::Known).unwrap_or_else(|| {
                Text::Sent(position(&sent).unwrap_or_else(|| {
                    sent.push(span.source.clone());
                    sent.len() - 1
                }))
            });
            WireSpan { text, start: span.range.start, end: span.range.end }
        };
        for d in error.diagnostics {
            wire.diagnostics.push(WireDiagnostic {
                severity: d.severity,
                code: d.code.map(str::to_owned),
                message: d.message,
                primary: d.primary.map(&mut span),
                origin: d.origin,
                labels: d.labels.into_iter().map(|l| (span(l.span), l.text)).collect(),
                notes: d.notes,
                hints: d.hints,
            });
        }
        wire.texts = sent.iter().map(|s| (s.name.clone(), s.text.clone(), s.first_line)).collect();
        wire
    }

    /// Rebuilds the error. Sources that are among `known` are shared, not copied.
    pub fn into_error(self, known: &[Arc<Source>]) -> Error {
        let of = |(name, text, first_line): (String, String, usize)| Arc::new(Source { name, text, first_line });
        let sent: Vec<Arc<Source>> = self.texts.into_iter().map(of).collect();
        let span = |s: WireSpan| {
            let source = match s.text {
                Text::Known(i) => known.get(i),
                Text::Sent(i) => sent.get(i),
            };
            source.map(|source| Span::new(source, s.start..s.end))
        };
        let diagnostic = |d: WireDiagnostic| Diagnostic {
            severity: d.severity,
            // Codes are few and short, and an error is the end of a run.
            code: d.code.map(|code| &*code.leak()),
            message: d.message,
            primary: d.primary.and_then(span),
            origin: d.origin,
            labels: d.labels.into_iter().filter_map(|(s, text)| Some(Label { span: span(s)?, text })).collect(),
            notes: d.notes,
            hints: d.hints,
        };
        Error { kind: self.kind, diagnostics: self.diagnostics.into_iter().map(diagnostic).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_come_back_as_they_were() {
        let known = Source::new("a.mlir", "one two\nthree");
        let other = Source::new("b.mlir", "four");
        let error = Error::usage("wrong").code("x").at(Span::new(&known, 4..7)).note("because").hint("do");
        let mut error = error;
        error.diagnostics[0] = error.diagnostics[0].clone().label(Span::new(&other, 0..4), "here");
        let before = error.diagnostics.clone();
        let bytes = serde_json::to_string(&WireError::new(error, std::slice::from_ref(&known))).unwrap();
        assert!(!bytes.contains("three"), "known texts are not sent");
        let wire: WireError = serde_json::from_str(&bytes).unwrap();
        let back = wire.into_error(std::slice::from_ref(&known));
        assert_eq!((back.kind, &back.diagnostics), (ErrorKind::Usage, &before));
        assert!(Arc::ptr_eq(&back.diagnostics[0].primary.as_ref().unwrap().source, &known));
    }
}
