//! The syntax of stages, as a tree with source locations:
//!
//! ```text
//! stage    := ["pass:"] pipeline | ["file:"] path ["[" names "]"] ["{" options "}"] ["{" options "}"]
//!           | "when[" ["not"] NAME "]:" (stage | "(" stage (";" stage)* ")")
//! pipeline := element ("," element)*
//! element  := PASS ["{" options "}"] | OP "(" [pipeline] ")"
//! names    := [KEY "="] NAME ("," [KEY "="] NAME)*
//! options  := (KEY ["=" value])*                                 separated by blanks
//! value    := "none" | "true" | "false" | NUMBER | WORD | QUOTED | list | value ("," value)+
//! list     := "[" values "]" | "(" values ")" | "{" values "}"   values: with commas between
//! ```
//!
//! A path or a value with blanks, brackets or braces must be in quotes (`"…"` or `'…'`; `\` before a quote or another
//! `\`). The parser is a hand-written recursive descent: every error has its own message and place, which is most of
//! the code.

mod condition;
mod cursor;
mod file;
mod options;
mod pipeline;
#[cfg(test)]
mod tests;
mod value;
mod variables;

pub use condition::{Condition, Conditional};
pub use file::{FileKind, FileText, NameAt};
pub use options::{Group, OptionSetting};
pub use pipeline::PipelineElement;
pub use value::OptionValue;
pub use variables::{EntryKind, PipelineEntry, Variables, is_name};

use cursor::Cursor;
use halyard_diag::{Result, Source};
use std::{ops::Range, sync::Arc};

/// A stage as parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum StageText {
    /// Passes.
    Passes(Vec<PipelineElement>),
    /// A file.
    File(Box<FileText>),
    /// Stages that run if a condition holds.
    When(Conditional),
}

/// Whether a name ends like that of a stage file.
pub fn names_file(name: &str) -> bool {
    FileKind::by_suffix(name).is_some()
}

/// Reads a stage in part of a text. Errors: what is malformed, with its place.
pub fn stage(source: &Arc<Source>, range: Range<usize>) -> Result<StageText> {
    let mut cursor = Cursor::new(source, range);
    cursor.skip_blanks();
    if cursor.eat_word("pass:") {
        return pipeline::parse(&mut cursor).map(StageText::Passes);
    }
    if let Some(conditional) = condition::parse(&mut cursor)? {
        return Ok(StageText::When(conditional));
    }
    match file::parse(&mut cursor)? {
        Some(file) => Ok(StageText::File(Box::new(file))),
        None => pipeline::parse(&mut cursor).map(StageText::Passes),
    }
}

/// Reads passes in part of a text. Errors: as [`stage`].
pub fn passes(source: &Arc<Source>, range: Range<usize>) -> Result<Vec<PipelineElement>> {
    pipeline::parse(&mut Cursor::new(source, range))
}

/// Reads a condition in part of a text. Errors: no name, something after it.
pub fn condition(source: &Arc<Source>, range: Range<usize>) -> Result<Condition> {
    Condition::parse(&mut Cursor::new(source, range))
}

/// Reads the options of a pass, `{…}` in part of a text, as values with types. Errors: what is malformed.
pub fn options(source: &Arc<Source>, range: Range<usize>, owner: &str) -> Result<Group> {
    Group::parse(&mut Cursor::new(source, range), owner)
}

/// Reads `NAME` or `NAME{OPTIONS}`, the whole of a text. Errors: no name, what is malformed or left over, with its place.
pub fn named(source: &Arc<Source>) -> Result<(NameAt, Group)> {
    let mut cursor = Cursor::new(source, 0..source.text.len());
    cursor.skip_blanks();
    let at = cursor.take_until(|c| c == '{' || c.is_whitespace());
    if at.is_empty() {
        return Err(cursor.expected("a name"));
    }
    let name = NameAt { text: cursor.text(at.clone()).to_owned(), at };
    cursor.skip_blanks();
    let group = if cursor.peek() == Some('{') { Group::parse(&mut cursor, &name.text)? } else { Group::default() };
    cursor.skip_blanks();
    match cursor.peek() {
        None => Ok((name, group)),
        Some(_) => Err(cursor.expected("the end").hint("options stand in braces: `NAME{OPTION=VALUE}`")),
    }
}

/// Quotes text for use in a stage.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
