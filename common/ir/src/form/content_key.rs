//! The content key of an executable: a hash of what it computes, which does not change with its name or its place in a program.
use super::{Executable, Variant};
use crate::{Attr, Block, Op, Value, dense_bytes, names};
use std::collections::HashMap;

/// Attributes that are not part of the key: names (a symbol counts by its number), and what says how or from what an
/// executable is made, not what it computes.
const LEFT_OUT: &[&str] = &[
    "sym_name",
    "sym_visibility",
    names::VERSION,
    names::KEY,
    names::WORK,
    names::ORIGIN,
    names::SCHEDULE,
    names::FINGERPRINT,
    names::BODY,
];

/// The content key of an executable: the first 16 hex digits of the BLAKE3 hash of its source in a canonical form.
///
/// The source is everything in the executable but its variants: exports, helper functions, constants. In the form are
/// operations in order with their operands, types, regions and attributes; symbols and values count by the order in which they
/// are defined. Symbols that the executable only declares are functions of kernel libraries or hand-written kernels and count
/// by name. Not in it are names, locations, `hal.origin`, `hal.schedule` and variants. Weights are arguments of exports, so
/// that their values are not in it either; a constant in the executable is code, and is.
///
/// A program has the same keys before and after `hal-translate`. An executable whose source was dropped for objects keeps the
/// key of that source in [`names::KEY`]; one that never had a source has a key made of its exports' names and interfaces.
pub fn content_key(executable: Executable) -> String {
    let source: Vec<Op> = executable.body().ops().into_iter().filter(|op| Variant::view(*op).is_none()).collect();
    if source.iter().all(|op| is_declaration(*op)) {
        if let Some(key) = executable.op.attr(names::KEY).and_then(Attr::as_string) {
            return key;
        }
        return key_of(&executable.interface_exports().iter().map(|e| e.op).collect::<Vec<_>>());
    }
    key_of(&source)
}

/// Erases everything in an executable but its variants. It keeps its content key, and what there was to do.
pub fn drop_source(executable: Executable) {
    executable.op.set_attr(names::KEY, Attr::string(executable.op.context(), &content_key(executable)));
    super::work::keep_work(executable, executable);
    // Users first: an operation before its symbol's definition is no matter, symbols are names.
    executable.body().ops().into_iter().filter(|&op| Variant::view(op).is_none()).for_each(|op| op.erase());
}

/// Whether a text has the form of a content key.
pub fn is_content_key(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn key_of(ops: &[Op]) -> String {
    let mut form = CanonicalForm::default();
    ops.iter().for_each(|op| form.define(*op));
    ops.iter().for_each(|op| form.write(*op));
    form.hasher.finalize().to_hex()[..16].to_owned()
}

/// A function or the like without a body, whose symbol is all that is known of it.
fn is_declaration(op: Op) -> bool {
    let regions = op.regions();
    !regions.is_empty() && regions.iter().all(|r| r.first_block().is_none())
}

/// Writes the canonical form into the hash.
#[derive(Default)]
struct CanonicalForm {
    symbols: HashMap<String, usize>,
    values: HashMap<Value, usize>,
    blocks: HashMap<usize, usize>,
    hasher: blake3::Hasher,
}

impl CanonicalForm {
    /// Numbers what an operation defines, and what is inside it: symbols with a body, values, blocks.
    fn define(&mut self, op: Op) {
        if let Some(symbol) = op.symbol().filter(|_| !is_declaration(op)) {
            let number = self.symbols.len();
            self.symbols.entry(symbol).or_insert(number);
        }
        self.define_values(op.results());
        for block in op.regions().into_iter().flat_map(|r| r.blocks()) {
            let number = self.blocks.len();
            self.blocks.insert(block.0.ptr as usize, number);
            self.define_values(block.args());
            block.ops().into_iter().for_each(|inner| self.define(inner));
        }
    }

    fn define_values(&mut self, values: Vec<Value>) {
        for value in values {
            let number = self.values.len();
            self.values.insert(value, number);
        }
    }

    fn write(&mut self, op: Op) {
        self.text(&op.name());
        if let Some(symbol) = op.symbol() {
            self.symbol(&symbol);
        }
        self.count(op.operand_count());
        for operand in op.operands() {
            self.count(self.values.get(&operand).copied().unwrap_or(usize::MAX));
        }
        self.types(&op.results());
        let attrs: Vec<_> = op.attrs().into_iter().filter(|(name, _)| !LEFT_OUT.contains(&&**name)).collect();
        self.named(attrs);
        self.count(op.successors().len());
        for successor in op.successors() {
            self.count(self.blocks.get(&(successor.0.ptr as usize)).copied().unwrap_or(usize::MAX));
        }
        self.count(op.regions().len());
        for region in op.regions() {
            self.count(region.blocks().len());
            region.blocks().into_iter().for_each(|block| self.block(block));
        }
    }

    fn block(&mut self, block: Block) {
        self.types(&block.args());
        let ops = block.ops();
        self.count(ops.len());
        ops.into_iter().for_each(|op| self.write(op));
    }

    fn types(&mut self, values: &[Value]) {
        self.count(values.len());
        values.iter().for_each(|value| self.text(&value.ty().to_string()));
    }

    fn named(&mut self, mut attrs: Vec<(String, Attr)>) {
        attrs.sort_by(|a, b| a.0.cmp(&b.0));
        self.count(attrs.len());
        for (name, value) in attrs {
            self.text(&name);
            self.attr(value);
        }
    }

    fn attr(&mut self, value: Attr) {
        if let Some(parts) = value.as_symbol() {
            self.text("symbol");
            self.count(parts.len());
            parts.iter().for_each(|part| self.symbol(part));
        } else if let Some(items) = value.as_array() {
            self.text("array");
            self.count(items.len());
            items.into_iter().for_each(|item| self.attr(item));
        } else if let Some(items) = value.as_dict() {
            self.text("dictionary");
            self.named(items.into_iter().filter(|(name, _)| !LEFT_OUT.contains(&&**name)).collect());
        } else if let Some((bytes, splat)) = value.is_elements().then(|| dense_bytes(value)).flatten() {
            // Neither the name of a resource nor how its elements are written matters.
            self.text("elements");
            self.text(&value.value_type().to_string());
            self.count(usize::from(splat));
            self.bytes(&bytes);
        } else {
            self.text("attribute");
            self.text(&value.to_string());
        }
    }

    fn symbol(&mut self, name: &str) {
        match self.symbols.get(name).copied() {
            Some(number) => self.count(number),
            None => self.text(name),
        }
    }

    /// A number, marked so that it cannot be taken for a text.
    fn count(&mut self, number: usize) {
        self.hasher.update(b"#").update(&(number as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.update(b"$").update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
}

#[cfg(test)]
mod tests;
