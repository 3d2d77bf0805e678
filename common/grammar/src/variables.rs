//! Substitutes `${NAME}` in stages that a file lists: a pipeline, or the manifest of a plugin.
use crate::OptionValue;
use halyard_diag::{Error, Result, Source, Span, nearest, quote};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

/// The kind of a pipeline entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A pass or a pass pipeline.
    Pass,
    /// A transform script, patterns, or Python.
    Transform,
    /// Another pipeline file.
    Include,
}

/// An entry of a pipeline.
#[derive(Debug, Clone)]
pub struct PipelineEntry {
    /// The kind, from the key that it follows.
    pub kind: EntryKind,
    /// The text of the entry.
    pub text: String,
    /// The byte range of the text.
    pub at: Range<usize>,
    /// Whether the file has the text unchanged, without escapes and line breaks, so that places in it can be reported.
    pub verbatim: bool,
}

/// The values that `${NAME}` has: of a pipeline file's variables, of a plugin's options.
#[derive(Debug, Clone)]
pub struct Variables {
    /// The word for a variable in messages.
    what: &'static str,
    /// The syntax that declares a variable, for messages.
    declared: &'static str,
    all: BTreeMap<String, OptionValue>,
    used: RefCell<BTreeSet<String>>,
}

impl Variables {
    /// Makes an empty set of variables. `what` is the word for one in messages, `declared` the syntax that declares
    /// one (with `NAME`).
    pub fn new(what: &'static str, declared: &'static str) -> Self {
        Self { what, declared, all: BTreeMap::new(), used: RefCell::default() }
    }

    /// Sets the value of a variable.
    pub fn set(&mut self, name: &str, value: OptionValue) {
        self.all.insert(name.to_owned(), value);
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.all.get(name)
    }

    /// Marks a variable as used.
    pub fn mark(&self, name: &str) {
        self.used.borrow_mut().insert(name.to_owned());
    }

    /// Whether a variable has been used.
    pub fn uses(&self, name: &str) -> bool {
        self.used.borrow().contains(name)
    }

    /// The text of an entry with values in it; `None` if it has no variables. A value stands as it would be written in a
    /// stage where it is a whole value of an option, elsewhere as plain text. Errors: a variable that is not declared, a
    /// `$` without braces.
    pub fn put_into(&self, source: &Arc<Source>, entry: &PipelineEntry) -> Result<Option<String>> {
        self.expand(source, entry, Style::Stage)
    }

    /// Substitutes variables in a shell line: each value is one word, quoted if needed; each value of a list is a
    /// word. Fails as [`Variables::put_into`] does, and for a variable in quotes, which would be quoted twice.
    pub fn put_into_line(&self, source: &Arc<Source>, entry: &PipelineEntry) -> Result<Option<String>> {
        self.expand(source, entry, Style::Line)
    }

    fn expand(&self, source: &Arc<Source>, entry: &PipelineEntry, style: Style) -> Result<Option<String>> {
        if !entry.text.contains('$') {
            return Ok(None);
        }
        let at = |from: usize, to: usize| match entry.verbatim {
            true => Span::new(source, entry.at.start + from..entry.at.start + to),
            false => Span::new(source, entry.at.clone()),
        };
        let (mut text, mut depth, mut quote) = (String::new(), 0_usize, None);
        let whole = &entry.text;
        let mut position = 0;
        while let Some(c) = whole[position..].chars().next() {
            let next = position + c.len_utf8();
            if c != '$' {
                match (quote, c) {
                    (Some(q), _) if c == q => quote = None,
                    (None, '"' | '\'') => quote = Some(c),
                    (None, '{') => depth += 1,
                    (None, '}') => depth = depth.saturating_sub(1),
                    _ => {}
                }
                text.push(c);
                position = next;
                continue;
            }
            let rest = &whole[next..];
            // Braces around something that is not a name belong to the shell.
            if style == Style::Line && !rest.starts_with(['$', '{']) {
                text.push('$');
                position = next;
                continue;
            }
            if rest.starts_with('$') {
                text.push('$');
                position = next + 1;
                continue;
            }
            let name = rest.strip_prefix('{').and_then(|r| r.split_once('}')).map(|(name, _)| name);
            let Some(name) = name.filter(|n| is_name(n)) else {
                let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let error = Error::input(format!("`$` stands before the name of {} in braces", article(self.what)))
                    .code("bad-variable")
                    .at(at(position, next + word));
                return Err(match word {
                    0 => error.hint("a plain `$` is `$$`"),
                    _ => error.hint(format!("write `${{{}}}`; a plain `$` is `$$`", &rest[..word])),
                });
            };
            let end = next + name.len() + 2;
            let Some(value) = self.all.get(name) else {
                let error = Error::input(format!("{} `{name}` is not declared", self.what))
                    .code("bad-variable")
                    .at(at(position, end));
                return Err(match nearest(name, self.all.keys().map(String::as_str)).first() {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => {
                        error.hint(format!("declare it with its default: `{}`", self.declared.replace("NAME", name)))
                    }
                });
            };
            self.mark(name);
            if style == Style::Line {
                if quote.is_some() {
                    return Err(Error::input(format!(
                        "`${{{name}}}` stands in quotes, and comes with quotes of its own"
                    ))
                    .code("bad-variable")
                    .at(at(position, end))
                    .hint("leave out the quotes around it"));
                }
                text += &words(value);
                position = end;
                continue;
            }
            let before = text.chars().last().is_some_and(|c| "=[(,".contains(c));
            let after = whole[end..].chars().next().is_none_or(|c| c.is_whitespace() || ",])}".contains(c));
            text += &match quote {
                Some(_) => plain(value).replace('\\', "\\\\").replace('"', "\\\"").replace('\'', "\\'"),
                None if depth > 0 && before && after => value.to_string(),
                None => plain(value),
            };
            position = end;
        }
        Ok(Some(text))
    }
}

/// The kind of text in which variables are substituted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Stage,
    Line,
}

fn article(what: &str) -> String {
    format!("{} {what}", if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}

/// Quotes a value as words of a shell.
fn words(value: &OptionValue) -> String {
    match value {
        OptionValue::List(items) => items.iter().map(words).collect::<Vec<_>>().join(" "),
        value => quote(&plain(value)),
    }
}

/// A value as text: without quotes, a list without brackets.
fn plain(value: &OptionValue) -> String {
    match value {
        OptionValue::String(text) => text.clone(),
        OptionValue::List(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}

/// Whether a text is a valid name of a variable.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
