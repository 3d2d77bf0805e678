//! Values of options and parameters.
use super::cursor::Cursor;
use halyard_diag::Result;
use std::fmt::{self, Display, Write};

/// A value with its type.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionValue {
    /// `none`
    None,
    /// `true`, `false`
    Bool(bool),
    /// `32`, `-1`, `0x20`
    Int(i64),
    /// `0.5`, `1e-3`
    Float(f64),
    /// Any other word, or anything in quotes.
    String(String),
    /// `[1, 2]`, `(1, 2)`, `{1, 2}` or `1,2`
    List(Vec<OptionValue>),
}

impl OptionValue {
    /// Returns the kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
        }
    }

    /// Reads all that is left. Errors: nothing there, nothing between commas, brackets that do not match.
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.skip_blanks();
        let first = Self::item(cursor)?;
        cursor.skip_blanks();
        if cursor.peek().is_none() {
            return Ok(first);
        }
        let mut items = vec![first];
        while cursor.eat(',') {
            items.push(Self::item(cursor)?);
            cursor.skip_blanks();
        }
        if cursor.peek().is_some() {
            return Err(cursor.expected("`,` or the end of the value"));
        }
        Ok(Self::List(items))
    }

    fn item(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.skip_blanks();
        match cursor.peek() {
            Some('"' | '\'') => cursor.quoted().map(Self::String),
            Some(open @ ('[' | '(' | '{')) => {
                let close = match open {
                    '[' => ']',
                    '(' => ')',
                    _ => '}',
                };
                cursor.bump();
                let mut items = Vec::new();
                if cursor.eat(close) {
                    return Ok(Self::List(items));
                }
                loop {
                    items.push(Self::item(cursor)?);
                    if cursor.eat(close) {
                        return Ok(Self::List(items));
                    }
                    if !cursor.eat(',') {
                        cursor.skip_blanks();
                        return Err(cursor.expected(&format!("`,` or `{close}`")));
                    }
                }
            }
            _ => Self::word(cursor),
        }
    }

    fn word(cursor: &mut Cursor<'_>) -> Result<Self> {
        let at = cursor.take_until(|c| c.is_whitespace() || "[](){},\"'=".contains(c));
        if at.is_empty() {
            let error = cursor.expected("a value");
            return Err(if cursor.peek() == Some('=') {
                error.hint("a value with `=` in it needs quotes")
            } else {
                error
            });
        }
        let word = cursor.text(at.clone());
        if let Some('=') = cursor.peek() {
            return Err(cursor.expected("the end of the value").hint("a value with `=` in it needs quotes"));
        }
        match word {
            "none" | "None" => return Ok(Self::None),
            "true" | "True" => return Ok(Self::Bool(true)),
            "false" | "False" => return Ok(Self::Bool(false)),
            _ => {}
        }
        let digits = word.trim_start_matches(['-', '+']);
        if digits.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= digits.len() + 1 {
            if digits.bytes().all(|b| b.is_ascii_digit()) {
                return word.parse().map(Self::Int).map_err(|_| {
                    cursor.error(at, format!("`{word}` does not fit 64 bits")).hint("quote it to make it text")
                });
            }
            if let Some(hex) = digits.strip_prefix("0x").and_then(|h| i64::from_str_radix(h, 16).ok()) {
                return Ok(Self::Int(if word.starts_with('-') { -hex } else { hex }));
            }
            if let Some(number) = word.parse().ok().filter(|n: &f64| n.is_finite()) {
                return Ok(Self::Float(number));
            }
        }
        Ok(Self::String(word.to_owned()))
    }
}

/// Prints the value as a stage has it; parsing the text gives the same value.
impl Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(n) => write!(f, "{n:?}"),
            Self::String(text) => {
                let bare =
                    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "[](){},\"'=\\".contains(c));
                let word = matches!(text.as_str(), "none" | "None" | "true" | "True" | "false" | "False");
                if bare && !word && !text.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)) {
                    return f.write_str(text);
                }
                f.write_char('"')?;
                for c in text.chars() {
                    if matches!(c, '"' | '\\') {
                        f.write_char('\\')?;
                    }
                    f.write_char(c)?;
                }
                f.write_char('"')
            }
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", items.join(","))
            }
        }
    }
}
