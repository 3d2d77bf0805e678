//! `--split-input-file`: splits a text into separate inputs.
use halyard_diag::Source;
use std::sync::Arc;

/// The line between two parts, as upstream writes it.
pub(crate) const MARKER: &str = "// -----";

/// Splits a text at its marker lines. Every part keeps its place: the lines before it are blank, so that places in
/// messages are those of the whole text.
pub(crate) fn split(name: &str, text: &str) -> Vec<Arc<Source>> {
    let mut parts = Vec::new();
    let mut part = String::new();
    for (line, content) in text.split_inclusive('\n').enumerate() {
        if content.trim_end() == MARKER {
            parts.push(Source::new(name, std::mem::take(&mut part)));
            part.push_str(&"\n".repeat(line + 1));
        } else {
            part.push_str(content);
        }
    }
    parts.push(Source::new(name, part));
    // A marker at the very end, or two in a row, make no input.
    let blank = |s: &Source| s.text.trim().is_empty();
    let several = parts.len() > 1;
    parts.retain(|s| !(several && blank(s)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_line_numbers() {
        let parts = split("x", "a\n// -----\nb\nc\n// -----\n");
        assert_eq!(parts.iter().map(|s| s.text.as_str()).collect::<Vec<_>>(), ["a\n", "\n\nb\nc\n"]);
        assert_eq!(parts[1].position(2), (3, 1));
    }
}
