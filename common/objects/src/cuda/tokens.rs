//! Tokens of PTX.

/// A token with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

/// Splits PTX into words, numbers, strings and marks; comments are left out. Errors: a comment or string without an end,
/// a character that PTX does not have.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").ok_or("a comment has no end")? + 2;
            continue;
        } else if first == '"' {
            rest[1..].find('"').ok_or("a string has no end")? + 2
        } else if first.is_ascii_digit() {
            word(rest, |c| c.is_ascii_alphanumeric() || c == '.')
        } else if is_word(first) {
            first.len_utf8() + word(&rest[first.len_utf8()..], |c| is_word(c) && c != '.' && c != '%')
        } else if first.is_ascii_punctuation() {
            1
        } else {
            return Err(format!("`{}` is no character of PTX", first.escape_default()));
        };
        found.push(Token { text: &rest[..length], at });
        at += length;
    }
    Ok(found)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.')
}

fn word(text: &str, part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !part(c)).unwrap_or(text.len())
}
