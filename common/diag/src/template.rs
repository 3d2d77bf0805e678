//! Message templates with placeholders: `dimension 1 is {0}, not {1}`. A doubled brace stands for one brace.

/// A message that is complete but for its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(usize),
}

impl Template {
    /// Reads a message. Errors: a brace that is neither doubled nor around a number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain += &rest[..at];
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                plain += brace;
                rest = after;
                continue;
            }
            let number = rest.split_once('}').filter(|(inside, _)| brace == "{" && is_number(inside));
            let Some((index, after)) = number.and_then(|(inside, after)| Some((inside.parse().ok()?, after))) else {
                return Err(format!("a `{brace}` of `{text}` is neither doubled nor part of a `{{0}}`, `{{1}}`, …"));
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Value(index));
            rest = after;
        }
        plain += rest;
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self { pieces })
    }

    /// The text as a message without values.
    pub fn escape(text: &str) -> String {
        text.replace('{', "{{").replace('}', "}}")
    }

    /// The least number of values that it needs.
    pub fn values(&self) -> usize {
        let ends = self.pieces.iter().map(|p| match p {
            Piece::Text(_) => 0,
            Piece::Value(i) => i.saturating_add(1),
        });
        ends.max().unwrap_or(0)
    }

    /// The message with its values; `value` is asked for each place.
    pub fn fill(&self, mut value: impl FnMut(usize) -> String) -> String {
        self.pieces
            .iter()
            .map(|p| match p {
                Piece::Text(text) => text.clone(),
                Piece::Value(i) => value(*i),
            })
            .collect()
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::Template;

    fn fill(text: &str) -> Result<String, String> {
        Template::parse(text).map(|t| t.fill(|i| format!("<{i}>")))
    }

    #[test]
    fn values_take_their_places() {
        assert_eq!(fill("`a` is {0}, not {1} or {0}").unwrap(), "`a` is <0>, not <1> or <0>");
        assert_eq!(Template::parse("{3} {1}").unwrap().values(), 4);
        assert_eq!(Template::parse("none").unwrap().values(), 0);
    }

    #[test]
    fn doubled_braces_are_braces() {
        assert_eq!(fill("{{0}} is {0}, {{{1}}}").unwrap(), "{0} is <0>, {<1>}");
        for text in ["", "{", "}", "{{", "a {0} }b{", "{}"] {
            assert_eq!(fill(&Template::escape(text)).unwrap(), text);
        }
    }

    #[test]
    fn other_braces_are_errors() {
        for text in ["{", "}", "{}", "{a}", "{0", "{-1}", "{+1}", "0}", "{99999999999999999999999}"] {
            assert!(fill(text).is_err(), "{text}");
        }
    }
}
