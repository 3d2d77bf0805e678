//! TOML with places: an invalid value is reported with its line and column.
use halyard_diag::{Error, Result, Source, Span, nearest};
use halyard_grammar::{EntryKind, OptionValue, PipelineEntry};
use std::{ops::Range, sync::Arc};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its byte range.
pub(crate) type Node<'i> = Spanned<DeValue<'i>>;

/// A table of which every key is known.
pub(crate) struct Table<'r, 'i> {
    pub(crate) source: &'r Arc<Source>,
    /// The name of the table in messages.
    what: &'r str,
    table: &'r DeTable<'i>,
    at: Range<usize>,
}

/// Reads the whole of a text as a table. Errors: what is no TOML.
pub(crate) fn parse(source: &Arc<Source>) -> Result<Spanned<DeTable<'_>>> {
    DeTable::parse(&source.text).map_err(|e| {
        let at = e.span().unwrap_or(0..0);
        error(source, at, format!("the manifest is no TOML: {}", e.message().trim()))
    })
}

/// Makes an error at a byte range.
pub(crate) fn error(source: &Arc<Source>, at: Range<usize>, message: impl Into<String>) -> Error {
    // For a range of several lines, the first line is enough.
    let line = source.text[at.clone()].find('\n').map_or(at.end, |i| at.start + i);
    Error::input(message).code("bad-manifest").at(Span::new(source, at.start..line))
}

/// Returns the kind of a value, for messages.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl<'r, 'i> Table<'r, 'i> {
    /// A table with the keys that it may have. Errors: others.
    pub(crate) fn new(
        source: &'r Arc<Source>,
        what: &'r str,
        (table, at): (&'r DeTable<'i>, Range<usize>),
        known: &[&str],
    ) -> Result<Self> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let e = error(source, key.span(), format!("unknown key `{name}` in {what}"));
                let list: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
                return Err(match nearest(name, known.iter().copied()).first() {
                    Some(near) => e.hint(format!("did you mean `{near}`?")),
                    None => e.note(format!("it may have {}", list.join(", "))),
                });
            }
        }
        Ok(Self { source, what, table, at })
    }

    /// A value that is a table, likewise. Errors: it is none.
    pub(crate) fn of(
        source: &'r Arc<Source>,
        what: &'r str,
        node: &'r Node<'i>,
        known: &[&str],
    ) -> Result<Table<'r, 'i>> {
        match node.get_ref() {
            DeValue::Table(table) => Table::new(source, what, (table, node.span()), known),
            other => Err(error(source, node.span(), format!("{what} has to be a table, this is {}", kind(other)))),
        }
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&'r Node<'i>> {
        self.table.get(key)
    }

    /// Returns all keys with their byte ranges and values, in order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&'r str, Range<usize>, &'r Node<'i>)> + use<'r, 'i> {
        let table: &'r DeTable<'i> = self.table;
        table.iter().map(|(key, value)| (&**key.get_ref(), key.span(), value))
    }

    /// Makes an error about the whole table, or about its beginning.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        error(self.source, self.at.clone(), message)
    }

    fn wrong(&self, key: &str, node: &Node<'_>, wanted: &str) -> Error {
        let is = kind(node.get_ref());
        error(self.source, node.span(), format!("`{key}` has to be {wanted}, this is {is}"))
    }

    /// Returns the text of a key. Fails if the value is not text.
    pub(crate) fn text(&self, key: &str) -> Result<Option<&'r str>> {
        self.get(key)
            .map(|node| match node.get_ref() {
                DeValue::String(text) => Ok(&**text),
                _ => Err(self.wrong(key, node, "a text")),
            })
            .transpose()
    }

    /// A text that has to be there and hold something.
    pub(crate) fn needed(&self, key: &str) -> Result<&'r str> {
        match self.text(key)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(error(self.source, self.span(key), format!("`{key}` is empty"))),
            None => Err(self.error(format!("{} has no `{key}`", self.what)).hint(format!("write `{key} = \"…\"`"))),
        }
    }

    /// A boolean; `false` where there is none. Errors: it is none.
    pub(crate) fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key).map(|node| (node, node.get_ref())) {
            None => Ok(false),
            Some((_, DeValue::Boolean(b))) => Ok(*b),
            Some((node, _)) => Err(self.wrong(key, node, "a boolean")),
        }
    }

    /// The tables of a list. Errors: it is none.
    pub(crate) fn tables(&self, key: &str) -> Result<Vec<&'r Node<'i>>> {
        match self.get(key).map(|node| (node, node.get_ref())) {
            None => Ok(Vec::new()),
            Some((_, DeValue::Array(items))) => Ok(items.iter().collect()),
            Some((node, _)) => {
                let e = error(self.source, node.span(), format!("`{key}` has to be a list of tables"));
                Err(e.hint(format!("write `[[{key}]]`")))
            }
        }
    }

    /// The texts of a list with their places. Errors: it is none, or has others.
    pub(crate) fn texts(&self, key: &str) -> Result<Vec<(String, Range<usize>)>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = node.get_ref() else { return Err(self.wrong(key, node, "a list of texts")) };
        let text = |item: &Node<'_>| match item.get_ref() {
            DeValue::String(text) => Ok((text.to_string(), item.span())),
            _ => Err(self.wrong(key, item, "a list of texts")),
        };
        items.iter().map(text).collect()
    }

    /// A text in which `${NAME}` may stand.
    pub(crate) fn entry(&self, key: &str, kind: EntryKind) -> Result<Option<PipelineEntry>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let mut at = self.span(key);
        if text.trim().is_empty() {
            return Err(error(self.source, at, format!("`{key}` is empty")));
        }
        let mut raw = &self.source.text[at.clone()];
        if let Some(inside) = ["\"", "'"].iter().find_map(|q| raw.strip_prefix(q)?.strip_suffix(q)) {
            raw = inside;
            at = at.start + 1..at.end - 1;
        }
        let verbatim = raw == text;
        Ok(Some(PipelineEntry { kind, text: text.to_owned(), at, verbatim }))
    }

    /// Returns the byte range of a key's value.
    pub(crate) fn span(&self, key: &str) -> Range<usize> {
        self.get(key).map_or(self.at.clone(), Spanned::span)
    }
}

/// A value as options have it. Errors: a date, a table, a number that does not fit 64 bits.
pub(crate) fn value(source: &Arc<Source>, node: &Node<'_>) -> Result<OptionValue> {
    let bad = || error(source, node.span(), "an option cannot have this value");
    Ok(match node.get_ref() {
        DeValue::String(text) => OptionValue::String(text.to_string()),
        DeValue::Boolean(b) => OptionValue::Bool(*b),
        DeValue::Integer(n) => OptionValue::Int(i64::from_str_radix(n.as_str(), n.radix()).map_err(|_| bad())?),
        DeValue::Float(n) => match n.as_str().parse::<f64>() {
            Ok(n) if n.is_finite() => OptionValue::Float(n),
            _ => return Err(bad()),
        },
        DeValue::Array(items) => OptionValue::List(items.iter().map(|i| value(source, i)).collect::<Result<_>>()?),
        DeValue::Datetime(_) | DeValue::Table(_) => {
            return Err(bad().note("values are numbers, booleans, strings and lists of these"));
        }
    })
}
