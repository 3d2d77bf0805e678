//! Prints tensors as numpy does: `array([1., 2.], dtype=float32)`, with long ones summarised.
//!
//! The layout is that of `numpy.array_repr` (numpy 2.x, `numpy/_core/arrayprint.py`) with its default options: 8
//! digits, lines of 75 characters, and of more than 1000 elements the first and last 3 of each dimension.

mod float;

use crate::{Number, number};
use halyard_runtime::{DType, Tensor};

const LINE_WIDTH: usize = 75;
const THRESHOLD: usize = 1000;
const EDGE_ITEMS: usize = 3;
const PREFIX: &str = "array(";

/// The text of a tensor, without a newline at its end.
pub fn print(tensor: &Tensor) -> String {
    let count = tensor.element_count();
    let plain = matches!(tensor.dtype(), DType::F64 | DType::I64 | DType::I1) && count > 0;
    let dtype = if plain { None } else { Some(numpy_name(tensor.dtype()).to_owned()) };
    layout(tensor.shape(), count, dtype, |summarise| words(tensor, summarise))
}

/// The text of a tensor of strings, as [`print()`].
pub fn print_strings(shape: &[usize], texts: &[String]) -> String {
    let width = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
    layout(shape, texts.len(), Some(format!("'<U{width}'")), |summarise| {
        shown(shape, summarise).into_iter().map(|i| quoted(&texts[i])).collect()
    })
}

/// Quotes a text as Python does.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if c == quote => out.extend(['\\', c]),
            c if c.is_ascii_control() => out += &format!("\\x{:02x}", c as u32),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn layout(shape: &[usize], count: usize, dtype: Option<String>, words: impl FnOnce(bool) -> Vec<String>) -> String {
    let summarise = count > THRESHOLD;
    let body = if count == 0 {
        "[]".to_owned()
    } else {
        let layout = Layout { shape, words: words(summarise), summarise };
        let (mut next, indent) = (0, " ".repeat(PREFIX.len()));
        layout.block(0, &mut next, &indent, LINE_WIDTH - 1)
    };
    let mut extras = Vec::new();
    if (count == 0 && shape.len() != 1) || summarise {
        let dims: Vec<_> = shape.iter().map(usize::to_string).collect();
        extras.push(format!("shape=({}{})", dims.join(", "), if shape.len() == 1 { "," } else { "" }));
    }
    extras.extend(dtype.map(|name| format!("dtype={name}")));
    let mut text = format!("{PREFIX}{body}");
    if extras.is_empty() {
        return text + ")";
    }
    let extras = extras.join(", ") + ")";
    let last_line = text.len() - text.rfind('\n').map_or(0, |i| i + 1) + 1;
    text += if last_line + extras.len() + 1 > LINE_WIDTH { ",\n      " } else { ", " };
    text + &extras
}

/// numpy's name of an element type (`ml_dtypes`' for bf16).
fn numpy_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::F16 => "float16",
        DType::Bf16 => "bfloat16",
        DType::I1 => "bool",
        DType::I8 => "int8",
        DType::U8 => "uint8",
        DType::I16 => "int16",
        DType::U16 => "uint16",
        DType::I32 => "int32",
        DType::U32 => "uint32",
        DType::I64 => "int64",
        DType::U64 => "uint64",
    }
}

/// The numbers that are shown, in order, all of one width.
fn words(tensor: &Tensor, summarise: bool) -> Vec<String> {
    let numbers: Vec<Number> = shown(tensor.shape(), summarise).into_iter().map(|i| number(tensor, i)).collect();
    if tensor.dtype().is_float() {
        return float::align(&numbers.iter().map(|n| n.to_f64()).collect::<Vec<_>>(), tensor.dtype());
    }
    let plain = |n: &Number| match n {
        Number::Bool(true) => "True".to_owned(),
        Number::Bool(false) => "False".to_owned(),
        Number::Int(v) => v.to_string(),
        Number::Float(v) => v.to_string(),
    };
    let texts: Vec<String> = numbers.iter().map(plain).collect();
    let width = if tensor.shape().is_empty() { 0 } else { texts.iter().map(String::len).max().unwrap_or(0) };
    texts.into_iter().map(|t| format!("{t:>width$}")).collect()
}

/// The row-major positions of the elements that are shown.
fn shown(shape: &[usize], summarise: bool) -> Vec<usize> {
    let mut positions = vec![0];
    for &size in shape {
        let indices: Vec<usize> = if summarise && size > 2 * EDGE_ITEMS {
            (0..EDGE_ITEMS).chain(size - EDGE_ITEMS..size).collect()
        } else {
            (0..size).collect()
        };
        positions = positions.iter().flat_map(|p| indices.iter().map(move |i| p * size + i)).collect();
    }
    positions
}

struct Layout<'a> {
    shape: &'a [usize],
    words: Vec<String>,
    summarise: bool,
}

impl Layout<'_> {
    /// The text of one block of dimension `axis`; `indent` stands before its lines. numpy's `recurser`.
    fn block(&self, axis: usize, next: &mut usize, indent: &str, width: usize) -> String {
        if axis == self.shape.len() {
            *next += 1;
            return self.words[*next - 1].clone();
        }
        let size = self.shape[axis];
        let dots = self.summarise && size > 2 * EDGE_ITEMS;
        let count = if dots { 2 * EDGE_ITEMS } else { size };
        let inner = format!("{indent} ");
        let mut text = String::new();
        if axis + 1 == self.shape.len() {
            let mut line = inner.clone();
            for i in 0..count {
                if dots && i == EDGE_ITEMS {
                    extend(&mut text, &mut line, "...", width - 1, &inner);
                    line += ", ";
                }
                extend(&mut text, &mut line, &self.block(axis + 1, next, &inner, width - 1), width - 1, &inner);
                if i + 1 < count {
                    line += ", ";
                }
            }
            text += &line;
        } else {
            let separator = format!(",{}", "\n".repeat(self.shape.len() - axis - 1));
            for i in 0..count {
                if dots && i == EDGE_ITEMS {
                    text += &format!("{inner}...{separator}");
                }
                text += &inner;
                text += &self.block(axis + 1, next, &inner, width - 1);
                if i + 1 < count {
                    text += &separator;
                }
            }
        }
        format!("[{}]", &text[inner.len()..])
    }
}

/// Appends a word to a line, or starts a new line if it does not fit. numpy's `_extendLine`.
fn extend(text: &mut String, line: &mut String, word: &str, width: usize, indent: &str) {
    if line.len() > indent.len() && line.chars().count() + word.chars().count() > width {
        *text += line.trim_end();
        text.push('\n');
        *line = indent.to_owned();
    }
    *line += word;
}

#[cfg(test)]
mod tests;
