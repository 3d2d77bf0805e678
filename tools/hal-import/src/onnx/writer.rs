//! Writes a function body as MLIR text, one operation at a time.
use super::{Elem, tensor::Num};
use std::{collections::HashMap, fmt::Write as _};

/// Text under construction. Constants go to the head of the function, so that they dominate all uses.
#[derive(Default)]
pub(crate) struct Writer {
    head: String,
    body: String,
    next: usize,
    depth: usize,
    locations: Vec<String>,
    /// The position of each location in the list.
    placed: HashMap<String, usize>,
    location: usize,
    fault: Option<String>,
}

impl Writer {
    /// Sets the location name of the operations that follow.
    pub(crate) fn at(&mut self, name: &str) {
        self.locate(quote(name));
    }

    /// Names the operations that follow by a node and its operator.
    pub(crate) fn at_node(&mut self, name: &str, operator: &str) {
        self.locate(format!("{}({})", quote(name), quote(operator)));
    }

    /// Returns the location of the operations that follow.
    pub(crate) fn location(&self) -> usize {
        self.location
    }

    /// Returns to a location of [`Writer::location`].
    pub(crate) fn relocate(&mut self, location: usize) {
        self.location = location;
    }

    fn locate(&mut self, location: String) {
        self.location = *self.placed.entry(location).or_insert_with_key(|location| {
            self.locations.push(location.clone());
            self.locations.len() - 1
        });
    }

    /// Notes that operands do not fit; the first to do so counts.
    pub(crate) fn fault(&mut self, what: String) {
        self.fault.get_or_insert(what);
    }

    /// Returns the error since the last call.
    pub(crate) fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }

    /// Returns an unused name.
    pub(crate) fn name(&mut self) -> String {
        self.fresh()
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%{}", self.next - 1)
    }

    /// Returns ` loc(#n)`, for operations that share a line.
    pub(crate) fn loc(&self) -> String {
        if self.locations.is_empty() { String::new() } else { format!(" loc(#n{})", self.location) }
    }

    /// Writes an operation with one result; returns its name.
    pub(crate) fn value(&mut self, operation: impl AsRef<str>) -> String {
        let name = self.fresh();
        self.line(format!("{name} = {}", operation.as_ref()));
        name
    }

    /// Writes an operation with `count` results; returns their names.
    pub(crate) fn values(&mut self, count: usize, operation: &str) -> Vec<String> {
        match count {
            0 => self.line(operation.to_owned()),
            1 => return vec![self.value(operation)],
            _ => {
                let name = self.fresh();
                self.line(format!("{name}:{count} = {operation}"));
                return (0..count).map(|i| format!("{name}#{i}")).collect();
            }
        }
        Vec::new()
    }

    /// Writes an operation without results.
    pub(crate) fn line(&mut self, operation: String) {
        let (indent, loc) = (2 * self.depth + 4, self.loc());
        let _ = writeln!(self.body, "{:indent$}{operation}{loc}", "");
    }

    /// Writes a constant at the head of the function; returns its name.
    pub(crate) fn constant(&mut self, operation: impl AsRef<str>) -> String {
        let (name, loc) = (self.fresh(), self.loc());
        let _ = writeln!(self.head, "    {name} = {}{loc}", operation.as_ref());
        name
    }

    /// Opens a region: the text up to its brace.
    pub(crate) fn open(&mut self, text: &str) {
        let indent = 2 * self.depth + 4;
        let _ = writeln!(self.body, "{:indent$}{text}", "");
        self.depth += 1;
    }

    /// Opens a region that belongs to an operation with `count` results; returns their names.
    pub(crate) fn open_values(&mut self, count: usize, text: &str) -> Vec<String> {
        let name = self.fresh();
        match count {
            0 => self.open(text),
            1 => self.open(&format!("{name} = {text}")),
            _ => self.open(&format!("{name}:{count} = {text}")),
        }
        if count == 1 { vec![name] } else { (0..count).map(|i| format!("{name}#{i}")).collect() }
    }

    /// Opens a block; `types` are those of its arguments, whose names are returned.
    pub(crate) fn block(&mut self, types: &[&str]) -> Vec<String> {
        let names: Vec<_> = types.iter().map(|_| self.fresh()).collect();
        let loc = self.loc();
        let args: Vec<_> = names.iter().zip(types).map(|(n, t)| format!("{n}: {t}{loc}")).collect();
        let indent = 2 * self.depth + 2;
        let _ = writeln!(self.body, "{:indent$}^bb0({}):", "", args.join(", "));
        names
    }

    /// Opens a block like [`Writer::block`], with named arguments.
    pub(crate) fn named_block(&mut self, args: &[(String, String)]) {
        let loc = self.loc();
        let args: Vec<_> = args.iter().map(|(name, ty)| format!("{name}: {ty}{loc}")).collect();
        let indent = 2 * self.depth + 2;
        let _ = writeln!(self.body, "{:indent$}^bb0({}):", "", args.join(", "));
    }

    /// Starts the next region of the same operation.
    pub(crate) fn between(&mut self, text: &str) {
        self.depth -= 1;
        self.open(text);
    }

    /// Closes a region: the brace and what follows.
    pub(crate) fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text.to_owned());
    }

    /// Sets the body aside; text until [`Writer::release`] is captured.
    pub(crate) fn capture(&mut self) -> String {
        std::mem::take(&mut self.body)
    }

    /// Returns the captured text, and continues with the body that was set aside.
    pub(crate) fn release(&mut self, before: String) -> String {
        std::mem::replace(&mut self.body, before)
    }

    /// Writes captured text.
    pub(crate) fn paste(&mut self, text: &str) {
        self.body += text;
    }

    /// Constants and body, then the locations' definitions.
    pub(crate) fn finish(self) -> (String, String) {
        let mut locations = String::new();
        for (i, location) in self.locations.iter().enumerate() {
            let _ = writeln!(locations, "#n{i} = loc({location})");
        }
        (self.head + &self.body, locations)
    }
}

/// Quotes a string literal of MLIR.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for b in text.bytes() {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(b as char);
            }
            0x20..0x7f => out.push(b as char),
            _ => {
                let _ = write!(out, "\\{b:02X}");
            }
        }
    }
    out + "\""
}

/// A number as an attribute of its type, exactly: decimals for finite floats (the shortest that read back as the same
/// `f64`, which holds every narrower float), bits for the others.
pub(crate) fn literal(elem: Elem, value: Num) -> String {
    if elem == Elem::Bool {
        return if value.is_zero() { "false" } else { "true" }.into();
    }
    if elem.is_narrow() {
        // Its byte.
        return (value.bytes(elem)[0] as i8).to_string();
    }
    let stored = Num::read(elem, &value.bytes(elem));
    if elem.is_float() {
        let v = stored.float();
        if v.is_finite() {
            let text = format!("{v:e}");
            let (mantissa, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
            let point = if mantissa.contains('.') { "" } else { ".0" };
            return format!("{mantissa}{point}e{exponent}");
        }
        let bits: String = value.bytes(elem).iter().rev().map(|b| format!("{b:02X}")).collect();
        return format!("0x{bits}");
    }
    // Signless integers parse with either sign; large unsigned numbers must be written as unsigned.
    stored.int().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_exact() {
        assert_eq!(literal(Elem::F32, Num::F(1.0)), "1.0e0");
        assert_eq!(literal(Elem::F32, Num::F(f64::from(0.1f32))), "1.0000000149011612e-1");
        assert_eq!(literal(Elem::F32, Num::F(f64::NEG_INFINITY)), "0xFF800000");
        assert_eq!(literal(Elem::F16, Num::F(f64::INFINITY)), "0x7C00");
        assert_eq!(literal(Elem::U8, Num::I(255)), "255");
        assert_eq!(literal(Elem::Bool, Num::I(2)), "true");
    }

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quote("a\"b\\\n"), "\"a\\\"b\\\\\\0A\"");
    }
}
