//! Signatures of host functions, as their authors write them: `(tensor<?x8xf32>, index) -> tensor<?xi64>`.
//!
//! They may be more general than the program's declaration: `?` is any size, `*x` any rank, `any` any element type.
use crate::{
    DType,
    commands::{HostFunction, HostType},
};
use std::fmt;

/// The type of a parameter or a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The element type; `None` for any.
    dtype: Option<DType>,
    /// The sizes, `None` being any; `None` for any rank.
    shape: Option<Vec<Option<usize>>>,
    /// A number: written without `tensor`.
    scalar: bool,
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    inputs: Vec<Pattern>,
    results: Vec<Pattern>,
}

impl Signature {
    /// Reads the text. Errors: what is wrong with it, and where (the byte).
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, at: 0 };
        let inputs = parser.list()?;
        parser.word("->")?;
        let results = if parser.peek() == Some('(') { parser.list()? } else { vec![parser.ty()?] };
        match parser.peek() {
            None => Ok(Self { inputs, results }),
            Some(_) => Err(parser.expected("the end")),
        }
    }

    /// Returns why a function of this signature cannot implement the program's declaration; `None` if it can.
    /// Arguments may be more specific than the function's parameters, results more general. Results that the
    /// declaration restricts further are checked when the function returns them.
    pub(crate) fn differs(&self, called: &HostFunction) -> Option<String> {
        for (what, have, want) in
            [("argument", &self.inputs, &called.inputs), ("result", &self.results, &called.results)]
        {
            if have.len() != want.len() {
                return Some(format!("the program has {} {what}s, the module {}", want.len(), have.len()));
            }
            let fits = |(pattern, ty): (&Pattern, &HostType)| {
                if what == "argument" { pattern.takes(ty) } else { pattern.gives(ty) }
            };
            if let Some(i) = have.iter().zip(want).position(|pair| !fits(pair)) {
                return Some(format!("{what} {i} is `{}` in the program, `{}` in the module", want[i], have[i]));
            }
        }
        None
    }
}

impl Pattern {
    fn fits(&self, ty: &HostType, size: impl Fn(Option<usize>, Option<usize>) -> bool) -> bool {
        self.dtype.is_none_or(|d| d.is_compatible(ty.dtype))
            && self.shape.as_ref().is_none_or(|shape| {
                shape.len() == ty.shape.len() && shape.iter().zip(&ty.shape).all(|(&have, &is)| size(have, is))
            })
    }

    fn takes(&self, ty: &HostType) -> bool {
        self.fits(ty, |have, is| have.is_none() || have == is)
    }

    fn gives(&self, ty: &HostType) -> bool {
        self.fits(ty, |have, is| have.is_none() || is.is_none() || have == is)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dtype = self.dtype.map_or("any", DType::name);
        let Some(shape) = &self.shape else { return write!(f, "tensor<*x{dtype}>") };
        if self.scalar {
            return f.write_str(dtype);
        }
        let dims: String = shape.iter().map(|d| d.map_or("?x".into(), |d| format!("{d}x"))).collect();
        write!(f, "tensor<{dims}{dtype}>")
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[Pattern]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match &*self.results {
            [one] => write!(f, "({}) -> {one}", list(&self.inputs)),
            all => write!(f, "({}) -> ({})", list(&self.inputs), list(all)),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn expected(&mut self, what: &str) -> String {
        self.peek();
        let found: String = self.rest().chars().take(12).collect();
        let found = if found.is_empty() { "the end".into() } else { format!("`{found}`") };
        format!("expected {what} at column {}, found {found}", self.at + 1)
    }

    fn eat(&mut self, word: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        if self.eat(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Parses `(` types `)`.
    fn list(&mut self) -> Result<Vec<Pattern>, String> {
        self.word("(")?;
        let mut types = Vec::new();
        while !self.eat(")") {
            if !types.is_empty() {
                self.word(",")?;
            }
            types.push(self.ty()?);
        }
        Ok(types)
    }

    fn ty(&mut self) -> Result<Pattern, String> {
        if !self.eat("tensor") {
            let dtype = self.element("a type")?;
            return Ok(Pattern { dtype, shape: Some(Vec::new()), scalar: true });
        }
        self.word("<")?;
        let shape = if self.eat("*") {
            self.word("x")?;
            None
        } else {
            Some(self.sizes()?)
        };
        let dtype = self.element("an element type")?;
        self.word(">")?;
        Ok(Pattern { dtype, shape, scalar: false })
    }

    fn sizes(&mut self) -> Result<Vec<Option<usize>>, String> {
        let mut sizes = Vec::new();
        loop {
            if self.eat("?") {
                sizes.push(None);
            } else {
                self.peek();
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    return Ok(sizes);
                }
                let size = self.rest()[..digits].parse().map_err(|_| self.expected("a size"))?;
                sizes.push(Some(size));
                self.at += digits;
            }
            self.word("x")?;
        }
    }

    /// The element type, `None` for `any`.
    fn element(&mut self, what: &str) -> Result<Option<DType>, String> {
        self.peek();
        let length = self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        let word = &self.rest()[..length];
        let found = match word {
            "any" => Some(None),
            "index" => Some(Some(DType::I64)),
            // MLIR's words for integers with a sign.
            _ => match word.strip_prefix("si") {
                Some(bits) => format!("i{bits}").parse().ok().map(Some),
                None => word.replace("ui", "u").parse().ok().map(Some),
            },
        };
        found.inspect(|_| self.at += length).ok_or_else(|| self.expected(&format!("{what} such as `f32`")))
    }
}

#[cfg(test)]
mod tests;
