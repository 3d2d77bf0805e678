//! Splits and quotes words of a command line as a POSIX shell does.

/// Quotes a word for `sh`, unless it needs no quotes.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn quotes_only_where_needed() {
        assert_eq!(quote("--target=cpu:x86-64-v4"), "--target=cpu:x86-64-v4");
        assert_eq!(quote("builtin.module(cse)"), "'builtin.module(cse)'");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
    }
}
