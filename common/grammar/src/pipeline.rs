//! Pass pipelines, as a tree: `a,b{x=1},func.func(c)`.
//!
//! MLIR also parses pipelines, but returns no tree. With the tree, a stage can point at a misspelt pass, run and time
//! passes one by one, and detect a nesting that matches nothing.
use super::{cursor::Cursor, options};
use halyard_diag::Result;
use std::ops::Range;

/// One element of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub enum PipelineElement {
    /// A pass or registered pipeline with its options: `name` or `name{options}`.
    Pass {
        /// The pass's registered name.
        name: String,
        /// Name and options as MLIR reads them.
        text: String,
        /// The byte range of the name.
        at: Range<usize>,
        /// The names of the options and where they stand.
        options: Vec<(String, Range<usize>)>,
        /// The byte range of the options with their braces, if there are any.
        braces: Option<Range<usize>>,
    },
    /// A pipeline for operations of a kind (or `any`): `func.func(…)`.
    Nested {
        /// The kind of operation, as `func.func`.
        op: String,
        /// The passes that run on each such operation.
        elements: Vec<PipelineElement>,
        /// The byte range of the kind.
        at: Range<usize>,
    },
}

/// The deepest nesting of a pipeline: deeper ones are a mistake, and would exhaust the stack.
const DEPTH: usize = 100;

/// Reads all that is left. Errors: unbalanced brackets, missing names; with the place in the text.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Vec<PipelineElement>> {
    let elements = list(cursor, 0)?;
    cursor.skip_blanks();
    match cursor.peek() {
        None => Ok(elements),
        Some(_) => Err(coded(cursor.expected("`,` or the end of the pipeline"))),
    }
}

/// Errors in pipelines have a name of their own.
fn coded(error: halyard_diag::Error) -> halyard_diag::Error {
    error.code("bad-pipeline")
}

fn list(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<PipelineElement>> {
    let mut elements = Vec::new();
    cursor.skip_blanks();
    if matches!(cursor.peek(), None | Some(')')) {
        return Ok(elements);
    }
    loop {
        elements.push(element(cursor, depth)?);
        if !cursor.eat(',') {
            return Ok(elements);
        }
    }
}

fn element(cursor: &mut Cursor<'_>, depth: usize) -> Result<PipelineElement> {
    cursor.skip_blanks();
    let at = cursor.take_until(|c| c.is_whitespace() || "(){}[],=\"'".contains(c));
    if at.is_empty() {
        return Err(coded(cursor.expected("the name of a pass")));
    }
    let name = cursor.text(at.clone()).to_owned();
    if cursor.eat('(') {
        if depth == DEPTH {
            return Err(coded(cursor.error(at, format!("pipelines nest at most {DEPTH} deep"))));
        }
        let elements = list(cursor, depth + 1)?;
        if !cursor.eat(')') {
            cursor.skip_blanks();
            return Err(coded(cursor.expected(&format!("`)` to close `{name}(`"))));
        }
        return Ok(PipelineElement::Nested { op: name, elements, at });
    }
    let (mut text, mut names, mut braces) = (name.clone(), Vec::new(), None);
    let mut ahead = cursor.clone();
    ahead.skip_blanks();
    if ahead.peek() == Some('{') {
        let open = ahead.at;
        let raw = options::raw(&mut ahead, &name).map_err(coded)?;
        braces = Some(open..ahead.at);
        *cursor = ahead;
        text.push('{');
        for (i, option) in raw.into_iter().enumerate() {
            let key = cursor.text(option.name_at.clone());
            if i > 0 {
                text.push(' ');
            }
            text += key;
            if let Some(value) = option.value_at {
                text.push('=');
                text += &for_mlir(cursor.text(value));
            }
            names.push((key.to_owned(), option.name_at));
        }
        text.push('}');
    }
    Ok(PipelineElement::Pass { name, text, at, options: names, braces })
}

/// A value in MLIR's syntax: `[1, 2]` is `1,2` there.
fn for_mlir(value: &str) -> String {
    let Some(inside) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) else { return value.to_owned() };
    if inside.contains(['[', ']', '(', ')', '{', '}', '"', '\'']) {
        return value.to_owned();
    }
    inside.split(',').map(str::trim).collect::<Vec<_>>().join(",")
}
