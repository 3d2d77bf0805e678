//! Signatures of host functions, as those who provide them write them: `(tensor<?x8xf32>, index) -> tensor<?xi64>`.
//!
//! They may be more general than what a program calls: `?` is any size, `*x` any rank, `any` any element type.
use crate::{
    DType,
    schedule::{HostFunction, HostType},
};
use std::fmt;

/// What a function takes or returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// `None` is any.
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

    /// Why a function of this signature cannot be what a program calls; `None` if it can. Arguments may be more special
    /// than what the function takes, results more general than what it returns. Results that are more special are
    /// checked when it returns them.
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

    /// `(` types `)`.
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
mod tests {
    use super::*;

    fn called(inputs: &[(DType, &[Option<usize>])], results: &[(DType, &[Option<usize>])]) -> HostFunction {
        let types = |list: &[(DType, &[Option<usize>])]| {
            list.iter().map(|(dtype, s)| HostType { dtype: *dtype, shape: s.to_vec(), scalar: s.is_empty() }).collect()
        };
        let (inputs, results) = (types(inputs), types(results));
        HostFunction { name: "m.f".into(), version: None, inputs, results, called_by: Vec::new() }
    }

    #[test]
    fn text_is_read_and_printed() {
        let texts = [
            "() -> ()",
            "(f32) -> f32",
            "(tensor<?x8xf32>, i64) -> (tensor<bf16>, tensor<*xany>)",
            "(tensor<1x?xi1>, any) -> tensor<0xu8>",
        ];
        for text in texts {
            assert_eq!(Signature::parse(text).unwrap().to_string(), text);
        }
        let odd = Signature::parse(" ( index,tensor<3xui8> )->si32 ").unwrap();
        assert_eq!(odd.to_string(), "(i64, tensor<3xu8>) -> i32");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |text: &str| Signature::parse(text).unwrap_err();
        insta::assert_snapshot!(wrong(""), @"expected `(` at column 1, found the end");
        insta::assert_snapshot!(wrong("(f32)"), @"expected `->` at column 6, found the end");
        insta::assert_snapshot!(wrong("(f31) -> f32"), @"expected a type such as `f32` at column 2, found `f31) -> f32`");
        insta::assert_snapshot!(wrong("(tensor<4f32>) -> ()"), @"expected `x` at column 10, found `f32>) -> ()`");
        insta::assert_snapshot!(wrong("(f32 f32) -> ()"), @"expected `,` at column 6, found `f32) -> ()`");
        insta::assert_snapshot!(wrong("(f32) -> f32 f32"), @"expected the end at column 14, found `f32`");
        assert!(wrong("(tensor<99999999999999999999999xf32>) -> ()").contains("a size"));
    }

    #[test]
    fn modules_may_be_more_general() {
        let f32 = DType::F32;
        let fits = |text: &str, function: &HostFunction| Signature::parse(text).unwrap().differs(function);
        let program = called(&[(f32, &[Some(4)])], &[(f32, &[Some(4)])]);
        for text in
            ["(tensor<4xf32>) -> tensor<4xf32>", "(tensor<?xf32>) -> tensor<?xf32>", "(tensor<*xany>) -> tensor<*xf32>"]
        {
            assert_eq!(fits(text, &program), None, "{text}");
        }
        let dynamic = called(&[(f32, &[None])], &[(f32, &[None])]);
        assert_eq!(fits("(tensor<?xf32>) -> tensor<4xf32>", &dynamic), None);
        for (text, function) in [
            ("(tensor<4xf32>) -> tensor<4xf32>", &dynamic),
            ("(tensor<?xf32>) -> tensor<5xf32>", &program),
            ("(tensor<?x?xf32>) -> tensor<4xf32>", &program),
            ("(tensor<?xf64>) -> tensor<4xf32>", &program),
            ("(tensor<4xf32>, f32) -> tensor<4xf32>", &program),
            ("(tensor<4xf32>) -> ()", &program),
        ] {
            assert!(fits(text, function).is_some(), "{text}");
        }
        let bytes = called(&[(DType::U8, &[None])], &[]);
        assert_eq!(fits("(tensor<?xi8>) -> ()", &bytes), None);
    }
}
