//! Reads PTX outside the bodies of its functions. Grammar: "PTX ISA", Directives.
use super::{
    CudaCode, CudaKernel, CudaKind, CudaParameter,
    tokens::{Token, tokens},
};
use std::collections::BTreeSet;

/// Functions that every CUDA device provides ("System calls" of the CUDA driver).
const SYSTEM: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// Reads PTX. Errors: what is wrong with it.
pub(super) fn read(text: &str, owner: &str) -> Result<CudaCode, String> {
    let tokens = tokens(text)?;
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let mut version = false;
    let mut target = None;
    let (mut kernels, mut declared, mut defined) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut dynamic_shared = false;
    while let Some(word) = reader.next() {
        match word {
            ".version" => version = reader.next().is_some_and(|v| v.split('.').all(|n| n.parse::<u32>().is_ok())),
            ".target" => target = Some(reader.target()?),
            ".address_size" => {
                let size = reader.next().unwrap_or_default();
                if size != "64" {
                    return Err(format!("its addresses have {size} bits; kernels have 64"));
                }
            }
            ".entry" => {
                let kernel = reader.kernel()?;
                if kernels.iter().any(|k: &CudaKernel| k.name == kernel.name) {
                    return Err(format!("kernel `{}` is defined twice", kernel.name));
                }
                kernels.push(kernel);
            }
            ".func" => {
                let (name, has_body) = reader.function()?;
                if has_body {
                    defined.insert(name)
                } else {
                    declared.insert(name)
                };
            }
            ".extern" => dynamic_shared |= reader.peek() == Some(".shared"),
            ".visible" | ".weak" | ".common" => {}
            // Debug sections have a body and no mark after it.
            ".section" => {
                reader.next();
                reader.body()?;
            }
            ".file" | ".loc" => {
                let mut last = reader.at;
                while matches!(reader.peek(), Some(w) if !w.starts_with('.')) {
                    reader.next();
                    last += 1;
                }
                reader.at = last;
            }
            _ if word.starts_with('.') => reader.statement()?,
            _ => return Err(format!("`{word}` stands where a directive is expected")),
        }
    }
    if !version {
        return Err("it does not say its `.version`".into());
    }
    let (capability, letter) = target.ok_or("it does not say its `.target`")?;
    let undefined = declared.into_iter().filter(|n| !defined.contains(n) && !SYSTEM.contains(&n.as_str())).collect();
    let owner = owner.to_owned();
    Ok(CudaCode { owner, kind: CudaKind::Ptx, capability, letter, kernels, undefined, dynamic_shared })
}

/// Renames a kernel in PTX and leaves everything else unchanged. Returns `None` if the text cannot be read.
pub fn rename_ptx(text: &str, old: &str, new: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for token in tokens(text).ok()?.into_iter().filter(|t| t.text == old) {
        out += &text[done..token.at];
        out += new;
        done = token.at + old.len();
    }
    Some(out + &text[done..])
}

/// The number and the letter of a chip's name: `sm_90a`.
pub(super) fn chip(name: &str) -> Option<(u32, Option<char>)> {
    let rest = name.strip_prefix("sm_")?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let letter = rest[digits.len()..].chars().next();
    (rest.len() - digits.len() <= 1).then_some((digits.parse().ok()?, letter))
}

struct Reader<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token.text)
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|t| t.text)
    }

    fn expect(&mut self, what: &str) -> Result<&'t str, String> {
        self.next().ok_or_else(|| format!("it ends where {what} is expected"))
    }

    fn target(&mut self) -> Result<(u32, Option<char>), String> {
        let name = self.expect("the name of a chip")?;
        let found = chip(name).ok_or_else(|| format!("its `.target` is `{name}`, which is no chip"))?;
        while self.peek() == Some(",") {
            self.next();
            self.next();
        }
        Ok(found)
    }

    /// Parses a kernel after `.entry`.
    fn kernel(&mut self) -> Result<CudaKernel, String> {
        let name = self.expect("the name of a kernel")?.to_owned();
        let mut kernel = CudaKernel { name, ..CudaKernel::default() };
        if self.peek() == Some("(") {
            kernel.parameters = self.parameters().map_err(|why| format!("kernel `{}`: {why}", kernel.name))?;
        }
        loop {
            match self.peek() {
                Some("{") => {
                    self.body()?;
                    return Ok(kernel);
                }
                Some(".reqntid") => kernel.required = Some(self.sizes()),
                Some(".maxntid") => {
                    let product = self.sizes().iter().try_fold(1u32, |n, &s| n.checked_mul(s));
                    kernel.most = product.or(Some(u32::MAX));
                }
                Some(";") => return Err(format!("kernel `{}` is declared and not defined", kernel.name)),
                Some(_) => self.at += 1,
                None => return Err(format!("it ends within kernel `{}`", kernel.name)),
            }
        }
    }

    /// After `.maxntid` and the like: up to three numbers.
    fn sizes(&mut self) -> [u32; 3] {
        self.next();
        let mut sizes = [1; 3];
        for size in &mut sizes {
            let Some(n) = self.peek().and_then(|w| w.parse().ok()) else { break };
            *size = n;
            self.next();
            if self.peek() != Some(",") {
                break;
            }
            self.next();
        }
        sizes
    }

    /// After `.func`: its name, and whether it has a body.
    fn function(&mut self) -> Result<(String, bool), String> {
        if self.peek() == Some("(") {
            self.brackets("(", ")")?;
        }
        let name = self.expect("the name of a function")?.to_owned();
        if self.peek() == Some("(") {
            self.brackets("(", ")")?;
        }
        loop {
            match self.peek() {
                Some("{") => return self.body().map(|()| (name, true)),
                Some(";") => {
                    self.next();
                    return Ok((name, false));
                }
                Some(_) => self.at += 1,
                None => return Err(format!("it ends within function `{name}`")),
            }
        }
    }

    fn body(&mut self) -> Result<(), String> {
        self.brackets("{", "}")
    }

    fn brackets(&mut self, open: &str, close: &str) -> Result<(), String> {
        let mut depth = 0;
        while let Some(word) = self.next() {
            if word == open {
                depth += 1;
            } else if word == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(());
                }
            }
        }
        Err(format!("a `{open}` has no `{close}`"))
    }

    /// Up to the end of a declaration, which may hold braces: the values of a variable.
    fn statement(&mut self) -> Result<(), String> {
        let mut depth = 0;
        while let Some(word) = self.next() {
            match word {
                "{" => depth += 1,
                "}" if depth > 0 => depth -= 1,
                ";" if depth == 0 => return Ok(()),
                _ => {}
            }
        }
        Err("it ends within a declaration".into())
    }

    fn parameters(&mut self) -> Result<Vec<CudaParameter>, String> {
        self.next();
        let mut found = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        loop {
            match self.expect("`)`")? {
                end @ ("," | ")") => {
                    if !words.is_empty() {
                        found.push(parameter(&words)?);
                        words.clear();
                    }
                    if end == ")" {
                        return Ok(found);
                    }
                }
                word => words.push(word),
            }
        }
    }
}

/// `.param .u64 .ptr .global .align 4 name`, `.param .align 8 .b8 name[16]`.
fn parameter(words: &[&str]) -> Result<CudaParameter, String> {
    let types = ["u8", "s8", "b8", "u16", "s16", "b16", "f16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"];
    let ty = words.iter().find(|w| w.strip_prefix('.').is_some_and(|t| types.contains(&t)));
    let ty = ty.ok_or_else(|| format!("the parameter `{}` has no type", words.join(" ")))?;
    let mut bytes = ty[2..].parse::<u32>().unwrap_or(0) / 8;
    let mut name = (*ty).to_owned();
    if let Some(open) = words.iter().position(|w| *w == "[") {
        let count: u32 = words.get(open + 1).and_then(|n| n.parse().ok()).unwrap_or(0);
        bytes = bytes.saturating_mul(count);
        name = format!("{ty}[{count}]");
    }
    Ok(CudaParameter { ty: name, bytes })
}
