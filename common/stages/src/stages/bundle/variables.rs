//! `${NAME}` in the stages of a bundle.
use super::schema::{Entry, is_name};
use crate::grammar::Value;
use halyard_diag::{Error, Result, Source, Span, nearest};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The values of a bundle's variables.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) all: BTreeMap<String, Value>,
    pub(super) used: RefCell<BTreeSet<String>>,
}

impl Values {
    /// The text of an entry with values in it; `None` if it has no variables. A value stands as it would be written in a
    /// stage where it is a whole value of an option, elsewhere as plain text. Errors: a variable that is not declared, a
    /// `$` without braces.
    pub(super) fn put_into(&self, source: &Arc<Source>, entry: &Entry) -> Result<Option<String>> {
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
            if rest.starts_with('$') {
                text.push('$');
                position = next + 1;
                continue;
            }
            let name = rest.strip_prefix('{').and_then(|r| r.split_once('}')).map(|(name, _)| name);
            let Some(name) = name.filter(|n| is_name(n)) else {
                let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let error = Error::input("`$` stands before the name of a variable in braces")
                    .code("bad-variable")
                    .at(at(position, next + word));
                return Err(match word {
                    0 => error.hint("a plain `$` is `$$`"),
                    _ => error.hint(format!("write `${{{}}}`; a plain `$` is `$$`", &rest[..word])),
                });
            };
            let end = next + name.len() + 2;
            let Some(value) = self.all.get(name) else {
                let error = Error::input(format!("variable `{name}` is not declared"))
                    .code("bad-variable")
                    .at(at(position, end));
                return Err(match nearest(name, self.all.keys().map(String::as_str)).first() {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint(format!("declare it with its default: `variables: {{{name}: …}}`")),
                });
            };
            self.used.borrow_mut().insert(name.to_owned());
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

/// A value as text: without quotes, a list without brackets.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::List(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}
