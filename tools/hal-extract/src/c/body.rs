//! Writes the body of a kernel: its function on tensors as loops over buffers.
//!
//! Every tensor has a place. Views share one. An operation that updates a tensor which nothing else reads works in
//! place. Results are computed directly in their buffers.
use super::signature::Signature;
use crate::expression::{
    Scope,
    constant::{Constant, constant, table},
    index::{Shape, count, position},
    language::Language,
    scalar::{as_stored, loaded, scalar},
    shape::is_view,
    text::Text,
};
use halyard_ir::{
    Op, Structured, Type, Value,
    form::{Export, Interface},
};
use std::collections::{HashMap, HashSet};

/// Static arrays of up to this many bytes stand on the stack or in the text; larger ones are allocated.
const SMALL: i64 = 8192;

/// The storage of a tensor's elements.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// In a dense row-major buffer; `owned` if the kernel may write it.
    Buffer { name: String, shape: Shape, owned: bool },
    /// One value for all elements.
    Splat { value: String, shape: Shape },
    /// No storage yet.
    Empty { shape: Shape },
}

impl Place {
    pub(super) fn shape(&self) -> &Shape {
        match self {
            Self::Buffer { shape, .. } | Self::Splat { shape, .. } | Self::Empty { shape } => shape,
        }
    }

    pub(super) fn with_shape(&self, shape: Shape) -> Self {
        match self.clone() {
            Self::Buffer { name, owned, .. } => Self::Buffer { name, shape, owned },
            Self::Splat { value, .. } => Self::Splat { value, shape },
            Self::Empty { .. } => Self::Empty { shape },
        }
    }
}

/// A body under construction.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) text: Text,
    pub(super) scalars: HashMap<Value, String>,
    pub(super) places: HashMap<Value, Place>,
    /// The variables of the loops around, outermost first.
    pub(super) loops: Vec<String>,
    signature: &'a Signature,
    /// Values that are made in the buffer of a result.
    wanted: HashMap<Value, usize>,
    /// Buffers to free at the end.
    allocated: Vec<String>,
}

/// The text of an export's body, or why there is none.
pub(super) fn body(export: Export, signature: &Signature) -> Result<Text, String> {
    let function = export.op;
    let blocks = function.regions().first().map(|r| r.blocks()).unwrap_or_default();
    let [block] = blocks.as_slice() else {
        return Err(if blocks.is_empty() { "it has no source" } else { "it has several blocks" }.into());
    };
    let mut body = Body {
        text: Text::new(Language::C),
        scalars: HashMap::new(),
        places: HashMap::new(),
        loops: Vec::new(),
        signature,
        wanted: HashMap::new(),
        allocated: Vec::new(),
    };
    let args = block.args();
    let end = block.terminator().ok_or("it has no return")?;
    let on_tensors = args.iter().map(|a| a.ty()).eq(Interface::of_kernel(export.op).inputs);
    if !on_tensors || end.operand_count() != signature.tied.len() {
        return Err("it is lowered already, no longer a function on tensors".into());
    }
    for (i, &arg) in args.iter().enumerate() {
        if arg.ty().is_tensor() {
            let name = signature.input_names[i].clone();
            let shape = signature.input_shapes[i].clone();
            body.places.insert(arg, Place::Buffer { name, shape, owned: false });
        } else {
            body.scalars.insert(arg, signature.input_names[i].clone());
        }
    }
    body.plan(&end.operands(), &args);
    for line in &signature.prologue {
        body.text.line(line);
    }
    for op in block.ops() {
        if op != end {
            body.op(op)?;
        }
    }
    body.finish(&end.operands())?;
    Ok(body.text)
}

impl Body<'_> {
    /// Decides which values are made in the buffers of results, and which arguments are updated in place.
    fn plan(&mut self, returned: &[Value], args: &[Value]) {
        let mut taken = HashSet::new();
        for (result, &value) in returned.iter().enumerate() {
            let mut at = value;
            let mut chain = Vec::new();
            // Follows views and updates, as long as nothing else reads the value.
            loop {
                chain.push(at);
                let Some(before) = before(at) else { break };
                if before.uses().len() != 1 {
                    break;
                }
                at = before;
            }
            let tied = self.signature.tied[result];
            match tied.map(|argument| args[argument]) {
                // Only a chain that starts at the argument itself may write to it early: others may still read it.
                Some(argument) if at == argument => {
                    if let Some(Place::Buffer { owned, .. }) = self.places.get_mut(&argument) {
                        *owned = true;
                    }
                }
                Some(_) => {}
                None if taken.insert(at) => self.wanted.extend(chain.into_iter().map(|v| (v, result))),
                None => {}
            }
        }
    }

    fn op(&mut self, op: Op) -> Result<(), String> {
        let tensors = op.results().first().is_some_and(|r| r.ty().is_tensor());
        if op.is("arith.constant") && tensors {
            return self.constant(op);
        }
        if op.is("linalg.fill") {
            return self.fill(op);
        }
        if op.is_of("linalg") && Structured::of(op).is_some() {
            return self.nest(op);
        }
        if tensors {
            return self.tensor(op);
        }
        if op.result_count() == 1 && op.regions().is_empty() {
            return scalar(self, op);
        }
        Err(format!("`{}` is not written in C", op.name()))
    }

    pub(super) fn place(&self, value: Value) -> Result<Place, String> {
        self.places.get(&value).cloned().ok_or_else(|| format!("a value of type `{}` is not written in C", value.ty()))
    }

    /// Loads an element of a buffer, in the type of its arithmetic.
    pub(super) fn load(&mut self, place: &Place, index: &[String], ty: Type) -> Result<String, String> {
        match place {
            Place::Splat { value, .. } => Ok(value.clone()),
            Place::Empty { .. } => Err("elements are read that nothing has written".into()),
            Place::Buffer { name, shape, .. } => {
                Ok(loaded(&mut self.text, format!("{name}[{}]", position(shape, index)), ty))
            }
        }
    }

    /// Returns a buffer for a new value of a shape: that of a result, or an allocated one.
    pub(super) fn new_buffer(&mut self, value: Value, shape: Shape) -> Result<Place, String> {
        if let Some(&result) = self.wanted.get(&value) {
            let name = self.signature.result_names[result].clone();
            return Ok(Place::Buffer { name, shape, owned: true });
        }
        let element = value.ty().element();
        let ty = Language::C.stored(element).ok_or_else(|| format!("there is no type in C for `{element}`"))?;
        let name = self.text.fresh("t");
        let n = count(&shape);
        let small = n.parse::<i64>().is_ok_and(|n| n * element.byte_width() as i64 <= SMALL);
        if small {
            self.text.line(format!("{ty} {name}[{}];", if n == "0" { "1" } else { &n }));
        } else {
            self.text.line(format!("{ty} *{name} = malloc((size_t)({n}) * sizeof *{name});"));
            self.text.line(format!("if (!{name} && {n} != 0) abort();"));
            self.allocated.push(name.clone());
        }
        Ok(Place::Buffer { name, shape, owned: true })
    }

    /// The buffer in which an update of `init` is made: its own if nobody else looks at it, else a new one; then it is
    /// copied if `copy` says that old elements matter.
    pub(super) fn updated(&mut self, result: Value, init: Value, copy: bool) -> Result<Place, String> {
        let old = self.place(init)?;
        if matches!(old, Place::Buffer { owned: true, .. }) && only_use(init) {
            return Ok(old);
        }
        let new = self.new_buffer(result, old.shape().clone())?;
        if copy {
            self.copy(&old, &new, result.ty().element())?;
        }
        Ok(new)
    }

    /// Copies all elements.
    pub(super) fn copy(&mut self, from: &Place, to: &Place, element: Type) -> Result<(), String> {
        let Place::Buffer { name, shape, .. } = to else { return Err("a copy goes nowhere".into()) };
        let n = count(shape);
        match from {
            Place::Buffer { name: source, .. } => {
                self.text.line(format!("memcpy({name}, {source}, (size_t)({n}) * sizeof *{name});"));
            }
            Place::Splat { value, .. } => {
                let value = as_stored(&mut self.text, value, element);
                self.text.line(format!("for (int64_t i = 0; i < {n}; ++i) {name}[i] = {value};"));
            }
            Place::Empty { .. } => {}
        }
        Ok(())
    }

    fn fill(&mut self, op: Op) -> Result<(), String> {
        let value = self.value(op.operand(0))?;
        let (init, result) = (op.operand(1), op.result(0));
        let shape = self.shape(init)?;
        let splat = Place::Splat { value, shape };
        // A fill that is updated or returned is made; one that is only read is its value.
        let place = if self.wanted.contains_key(&result) || is_updated(result) {
            let place = self.updated(result, init, false)?;
            self.text.comment("linalg.fill");
            self.copy(&splat, &place, result.ty().element())?;
            place
        } else {
            splat
        };
        self.places.insert(result, place);
        Ok(())
    }

    /// A tensor of constants: a value, or a table.
    fn constant(&mut self, op: Op) -> Result<(), String> {
        let result = op.result(0);
        let shape: Shape = result.ty().shape().iter().map(|d| d.unwrap_or(0).to_string()).collect();
        let place = match constant(&mut self.text, op)? {
            Constant::Splat(value) => Place::Splat { value, shape },
            Constant::Table(words) => {
                let name = table(&mut self.text, result.ty().element(), &words)?;
                Place::Buffer { name, shape, owned: false }
            }
        };
        self.places.insert(result, place);
        Ok(())
    }

    /// Copies results to their buffers, and frees allocated memory.
    fn finish(&mut self, returned: &[Value]) -> Result<(), String> {
        for (i, &value) in returned.iter().enumerate() {
            let target = match self.signature.tied[i] {
                Some(argument) => self.signature.input_names[argument].clone(),
                None => self.signature.result_names[i].clone(),
            };
            let place = self.place(value)?;
            if !matches!(&place, Place::Buffer { name, .. } if *name == target) {
                let to = Place::Buffer { name: target, shape: place.shape().clone(), owned: true };
                self.copy(&place, &to, value.ty().element())?;
            }
        }
        for name in std::mem::take(&mut self.allocated) {
            self.text.line(format!("free({name});"));
        }
        Ok(())
    }
}

impl Scope for Body<'_> {
    fn text(&mut self) -> &mut Text {
        &mut self.text
    }

    fn value(&self, value: Value) -> Result<String, String> {
        self.scalars.get(&value).cloned().ok_or_else(|| format!("a value of type `{}` is not written in C", value.ty()))
    }

    fn bind(&mut self, value: Value, name: String) {
        self.scalars.insert(value, name);
    }

    fn shape(&self, tensor: Value) -> Result<Shape, String> {
        Ok(self.place(tensor)?.shape().clone())
    }

    fn extract(&mut self, tensor: Value, index: &[String]) -> Result<String, String> {
        let place = self.place(tensor)?;
        self.load(&place, index, tensor.ty().element())
    }

    fn loop_variable(&self, dim: usize) -> Option<String> {
        self.loops.get(dim).cloned()
    }
}

/// The tensor that a value is a view or an update of.
fn before(value: Value) -> Option<Value> {
    let op = value.def()?;
    if is_view(op) {
        return Some(op.operand(0));
    }
    if let Some(input) = overwritten(op) {
        return Some(input);
    }
    if let Some(structured) = Structured::of(op).filter(|_| op.is_of("linalg")) {
        return op.operands().get(structured.inputs + value.index()).copied();
    }
    op.is("tensor.insert_slice").then(|| op.operand(1))
}

/// The input whose buffer an elementwise operation can use for its result: each element is read where it is written, and
/// nothing else reads it.
pub(super) fn overwritten(op: Op) -> Option<Value> {
    let structured = Structured::of(op).filter(|_| op.is_of("linalg") && op.result_count() == 1)?;
    let result = op.result(0).ty();
    let to = structured.maps[structured.inputs];
    let elementwise = structured.parallel().iter().all(|p| *p) && to.projected_permutation().is_some();
    let init_is_read = op.body()?.args().get(structured.inputs)?.has_uses();
    if !elementwise || init_is_read {
        return None;
    }
    let inputs = op.operands().into_iter().zip(&structured.maps).take(structured.inputs);
    let mut fitting =
        inputs.filter(|(v, map)| v.ty() == result && map.results() == to.results() && v.uses().len() == 1);
    fitting.next().map(|(v, _)| v)
}

/// Whether nothing else reads the buffer of a value: it has one use, and so have the values that it is a view of.
pub(super) fn only_use(value: Value) -> bool {
    value.uses().len() == 1 && value.def().is_none_or(|op| !is_view(op) || only_use(op.operand(0)))
}

/// Whether an operation updates a value in place.
fn is_updated(value: Value) -> bool {
    value.uses().into_iter().any(|(user, operand)| {
        if is_view(user) {
            return is_updated(user.result(0));
        }
        let inputs = Structured::of(user).filter(|_| user.is_of("linalg")).map(|s| s.inputs);
        inputs.is_some_and(|n| operand >= n) || (user.is("tensor.insert_slice") && operand == 1)
    })
}
