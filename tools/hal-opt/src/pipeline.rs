//! The textual form of pass pipelines, as a tree: `a,b{x=1},func.func(c)`.
//!
//! MLIR parses pipelines, too, but gives no tree; the tree is what lets a stage report a misspelt pass with its place,
//! run and time passes one by one, and notice a nesting that matches nothing.
use halyard_diag::{Error, Result, Source, Span};
use std::{ops::Range, sync::Arc};

/// One element of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Element {
    /// A pass or registered pipeline with its options: `name` or `name{options}`.
    Pass {
        /// The name.
        name: String,
        /// Name and options as written.
        text: String,
        /// Where it stands.
        at: Range<usize>,
    },
    /// A pipeline for operations of a kind (or `any`): `func.func(…)`.
    Nested {
        /// The kind of operation.
        op: String,
        /// What runs on each.
        elements: Vec<Element>,
        /// Where the kind stands.
        at: Range<usize>,
    },
}

/// Parses a pipeline. Errors: unbalanced brackets, missing names; with the place in the text.
pub(crate) fn parse(source: &Arc<Source>) -> Result<Vec<Element>> {
    let mut parser = Parser { source, text: &source.text, position: 0 };
    let elements = parser.list()?;
    match parser.peek() {
        None => Ok(elements),
        Some(c) => Err(parser.error(format!("expected `,` or the end of the pipeline, found `{c}`"))),
    }
}

struct Parser<'s> {
    source: &'s Arc<Source>,
    text: &'s str,
    position: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
        self.text[self.position..].chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        if there {
            self.position += c.len_utf8();
        }
        there
    }

    fn error(&self, message: String) -> Error {
        let end = self.text[self.position..].chars().next().map_or(self.position, |c| self.position + c.len_utf8());
        Error::usage(message).code("bad-pipeline").at(Span::new(self.source, self.position..end))
    }

    fn list(&mut self) -> Result<Vec<Element>> {
        let mut elements = Vec::new();
        if matches!(self.peek(), None | Some(')')) {
            return Ok(elements);
        }
        loop {
            elements.push(self.element()?);
            if !self.eat(',') {
                return Ok(elements);
            }
        }
    }

    fn element(&mut self) -> Result<Element> {
        self.peek();
        let start = self.position;
        let rest = &self.text[start..];
        let len = rest.find(|c: char| "(){},".contains(c) || c.is_whitespace()).unwrap_or(rest.len());
        if len == 0 {
            return Err(self.error("expected the name of a pass".into()));
        }
        let name = rest[..len].to_owned();
        self.position += len;
        let at = start..self.position;
        if self.eat('(') {
            let elements = self.list()?;
            if !self.eat(')') {
                return Err(self.error(format!("expected `)` to close `{name}(`")));
            }
            return Ok(Element::Nested { op: name, elements, at });
        }
        let mut end = at.end;
        if self.peek() == Some('{') {
            self.options(&name)?;
            end = self.position;
        }
        Ok(Element::Pass { name, text: self.text[start..end].to_owned(), at })
    }

    /// Skips `{…}`; braces nest, quotes hide them.
    fn options(&mut self, name: &str) -> Result<()> {
        let mut depth = 0;
        let mut quote = None;
        for (i, c) in self.text[self.position..].char_indices() {
            match (quote, c) {
                (Some(q), _) if c == q => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '{') => depth += 1,
                (None, '}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.position += i + c.len_utf8();
                return Ok(());
            }
        }
        Err(self.error(format!("the options of `{name}` are not closed with `}}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(elements: &[Element]) -> String {
        let one = |e: &Element| match e {
            Element::Pass { text, .. } => text.clone(),
            Element::Nested { op, elements, .. } => format!("{op}({})", show(elements)),
        };
        elements.iter().map(one).collect::<Vec<_>>().join(",")
    }

    fn reparse(text: &str) -> Result<String> {
        parse(&Source::new("--stage", text)).map(|e| show(&e))
    }

    #[test]
    fn reads_nesting_and_options() {
        let text = "builtin.module(func.func(a,b{x=1 y={2,3}}),c{s=\"}\"},d)";
        assert_eq!(reparse(text).unwrap(), text);
        assert_eq!(reparse(" a , func.func ( b ) ").unwrap(), "a,func.func(b)");
        assert_eq!(reparse("builtin.module()").unwrap(), "builtin.module()");
    }

    #[test]
    fn rejects_what_is_unbalanced() {
        for text in ["a(", "a)", "a{", "a,,b", "a b", "(a)", "a,"] {
            assert!(reparse(text).is_err(), "{text}");
        }
    }
}
