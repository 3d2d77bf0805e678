//! Lists in brackets, as numpy prints arrays: `[[1, 2], [3, 4]]`.
use super::TensorType;
use halyard_diag::{Error, Result};

/// The numbers of a text with brackets, row-major. The outermost brackets may be left out; commas are blanks. Errors: lists that are not as the
/// shape has them.
pub(super) fn words<'t>(ty: &TensorType, text: &'t str) -> Result<Vec<&'t str>> {
    let mut reader = Reader { ty, left: text, words: Vec::new() };
    let shape = &ty.shape[..];
    match shape.split_first() {
        // `[1 2] [3 4]` instead of `[[1 2] [3 4]]`.
        Some((count, inner)) if reader.opening() < shape.len() => reader.items(*count, inner, 0)?,
        _ => reader.list(shape, 0)?,
    }
    match reader.token() {
        None => Ok(reader.words),
        Some(rest) => Err(reader.wrong(format!("`{rest}` is too much"))),
    }
}

struct Reader<'a, 't> {
    ty: &'a TensorType,
    left: &'t str,
    words: Vec<&'t str>,
}

impl<'t> Reader<'_, 't> {
    /// The next bracket or word.
    fn peek(&self) -> Option<&'t str> {
        let text = self.left.trim_start_matches(is_blank);
        let brackets = |c: char| c == '[' || c == ']';
        let length = match text.find(|c| brackets(c) || is_blank(c)) {
            Some(0) => 1,
            Some(length) => length,
            None => text.len(),
        };
        (!text.is_empty()).then(|| &text[..length])
    }

    fn token(&mut self) -> Option<&'t str> {
        let token = self.peek()?;
        self.left = &self.left.trim_start_matches(is_blank)[token.len()..];
        Some(token)
    }

    /// The brackets that the text opens with.
    fn opening(&self) -> usize {
        self.left.chars().filter(|c| !is_blank(*c)).take_while(|c| *c == '[').count()
    }

    /// A list of that shape in brackets.
    fn list(&mut self, shape: &[usize], depth: usize) -> Result<()> {
        let Some((count, inner)) = shape.split_first() else {
            return Err(self.wrong("there are too many brackets".into()));
        };
        match self.token() {
            Some("[") => {}
            Some(other) => return Err(self.wrong(format!("`{other}` stands where `[` is expected"))),
            None => return Err(self.wrong("a list is missing".into())),
        }
        self.items(*count, inner, depth)?;
        match self.token() {
            Some("]") => Ok(()),
            Some(_) => Err(self.wrong(format!("a list of dimension {depth} has more elements than {count}"))),
            None => Err(self.wrong("a bracket is not closed".into())),
        }
    }

    /// The elements of a list.
    fn items(&mut self, count: usize, inner: &[usize], depth: usize) -> Result<()> {
        for found in 0..count {
            if matches!(self.peek(), None | Some("]")) {
                return Err(self.wrong(format!("a list of dimension {depth} has {found} of {count} elements")));
            }
            if !inner.is_empty() {
                self.list(inner, depth + 1)?;
                continue;
            }
            match self.token() {
                Some("[") | None => return Err(self.wrong("there are too many brackets".into())),
                Some(word) => self.words.push(word),
            }
        }
        Ok(())
    }

    fn wrong(&self, what: String) -> Error {
        Error::usage(format!("{what} in the value of a `{}`", self.ty))
            .hint("numbers without brackets are taken in row-major order")
    }
}

fn is_blank(c: char) -> bool {
    c == ',' || c.is_whitespace()
}
