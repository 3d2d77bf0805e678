//! A cursor over a text.
use halyard_diag::{Error, Result, Source, Span};
use std::{ops::Range, sync::Arc};

/// Reads part of a text from left to right.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'s> {
    pub(super) source: &'s Arc<Source>,
    /// The current byte position.
    pub(super) at: usize,
    /// The byte position where the part ends.
    pub(super) end: usize,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s Arc<Source>, range: Range<usize>) -> Self {
        Self { source, at: range.start, end: range.end }
    }

    /// Returns the remaining text.
    pub(super) fn rest(&self) -> &'s str {
        &self.source.text[self.at..self.end]
    }

    /// Returns the text of a byte range.
    pub(super) fn text(&self, range: Range<usize>) -> &'s str {
        &self.source.text[range]
    }

    /// The same text, read in a part of it.
    pub(super) fn within(&self, range: Range<usize>) -> Self {
        Self::new(self.source, range)
    }

    pub(super) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Returns the next character without consuming it.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Consumes a character, after blanks, if it comes next.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let mut ahead = self.clone();
        ahead.skip_blanks();
        let there = ahead.peek() == Some(c);
        if there {
            self.at = ahead.at + c.len_utf8();
        }
        there
    }

    /// Consumes a word, if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    /// Consumes characters up to one that ends them; returns their range.
    pub(super) fn take_until(&mut self, ends: impl Fn(char) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(ends).unwrap_or(rest.len());
        start..self.at
    }

    /// Makes an error at a byte range.
    pub(super) fn error(&self, at: Range<usize>, message: impl Into<String>) -> Error {
        Error::usage(message).code("bad-stage").at(Span::new(self.source, at))
    }

    /// An error about the next character, or the end.
    pub(super) fn expected(&self, what: &str) -> Error {
        match self.peek() {
            Some(c) => {
                self.error(self.at..self.at + c.len_utf8(), format!("expected {what}, found `{}`", c.escape_debug()))
            }
            None => self.error(self.at..self.at, format!("expected {what}, found the end")),
        }
    }

    /// Parses quoted text from the opening quote, and returns its content. Fails if the closing quote is missing, or
    /// if `\` precedes anything but a quote or `\`.
    pub(super) fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let quote = self.bump().expect("called at a quote");
        let mut text = String::new();
        loop {
            let at = self.at;
            match self.bump() {
                None => return Err(self.error(start..start + 1, format!("this `{quote}` is not closed"))),
                Some(c) if c == quote => return Ok(text),
                Some('\\') => match self.bump() {
                    Some(c @ ('\\' | '"' | '\'')) => text.push(c),
                    _ => {
                        let message = "`\\` in quotes stands before a quote or another `\\`";
                        return Err(self.error(at..self.at, message).hint("for the character itself, write `\\\\`"));
                    }
                },
                Some(c) => text.push(c),
            }
        }
    }

    /// Consumes text with balanced brackets and quotes, up to where `ends` holds outside of both; returns its range.
    /// Fails for unbalanced brackets and unclosed quotes.
    pub(super) fn balanced(&mut self, ends: impl Fn(char) -> bool) -> Result<Range<usize>> {
        let start = self.at;
        let mut open: Vec<(char, usize)> = Vec::new();
        while let Some(c) = self.peek() {
            if open.is_empty() && ends(c) {
                break;
            }
            let at = self.at;
            match c {
                '"' | '\'' => {
                    self.quoted()?;
                    continue;
                }
                '[' | '(' | '{' => open.push((c, at)),
                ']' | ')' | '}' => match open.pop() {
                    Some((opened, _)) if closing(opened) == c => {}
                    Some((opened, _)) => {
                        let message = format!("expected `{}` to close `{opened}`, found `{c}`", closing(opened));
                        return Err(self.error(at..at + 1, message));
                    }
                    None => return Err(self.error(at..at + 1, format!("this `{c}` closes nothing"))),
                },
                _ => {}
            }
            self.bump();
        }
        match open.pop() {
            Some((c, at)) => Err(self.error(at..at + 1, format!("this `{c}` is not closed with `{}`", closing(c)))),
            None => Ok(start..self.at),
        }
    }
}

/// Returns the closing bracket for an opening one.
fn closing(open: char) -> char {
    match open {
        '[' => ']',
        '(' => ')',
        _ => '}',
    }
}
