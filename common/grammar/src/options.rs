//! Options and parameters: `{key=value key2=value2 flag}`.
use super::{cursor::Cursor, value::OptionValue};
use halyard_diag::Result;
use std::ops::Range;

/// One option or parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionSetting {
    /// The key.
    pub name: String,
    /// The byte range of the key.
    pub name_at: Range<usize>,
    /// Its value; `true` where none is written.
    pub value: OptionValue,
    /// The byte range of the value; that of the key if there is no value.
    pub value_at: Range<usize>,
}

/// The contents of a pair of braces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The settings in order; keys are unique.
    pub settings: Vec<OptionSetting>,
}

/// A key and where its value stands, unread.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Raw {
    pub(super) name_at: Range<usize>,
    pub(super) value_at: Option<Range<usize>>,
}

/// Parses `{…}` from the brace. Fails for unclosed braces (`owner` names their owner), a value without a name, and a
/// repeated name.
pub(super) fn raw(cursor: &mut Cursor<'_>, owner: &str) -> Result<Vec<Raw>> {
    let open = cursor.at;
    cursor.bump();
    let mut all: Vec<Raw> = Vec::new();
    loop {
        cursor.skip_blanks();
        if cursor.eat('}') {
            return Ok(all);
        }
        if cursor.peek().is_none() {
            return Err(cursor.error(open..open + 1, format!("the options of `{owner}` are not closed with `}}`")));
        }
        let name_at = cursor.take_until(|c| c.is_whitespace() || "=[](){},\"'".contains(c));
        if name_at.is_empty() {
            let error = cursor.expected("the name of an option");
            return Err(match cursor.peek() {
                Some(',') => error.hint("separate options with spaces"),
                _ => error.hint("write `{NAME=VALUE NAME=VALUE}`"),
            });
        }
        let name = cursor.text(name_at.clone());
        if let Some(before) = all.iter().find(|r| cursor.text(r.name_at.clone()) == name) {
            let first = halyard_diag::Span::new(cursor.source, before.name_at.clone());
            let mut error = cursor.error(name_at, format!("option `{name}` is given twice"));
            if let Some(last) = error.diagnostics.pop() {
                error.diagnostics.push(last.label(first, "first here"));
            }
            return Err(error);
        }
        let value_at = match cursor.peek() {
            Some('=') => {
                cursor.bump();
                if cursor.peek().is_none() {
                    return Err(
                        cursor.error(open..open + 1, format!("the options of `{owner}` are not closed with `}}`"))
                    );
                }
                let at = cursor.balanced(|c| c.is_whitespace() || c == '}')?;
                if at.is_empty() {
                    return Err(cursor.expected(&format!("a value for `{name}`")).hint("an empty value is `\"\"`"));
                }
                Some(at)
            }
            Some(c) if !c.is_whitespace() && c != '}' => {
                let error = cursor.expected(&format!("`=` or a blank after `{name}`"));
                return Err(if c == ',' { error.hint("separate options with spaces") } else { error });
            }
            _ => None,
        };
        all.push(Raw { name_at, value_at });
    }
}

impl Group {
    /// Parses `{…}` from the brace. Fails as [`raw`] does, and for malformed values.
    pub(super) fn parse(cursor: &mut Cursor<'_>, owner: &str) -> Result<Self> {
        let mut settings = Vec::new();
        for Raw { name_at, value_at } in raw(cursor, owner)? {
            let value = match &value_at {
                Some(at) => {
                    // A comma at the end: someone separates options with commas.
                    if cursor.text(at.clone()).ends_with(',') {
                        let comma = cursor.within(at.end - 1..at.end);
                        return Err(cursor
                            .error(comma.at..comma.end, "nothing follows this `,`")
                            .hint("separate options with spaces"));
                    }
                    OptionValue::parse(&mut cursor.within(at.clone()))?
                }
                None => OptionValue::Bool(true),
            };
            let value_at = value_at.unwrap_or_else(|| name_at.clone());
            settings.push(OptionSetting { name: cursor.text(name_at.clone()).to_owned(), name_at, value, value_at });
        }
        Ok(Self { settings })
    }
}
