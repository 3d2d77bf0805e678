//! Text that diagnostics point into.
use std::{ops::Range, sync::Arc};

/// A piece of text with a name: a file, standard input, or IR printed for a message.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that people see: a path as the user gave it, or `<stdin>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The line number of the first line; 1 but for a chunk of a split file.
    pub first_line: usize,
}

impl Source {
    /// Makes a source whose first line is line 1.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), first_line: 1 })
    }

    /// Line and column (both from 1, column in characters) of a byte offset; the end of the text if it lies beyond.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (self.first_line + before.matches('\n').count(), before[line_start..].chars().count() + 1)
    }

    /// The byte offset of a line and column (both from 1); `None` if there is no such line.
    pub fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let line = line.checked_sub(self.first_line)?;
        let start = if line == 0 { 0 } else { self.text.match_indices('\n').nth(line - 1)?.0 + 1 };
        let rest = &self.text[start..];
        let end = rest.find('\n').unwrap_or(rest.len());
        let column = column.saturating_sub(1);
        Some(start + rest[..end].char_indices().nth(column).map_or(end, |(i, _)| i))
    }
}

/// A range of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The source that the range lies in.
    pub source: Arc<Source>,
    /// Byte range in [`Source::text`].
    pub range: Range<usize>,
}

impl Span {
    /// Makes a span; a range that reaches beyond the text is cut, one that splits a character is widened.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        let text = &source.text;
        let mut start = range.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = range.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Self { source: source.clone(), range: start..end }
    }

    /// Returns the line where the span starts, from 1.
    pub fn line(&self) -> usize {
        self.source.position(self.range.start).0
    }

    /// The span of the token at a line and column (both from 1): LLVM gives points, people read ranges.
    pub fn token(source: &Arc<Source>, line: usize, column: usize) -> Option<Self> {
        let start = source.offset(line, column)?;
        let rest = &source.text[start..];
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
        let mut chars = rest.char_indices();
        let len = match chars.next() {
            Some((_, c)) if word(c) || matches!(c, '%' | '@' | '#' | '!' | '^') => {
                chars.find(|&(_, c)| !word(c)).map_or(rest.len(), |(i, _)| i)
            }
            Some((_, '"')) => chars.find(|&(_, c)| c == '"' || c == '\n').map_or(rest.len(), |(i, c)| i + c.len_utf8()),
            Some((_, c)) if c != '\n' => c.len_utf8(),
            _ => 0,
        };
        Some(Self::new(source, start..start + len))
    }
}
