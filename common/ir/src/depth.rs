//! Limits the nesting depth of a text: MLIR's parser recurses, and deep nesting would overflow the stack.

/// Levels that MLIR's parser, verifier and printer surely have the stack for. People need a few dozen.
const MOST: usize = 500;

/// The place of the first bracket that is nested too deep, if any. Strings and comments do not count.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut open, mut i) = (Vec::new(), 0);
    while i < bytes.len() {
        match bytes[i] {
            b'"' => {
                i += 1;
                while i < bytes.len() && bytes[i] != b'"' && bytes[i] != b'\n' {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                i += bytes[i..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - i);
            }
            b'(' | b'[' | b'{' => open.push(bytes[i]),
            // Not those of `->`, `<=` and `>=`.
            b'<' if bytes.get(i + 1) != Some(&b'=') => open.push(b'<'),
            b'>' if bytes.get(i + 1) != Some(&b'=') && (i == 0 || bytes[i - 1] != b'-') => close(&mut open, b'<'),
            b')' => close(&mut open, b'('),
            b']' => close(&mut open, b'['),
            b'}' => close(&mut open, b'{'),
            _ => {}
        }
        if open.len() > MOST {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// Closes a bracket and what is still open in it: a `<` may stand alone. What was never opened does not count.
fn close(open: &mut Vec<u8>, kind: u8) {
    let inside = open.iter().rev().position(|&b| b == kind);
    // A `>` closes the bracket next to it only.
    if let Some(inside) = inside.filter(|&n| kind != b'<' || n == 0) {
        open.truncate(open.len() - inside - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::too_deep;

    #[test]
    fn counts_brackets_only() {
        let deep = |open: &str, close: &str, n: usize| too_deep(&(open.repeat(n) + &close.repeat(n)));
        for (open, close) in [("module {", "}"), ("[", "]"), ("tuple<", ">"), ("(", ")")] {
            assert_eq!(deep(open, close, 400), None, "{open}");
            assert!(deep(open, close, 600).is_some(), "{open}");
        }
        for flat in ["{}", "() -> ()", "tensor<4xf32>", "\"((\\\"(\"", "// (((\n", "{ a < b }", "(d0 >= 0, d0 <= 5)"] {
            assert_eq!(too_deep(&flat.repeat(1000)), None, "{flat}");
        }
        assert_eq!(too_deep("\"unclosed (((("), None);
    }
}
