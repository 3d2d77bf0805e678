//! Writes an element of a tensor as an expression of elements of the arguments: tensors between them are not stored.
//!
//! Each element that is needed gets a name, in the outermost block that knows its position: a sum over a row that all
//! elements of the row need is computed once, outside the loops that need it.
use super::Place;
use crate::expression::{
    Scope,
    constant::{Constant, constant, table},
    index::{Shape, atom, position, sum},
    scalar::loaded,
    shape::{filled, is_view, kept, pad_widths, padded, shifted, slice, view_shape},
    text::Text,
};
use halyard_ir::{Attr, Op, Structured, Type, Value};
use std::collections::HashMap;
use std::ops::Range;

/// More lines than this are no text to read.
const LONG: usize = 3000;
/// Larger tables than this are no constants that compilers of kernels take.
const TABLE: usize = 16384;

/// The values that are defined in a block.
#[derive(Debug, Default)]
struct Frame {
    elements: HashMap<(Value, Vec<String>), String>,
    /// Whether it runs only under a condition: its operands must not be computed outside.
    conditional: bool,
}

/// The body of a kernel under construction.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) text: Text,
    /// The results that are being written, and where.
    pub(super) own: Option<(Range<usize>, Vec<String>)>,
    /// The dimensions of the operation around.
    pub(super) loops: Vec<String>,
    scalars: HashMap<Value, String>,
    /// Buffers, and the result that takes their place.
    arguments: HashMap<Value, (Place, Option<usize>)>,
    tables: HashMap<Value, Constant>,
    frames: Vec<Frame>,
    /// The depth of the block in which each name was defined.
    depths: HashMap<String, usize>,
}

impl Scope for Elements {
    fn text(&mut self) -> &mut Text {
        &mut self.text
    }

    fn value(&self, value: Value) -> Result<String, String> {
        self.scalars.get(&value).cloned().ok_or_else(|| match value.def() {
            Some(op) => format!("`{}` is not written in {}", op.name(), self.text.language.name()),
            None => format!("a value of type `{}` is not written in {}", value.ty(), self.text.language.name()),
        })
    }

    fn bind(&mut self, value: Value, name: String) {
        self.scalars.insert(value, name);
    }

    fn shape(&self, tensor: Value) -> Result<Shape, String> {
        let ty = tensor.ty();
        if let Some((place, _)) = self.arguments.get(&tensor) {
            return Ok(place.shape.clone());
        }
        if ty.is_static() {
            return filled(&ty.shape(), &mut std::iter::empty());
        }
        let op = tensor.def().ok_or("a tensor of unknown sizes")?;
        if is_view(op) {
            return view_shape(self, op, ty);
        }
        if let Some(structured) = Structured::of(op).filter(|_| op.is_of("linalg")) {
            return self.shape(op.operand(structured.inputs + tensor.index()));
        }
        match &*op.name() {
            "tensor.empty" | "tensor.generate" => filled(&ty.shape(), &mut self.values(&op.operands())?.into_iter()),
            "tensor.splat" => filled(&ty.shape(), &mut self.values(&op.operands()[1..])?.into_iter()),
            "tensor.pad" => Ok(padded(&self.shape(op.operand(0))?, &pad_widths(self, op)?)),
            "tensor.insert_slice" => self.shape(op.operand(1)),
            "tensor.extract_slice" => {
                let [_, sizes, _] = slice(self, op)?;
                Ok(kept(&sizes, ty)?.into_iter().map(|d| sizes[d].clone()).collect())
            }
            "tensor.concat" => {
                let dim = op.attr("dim").and_then(Attr::as_int).ok_or("a concat has no dimension")? as usize;
                let parts = op.operands().into_iter().map(|v| self.shape(v)).collect::<Result<Vec<_>, _>>()?;
                let mut shape = parts[0].clone();
                shape[dim] = sum(&parts.iter().map(|p| p[dim].clone()).collect::<Vec<_>>());
                Ok(shape)
            }
            name => Err(self.unknown(name)),
        }
    }

    fn extract(&mut self, tensor: Value, index: &[String]) -> Result<String, String> {
        self.element(tensor, index)
    }

    fn loop_variable(&self, dim: usize) -> Option<String> {
        self.loops.get(dim).cloned()
    }

    fn define(&mut self, prefix: &str, ty: Type, value: &str) -> Result<String, String> {
        let name = self.text.fresh(prefix);
        let variable = self.text.language.variable(ty, true)?;
        self.text.line(format!("{variable} {name} = {value};"));
        self.defined(&name);
        Ok(name)
    }
}

impl Elements {
    pub(super) fn new(text: Text) -> Self {
        Self {
            text,
            own: None,
            loops: Vec::new(),
            scalars: HashMap::new(),
            arguments: HashMap::new(),
            tables: HashMap::new(),
            frames: vec![Frame::default()],
            depths: HashMap::new(),
        }
    }

    /// An argument is a buffer, which a result may overwrite.
    pub(super) fn argument(&mut self, value: Value, place: Place, result: Option<usize>) {
        self.arguments.insert(value, (place, result));
    }

    pub(super) fn unknown(&self, name: &str) -> String {
        format!("`{name}` is not written in {}", self.text.language.name())
    }

    /// Opens a block that defines some names.
    pub(super) fn open(&mut self, head: &str, names: &[&str]) {
        self.text.open(head);
        self.frames.push(Frame::default());
        names.iter().for_each(|n| self.defined(n));
    }

    /// Opens a block that runs only under a condition.
    pub(super) fn open_if(&mut self, condition: &str) {
        self.open(&format!("if ({condition})"), &[]);
        self.frames.last_mut().expect("a block is open").conditional = true;
    }

    pub(super) fn close(&mut self) {
        self.text.close(1);
        self.frames.pop();
    }

    /// A name is known from here on, in the block.
    pub(super) fn defined(&mut self, name: &str) {
        self.depths.insert(name.to_owned(), self.text.depth());
    }

    /// Opens a loop from 0 to a bound; gives its variable.
    pub(super) fn each(&mut self, bound: &str) -> String {
        let name = self.text.fresh("k");
        self.text.each(&name, bound);
        self.frames.push(Frame::default());
        self.defined(&name);
        name
    }

    /// Declares a variable that is assigned later.
    pub(super) fn variable(&mut self, prefix: &str, ty: Type, value: &str) -> Result<String, String> {
        let name = self.text.fresh(prefix);
        let word = self.text.language.variable(ty, false)?;
        self.text.line(format!("{word} {name} = {value};"));
        self.defined(&name);
        Ok(name)
    }

    /// The value of an element, as a name or a literal.
    pub(super) fn element(&mut self, tensor: Value, index: &[String]) -> Result<String, String> {
        if self.text.len() > LONG {
            return Err(format!("it would have more than {LONG} lines"));
        }
        let key = (tensor, index.to_vec());
        if let Some(name) = self.frames.iter().rev().find_map(|f| f.elements.get(&key)) {
            return Ok(name.clone());
        }
        // What is overwritten is read where that happens; the rest as far out as the position is known, but not out of a
        // condition.
        let fixed = self.arguments.get(&tensor).is_some_and(|(_, result)| result.is_some());
        let guard = self.frames.iter().rposition(|f| f.conditional).unwrap_or(0);
        let known = index.iter().flat_map(|i| i.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        let depth = known.filter_map(|n| self.depths.get(n).copied()).max().unwrap_or(0).max(guard);
        let depth = if fixed { self.text.depth() } else { depth };
        let (lines, frames) = (self.text.outwards(depth), self.frames.split_off(depth + 1));
        let made = self.make(tensor, index);
        if let Ok(name) = &made {
            self.frames[depth].elements.insert(key, name.clone());
        }
        self.text.back(lines);
        self.frames.extend(frames);
        made
    }

    /// Records that the element of another result of an operation has been computed here as well.
    pub(super) fn know(&mut self, tensor: Value, index: &[String], name: &str) {
        let frame = self.frames.last_mut().expect("a block is open");
        frame.elements.insert((tensor, index.to_vec()), name.to_owned());
    }

    fn make(&mut self, tensor: Value, index: &[String]) -> Result<String, String> {
        let element = tensor.ty().element();
        if let Some((place, result)) = self.arguments.get(&tensor) {
            let own = self.own.as_ref();
            let in_place = |r: usize| own.is_some_and(|(which, at)| which.contains(&r) && at == index);
            if let Some(result) = *result
                && !in_place(result)
            {
                let name = &place.name;
                return Err(format!("result {result} takes the place of {name}, of which other elements are read"));
            }
            let text = format!("{}[{}]", place.name, position(&place.shape, index));
            let text = loaded(&mut self.text, text, element);
            return self.define("x", element, &text);
        }
        let op = tensor.def().ok_or("a tensor comes from nowhere")?;
        if op.is("linalg.fill") {
            return self.value(op.operand(0));
        }
        if op.is_of("linalg") && Structured::of(op).is_some() {
            return self.nest(op, tensor.index(), index);
        }
        match &*op.name() {
            "arith.constant" => self.constant(op, index),
            "tensor.splat" => self.value(op.operand(0)),
            "tensor.empty" => Err("elements are read that nothing has written".into()),
            "tensor.from_elements" => {
                let at = position(&self.shape(tensor)?, index);
                let values = self.values(&op.operands())?;
                let (last, others) = values.split_last().ok_or("a tensor has no elements")?;
                let chain = others.iter().enumerate().map(|(i, v)| format!("{} == {i} ? {v} : ", atom(&at)));
                let chain = chain.collect::<String>() + last;
                self.define("x", element, &chain)
            }
            "tensor.extract_slice" => {
                let [offsets, sizes, strides] = slice(self, op)?;
                let kept = kept(&sizes, tensor.ty())?;
                let mut at = vec!["0".to_owned(); sizes.len()];
                kept.iter().zip(index).for_each(|(&d, i)| at[d] = atom(i));
                let at = self.named(shifted(&at, &offsets, &strides))?;
                self.element(op.operand(0), &at)
            }
            "tensor.insert_slice" => self.insert_slice(op, index),
            "tensor.pad" => self.pad(op, index),
            "tensor.concat" => self.concat(op, index),
            "tensor.generate" => {
                let block = op.body().ok_or("a generate has no body")?;
                for (argument, name) in block.args().into_iter().zip(index) {
                    self.bind(argument, atom(name));
                }
                let end = block.terminator().ok_or("a generate has no value")?;
                block.ops().into_iter().filter(|inner| *inner != end).try_for_each(|inner| self.inner(inner))?;
                self.value(end.operand(0))
            }
            _ if is_view(op) => {
                let at = self.before_view(op, index)?;
                self.element(op.operand(0), &at)
            }
            name => Err(self.unknown(name)),
        }
    }

    fn constant(&mut self, op: Op, index: &[String]) -> Result<String, String> {
        let result = op.result(0);
        let element = result.ty().element();
        if !self.tables.contains_key(&result) {
            // Tables are defined at the beginning.
            let lines = self.text.outwards(0);
            let made = match constant(&mut self.text, op)? {
                Constant::Table(words) if words.len() > TABLE => {
                    Err(format!("a table of {} elements is too large for a kernel", words.len()))
                }
                Constant::Table(words) => {
                    table(&mut self.text, element, &words).map(|name| Constant::Table(vec![name]))
                }
                splat => Ok(splat),
            };
            self.text.back(lines);
            self.tables.insert(result, made?);
        }
        let name = match &self.tables[&result] {
            Constant::Splat(value) => return Ok(value.clone()),
            Constant::Table(name) => name[0].clone(),
        };
        let text = format!("{name}[{}]", position(&self.shape(result)?, index));
        let text = loaded(&mut self.text, text, element);
        self.define("x", element, &text)
    }

    /// Positions that are longer than a sum of two get names, so that they do not grow from operation to operation.
    pub(super) fn named(&mut self, index: Vec<String>) -> Result<Vec<String>, String> {
        let ty = self.text.language.index();
        let one = |text: String| {
            if text.len() <= 12 {
                return text;
            }
            let name = self.text.fresh("p");
            self.text.line(format!("const {ty} {name} = {text};"));
            self.defined(&name);
            name
        };
        Ok(index.into_iter().map(one).collect())
    }

    /// Returns the zero of a type.
    pub(super) fn zero(&self, ty: Type) -> String {
        if ty.is_float() { self.text.language.float(0.0, ty) } else { self.text.language.integer(0, ty) }
    }

    /// An operation in the body of another one.
    pub(super) fn inner(&mut self, op: Op) -> Result<(), String> {
        if op.result_count() != 1 || !op.regions().is_empty() || op.result(0).ty().is_tensor() {
            return Err(format!(
                "`{}` in the body of another operation is not written in {}",
                op.name(),
                self.text.language.name()
            ));
        }
        crate::expression::scalar::scalar(self, op)
    }
}
