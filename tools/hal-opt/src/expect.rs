//! `--verify-diagnostics`: comments in the input state the expected messages.
//!
//! The forms are upstream's (`mlir/lib/IR/Diagnostics.cpp`): `expected-error {{text}}`, likewise `warning`, `note` and
//! `remark`; `@below`, `@above`, `@+N`, `@-N`, `@N` and `@unknown` after the word move the place; after `-re` the text may hold
//! regular expressions in inner `{{…}}`. A message must contain the text. Every message needs its comment, and every
//! comment its message.
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Severity, Source, Span};
use regex_lite::Regex;
use std::sync::Arc;

/// An expectation in a comment.
struct Expectation {
    severity: Severity,
    /// The line that the message must be on; `None` for a message without place.
    line: Option<usize>,
    text: String,
    pattern: Option<Regex>,
    span: Span,
    met: bool,
}

/// All expectations of an input.
pub(crate) struct Expectations {
    all: Vec<Expectation>,
}

/// A message that was printed, or one of its notes.
struct Said<'d> {
    severity: Severity,
    span: Option<&'d Span>,
    text: &'d str,
}

impl Expectations {
    /// Finds the comments of a text. Errors: a malformed regular expression.
    pub(crate) fn parse(source: &Arc<Source>) -> Result<Self> {
        let comment = Regex::new(
            r"expected-(error|note|remark|warning)(-re)? *(@([+-]?[0-9]+|above|below|unknown))? *\{\{(.*)\}\}\s*$",
        )
        .expect("a fixed expression");
        let mut all = Vec::<Expectation>::new();
        // Lines that are not comments of ours: what `@above` and `@below` mean.
        let mut last_plain = 0;
        let mut waiting = Vec::new();
        let mut start = 0;
        for (i, text) in source.text.split('\n').enumerate() {
            let line = i + 1;
            let offset = start;
            start += text.len() + 1;
            let Some(found) = comment.captures(text) else {
                for index in waiting.drain(..) {
                    let e: &mut Expectation = &mut all[index];
                    e.line = Some(line);
                }
                last_plain = line;
                continue;
            };
            let whole = found.get(0).expect("group 0 always matches");
            let span = Span::new(source, offset + whole.start()..offset + whole.end());
            let severity = match &found[1] {
                "error" => Severity::Error,
                "warning" => Severity::Warning,
                "note" => Severity::Note,
                _ => Severity::Remark,
            };
            let at = match found.get(4).map(|m| m.as_str()) {
                None => Some(line),
                Some("unknown") => None,
                Some("above") => Some(last_plain),
                Some("below") => {
                    waiting.push(all.len());
                    Some(line)
                }
                Some(number) => {
                    let n: isize = number.parse().unwrap_or(0);
                    Some(if number.starts_with(['+', '-']) { line.saturating_add_signed(n) } else { n.unsigned_abs() })
                }
            };
            let pattern = if found.get(2).is_some() { Some(pattern(&found[5], &span)?) } else { None };
            all.push(Expectation { severity, line: at, text: found[5].to_owned(), pattern, span, met: false });
        }
        Ok(Self { all })
    }

    /// Compares with what was said. Errors: everything that was not expected, everything that was not said.
    pub(crate) fn check(mut self, said: &[Diagnostic]) -> Result<()> {
        let mut problems = Vec::new();
        for d in said {
            let mut all = vec![Said { severity: d.severity, span: d.primary.as_ref(), text: &d.message }];
            all.extend(d.notes.iter().map(|text| Said { severity: Severity::Note, span: d.primary.as_ref(), text }));
            all.extend(d.labels.iter().map(|l| Said { severity: Severity::Note, span: Some(&l.span), text: &l.text }));
            problems.extend(all.iter().filter_map(|s| self.match_one(s)));
        }
        for e in self.all.iter().filter(|e| !e.met) {
            let message = format!("expected {} \"{}\" was not produced", e.severity.as_str(), e.text);
            problems.push(Diagnostic::error(message).code("missing-message").at(e.span.clone()));
        }
        if problems.is_empty() { Ok(()) } else { Err(Error { kind: ErrorKind::Input, diagnostics: problems }) }
    }

    fn match_one(&mut self, said: &Said<'_>) -> Option<Diagnostic> {
        let line = said.span.map(Span::line);
        let fits = |e: &Expectation| {
            !e.met
                && e.line == line
                && e.pattern.as_ref().map_or_else(|| said.text.contains(&e.text), |p| p.is_match(said.text))
        };
        if let Some(e) = self.all.iter_mut().find(|e| e.severity == said.severity && fits(e)) {
            e.met = true;
            return None;
        }
        let mut d = Diagnostic::error(format!("unexpected {}: {}", said.severity.as_str(), said.text))
            .code("unexpected-message");
        if let Some(other) = self.all.iter().find(|e| fits(e)) {
            d = d.note(format!("a comment expects it as {}", other.severity.as_str()));
        }
        d.primary = said.span.cloned();
        Some(d)
    }
}

/// The expression of a text whose inner `{{…}}` are expressions and whose rest is literal.
fn pattern(text: &str, span: &Span) -> Result<Regex> {
    let mut expression = String::new();
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once("{{") {
        let bad = |why: String| Error::input(why).code("bad-expectation").at(span.clone());
        let (inner, after) = after.split_once("}}").ok_or_else(|| bad("`{{` is not closed by `}}`".into()))?;
        Regex::new(inner).map_err(|e| bad(format!("`{inner}` is not a regular expression: {e}")))?;
        expression += &format!("{}(?:{inner})", regex_lite::escape(literal));
        rest = after;
    }
    expression += &regex_lite::escape(rest);
    Regex::new(&expression)
        .map_err(|e| Error::input(format!("`{text}` is not a regular expression: {e}")).at(span.clone()))
}

#[cfg(test)]
mod tests;
