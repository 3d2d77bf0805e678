//! `RegexFullMatch`: whether a regular expression of RE2's syntax matches a whole string.
//!
//! The expression becomes an automaton at import. RE2 syntax that differs from that of the regex crate is rewritten
//! first: classes such as `\d` and word boundaries are ASCII, `\Q…\E` quotes, and within brackets only `[:` opens a
//! class.
use crate::onnx::{
    Context, Elem, Node, Num, Outcome, Tensor, Value,
    problem::{invalid, unsupported},
    strings::Automaton,
};

pub(super) fn full_match(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let pattern = n.string("pattern", "");
    if x.words.is_none() {
        return invalid(format!("input 0 of type `{}` holds no strings", x.ty()));
    }
    let read = match rewritten(&pattern) {
        Ok(read) => read,
        Err(why) => return invalid(format!("`pattern` is `{pattern}`: {why}")),
    };
    let automaton = match Automaton::of_pattern(&read) {
        Ok(automaton) => automaton,
        Err(why) if why.contains("exceeded") => {
            return unsupported(format!("`pattern` is `{pattern}`, whose automaton is too large"));
        }
        Err(why) => return invalid(format!("`pattern` is `{pattern}`: {why}")),
    };
    if let Some(words) = c.known_strings(&x) {
        let flags = words.iter().map(|w| Num::I(automaton.accepts(w).into()));
        let shape = x.shape.iter().map(|d| d.get().unwrap_or(0) as usize).collect();
        return Ok(vec![Value::constant(Tensor::from_numbers(Elem::Bool, shape, flags))]);
    }
    let spans = c.spans(&x)?;
    Ok(vec![automaton.runs(c, &spans)?])
}

/// RE2's classes of a letter, without brackets.
fn class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "0-9",
        's' => r"\t\n\f\r ",
        'w' => "0-9A-Za-z_",
        _ => return None,
    })
}

/// Rewrites an expression from RE2's syntax to that of the crate. Fails for constructs without an equivalent.
pub(in crate::onnx::ops) fn rewritten(pattern: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = pattern;
    // Whether it is between brackets, and behind their first sign.
    let (mut bracket, mut behind) = (false, false);
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        let first = bracket && !std::mem::replace(&mut behind, true);
        match sign {
            '\\' => {
                let Some(letter) = rest.chars().next() else { return Err("it ends with a backslash".into()) };
                rest = &rest[letter.len_utf8()..];
                let lower = letter.to_ascii_lowercase();
                match (letter, class(lower)) {
                    (_, Some(class)) if letter == lower && bracket => out += class,
                    (_, Some(class)) => out += &format!("[{}{class}]", if letter == lower { "" } else { "^" }),
                    ('b' | 'B', _) if !bracket => out += &format!(r"(?-u:\{letter})"),
                    ('C', _) => return Err(r"`\C`, any byte, is not supported".into()),
                    ('Q', _) => {
                        let (quoted, after) = rest.split_once(r"\E").unwrap_or((rest, ""));
                        rest = after;
                        quoted.chars().for_each(|c| literal(c, &mut out));
                    }
                    _ => {
                        out.push('\\');
                        out.push(letter);
                    }
                }
            }
            '[' if !bracket => {
                (bracket, behind) = (true, false);
                out.push('[');
                if let Some(after) = rest.strip_prefix('^') {
                    rest = after;
                    out.push('^');
                }
            }
            ']' if bracket && !first => {
                bracket = false;
                out.push(']');
            }
            '[' if rest.starts_with(':') && rest.contains(":]") => {
                let end = rest.find(":]").unwrap_or(0) + 2;
                out.push('[');
                out += &rest[..end];
                rest = &rest[end..];
            }
            // A range, or the sign itself at either end.
            '-' if bracket && (first || rest.starts_with(']')) => out += r"\-",
            '-' if bracket => {
                out.push('-');
                if let Some(after) = rest.strip_prefix('-') {
                    rest = after;
                    out += r"\-";
                }
            }
            '[' | ']' | '&' | '~' | '^' | '#' if bracket => literal(sign, &mut out),
            _ => out.push(sign),
        }
    }
    Ok(out)
}

/// Writes a literal character.
fn literal(sign: char, out: &mut String) {
    if sign.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(sign);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(pattern: &str, text: &str) -> bool {
        Automaton::of_pattern(&rewritten(pattern).unwrap()).unwrap().accepts(text)
    }

    #[test]
    fn syntax_is_that_of_re2() {
        // Classes are those of ASCII, a vertical tab is no space.
        assert!(accepts(r"\d+", "12") && !accepts(r"\d", "٣") && !accepts(r"\w", "é") && !accepts(r"\s", "\u{b}"));
        assert!(
            accepts(r"[\d.]+", "1.2") && accepts(r"[^\d]", "é") && !accepts(r"[^\d]", "3") && accepts(r"[\D1]", "1")
        );
        assert!(accepts(r"\Qa.b\E+", "a.bb") && !accepts(r"\Qa.b\E", "axb"));
        assert!(accepts("[[a]", "[") && accepts("[a&&b]+", "a&b") && accepts("[]a]+", "]a") && accepts("[a~~b]+", "~"));
        assert!(accepts("[a-]+", "-a") && accepts("[-a]+", "a-") && accepts("[+--]+", ",-+") && !accepts("[+--]", "."));
        assert!(accepts("[[:alpha:]_]+", "a_b") && accepts("[^]]", "x") && !accepts("[^]]", "]"));
        assert!(accepts(r"\bab\b.*", "ab cd") && !accepts(r"\bab\b.*", "abc"));
        assert!(
            accepts(r"\pL+", "aé") && accepts("(?i)straße", "STRAßE") && accepts("(?s).", "\n") && !accepts(".", "\n")
        );
        assert!(rewritten(r"a\C").is_err() && rewritten("a\\").is_err());
    }
}
