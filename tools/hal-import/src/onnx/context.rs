//! The module under construction: values, constants and weights.
mod data;
mod range;
mod repeat;
pub(crate) mod require;
mod rule;
mod settle;
mod sizes;

use super::{
    Body, Dim, Known, Num, OnnxOptions, OnnxWeight, Scalar, Tensor, Value,
    load::Loader,
    value::tensor_type,
    writer::{Writer, literal, quote},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// The output of the operators' lowerings.
pub(crate) struct Context<'a> {
    pub(crate) w: Writer,
    pub(crate) loader: Loader<'a>,
    options: &'a OnnxOptions,
    /// Whether PyTorch exported the model: where the specification and PyTorch differ, PyTorch's results are wanted.
    pub(crate) of_pytorch: bool,
    /// The `index` value of each symbol.
    symbols: Vec<String>,
    /// Symbols by their keys, so that equal computations give equal sizes.
    keys: BTreeMap<String, usize>,
    /// The `index` value of each size.
    sizes: BTreeMap<String, String>,
    /// Symbols for integers of the program's data, which may be negative.
    loose: BTreeSet<usize>,
    /// Symbols that are products, with their factors.
    products: BTreeMap<usize, Vec<Dim>>,
    /// Symbols that are the smaller one of two sizes.
    minima: BTreeMap<usize, [Dim; 2]>,
    /// Symbols that are known to be another size, see [`settle`].
    equal: BTreeMap<usize, Dim>,
    /// Forms that are known not to be negative.
    not_negative: BTreeSet<Dim>,
    /// Conditions that have been checked.
    checked: BTreeSet<String>,
    /// Declarations of checks, with their numbers.
    declared_checks: BTreeMap<String, usize>,
    /// The node in hand, for messages of the program.
    node: String,
    /// The nesting depth of regions: values of a region must not be reused outside.
    region: usize,
    globals: String,
    /// The declarations of checks.
    checks: String,
    declared: BTreeSet<String>,
    weights: Vec<OnnxWeight>,
    /// Weights by the place and length of their bytes and their type: a graph that is imported twice has its weights once.
    stored: BTreeMap<(usize, usize, String), String>,
    names: BTreeSet<String>,
    /// For names that have been used, the first number that may be free as a suffix.
    numbers: BTreeMap<String, usize>,
}

/// The operation that carries the name of a tensor from the text to the module: it does nothing, and takes any type.
pub(crate) const MARK: &str = "builtin.unrealized_conversion_cast";

/// A position in the declarations, to which they can be reset together with the body.
#[derive(Clone)]
pub(crate) struct Mark {
    checks: usize,
    declared: BTreeMap<String, usize>,
}

/// Knowledge about sizes that is restored when a region ends.
pub(crate) struct Scope {
    keys: BTreeMap<String, usize>,
    sizes: BTreeMap<String, String>,
    loose: BTreeSet<usize>,
    products: BTreeMap<usize, Vec<Dim>>,
    equal: BTreeMap<usize, Dim>,
    not_negative: BTreeSet<Dim>,
    checked: BTreeSet<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(loader: Loader<'a>, options: &'a OnnxOptions) -> Self {
        Self {
            w: Writer::default(),
            loader,
            options,
            of_pytorch: false,
            symbols: Vec::new(),
            keys: BTreeMap::new(),
            sizes: BTreeMap::new(),
            loose: BTreeSet::new(),
            products: BTreeMap::new(),
            minima: BTreeMap::new(),
            equal: BTreeMap::new(),
            not_negative: BTreeSet::new(),
            checked: BTreeSet::new(),
            declared_checks: BTreeMap::new(),
            node: String::new(),
            region: 0,
            globals: String::new(),
            checks: String::new(),
            declared: BTreeSet::new(),
            weights: Vec::new(),
            stored: BTreeMap::new(),
            // Their names are taken.
            names: options.functions.iter().map(|f| format!("@{}", f.symbol)).collect(),
            numbers: BTreeMap::new(),
        }
    }

    /// Enters a region of an operation.
    pub(crate) fn enter(&mut self) -> Scope {
        self.region += 1;
        Scope {
            keys: self.keys.clone(),
            sizes: self.sizes.clone(),
            loose: self.loose.clone(),
            products: self.products.clone(),
            equal: self.equal.clone(),
            not_negative: self.not_negative.clone(),
            checked: self.checked.clone(),
        }
    }

    /// Leaves a region.
    pub(crate) fn leave(&mut self, scope: Scope) {
        self.region -= 1;
        (self.keys, self.sizes) = (scope.keys, scope.sizes);
        // Checks in a region hold there only; symbols that are new there are unknown outside.
        (self.equal, self.not_negative, self.checked) = (scope.equal, scope.not_negative, scope.checked);
        self.loose.extend(scope.loose);
        self.products = scope.products;
    }

    /// Declares a function of the module, once.
    pub(crate) fn declare(&mut self, symbol: &str, text: &str) {
        if self.declared.insert(symbol.to_owned()) {
            let _ = writeln!(self.globals, "{text}");
        }
    }

    /// Returns the functions for an operator.
    pub(crate) fn foreign(&self, domain: &str, op: &str) -> Vec<super::Foreign> {
        self.options.functions.iter().filter(|f| f.domain == domain && f.op == op).cloned().collect()
    }

    /// Whether strings are returned as their indices.
    pub(crate) fn gives_words(&self) -> bool {
        self.options.number_strings
    }

    /// Whether integers of the data are checked.
    pub(crate) fn checks_data(&self) -> bool {
        self.options.check_data
    }

    /// The text of globals, of the body and of locations, and the weights.
    pub(crate) fn finish(self) -> (String, String, String, Vec<OnnxWeight>) {
        let (body, locations) = self.w.finish();
        (self.globals + &self.checks, body, locations, self.weights)
    }

    /// Writes what the model calls a tensor, for [`super::note_marked`].
    pub(crate) fn mark_value(&mut self, value: &Value, name: &str) {
        let ssa = value.ssa.borrow().clone().filter(|_| value.is_tensor());
        if let Some(ssa) = ssa {
            let (ty, name) = (value.ty(), quote(name));
            self.w.value(format!("{MARK} {ssa} : {ty} to none {{name = {name}}}"));
        }
    }

    /// Returns the present position in the declarations.
    pub(crate) fn mark(&self) -> Mark {
        Mark { checks: self.checks.len(), declared: self.declared_checks.clone() }
    }

    /// Removes the declarations of a body that is dropped. Constants stay, since other code may already use them.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.checks.truncate(mark.checks);
        self.declared_checks = mark.declared;
    }

    pub(crate) fn body(&mut self) -> Body<'_> {
        Body { w: &mut self.w }
    }

    /// The name of a value in the module; constants are written when first asked for.
    pub(crate) fn ssa(&mut self, value: &Value) -> String {
        if let Some(ssa) = &*value.ssa.borrow() {
            return ssa.clone();
        }
        let ssa = match value.known.as_ref().expect("a value has a name or is known") {
            Known::Tensor(tensor) => self.constant(tensor),
            Known::Dims(dims) => {
                let scalars: Vec<_> = dims
                    .iter()
                    .map(|d| {
                        let index = Scalar::index(self.index(d));
                        self.body().cast(&index, value.elem).name
                    })
                    .collect();
                let ssa = self.w.value(format!("tensor.from_elements {} : {}", scalars.join(", "), value.ty()));
                if self.region > 0 {
                    // It is not visible outside this region.
                    return ssa;
                }
                ssa
            }
        };
        *value.ssa.borrow_mut() = Some(ssa.clone());
        ssa
    }

    /// Writes a constant, inline or as a weight.
    fn constant(&mut self, tensor: &Tensor) -> String {
        let shape: Vec<_> = tensor.shape.iter().map(|&d| Dim::fixed(d as i64)).collect();
        let ty = tensor_type(tensor.elem, &shape);
        if tensor.len() == 0 {
            return self.w.constant(format!("arith.constant dense<> : {ty}"));
        }
        if let Some(value) = tensor.as_splat() {
            return self.w.constant(format!("arith.constant dense<{}> : {ty}", literal(tensor.elem, value)));
        }
        if tensor.len() <= self.options.inline_elements {
            return self.w.constant(format!("arith.constant dense<{}> : {ty}", elements(tensor)));
        }
        let bytes = tensor.bytes();
        let place = (bytes.as_ptr() as usize, bytes.len(), ty.clone());
        if let Some(ssa) = self.stored.get(&place) {
            return ssa.clone();
        }
        let wanted = tensor.name.clone().unwrap_or_else(|| "constant".into());
        let key = self.free_name("", &wanted);
        let symbol: String = key
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') { c } else { '_' })
            .collect();
        let symbol =
            if symbol.starts_with(|c: char| c.is_ascii_digit() || c == '.') { format!("_{symbol}") } else { symbol };
        let symbol = self.free_name("@", &symbol)[1..].to_owned();
        let _ = writeln!(
            self.globals,
            "  ml_program.global private @{symbol}(#ml_program.extern : {ty}) : {ty} {{hal.parameter = {{archive = \"\", key = {}}}}}",
            quote(&key)
        );
        self.weights.push(OnnxWeight {
            name: key,
            dtype: tensor.elem.dtype(),
            shape: tensor.shape.clone(),
            // Their addresses do not change while this exists.
            bytes,
        });
        let ssa = self.w.constant(format!("ml_program.global_load_const @{symbol} : {ty}"));
        self.stored.insert(place, ssa.clone());
        ssa
    }

    /// A name that nothing has: the one that is wanted, or that with a number. It is taken from here on.
    fn free_name(&mut self, prefix: &str, wanted: &str) -> String {
        let wanted = format!("{prefix}{wanted}");
        let next = self.numbers.entry(wanted.clone()).or_default();
        loop {
            let name = if *next == 0 { wanted.clone() } else { format!("{wanted}_{next}") };
            *next += 1;
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Defines a value with an operation.
    pub(crate) fn value(&mut self, operation: impl AsRef<str>, elem: super::Elem, shape: Vec<Dim>) -> Value {
        Value::new(self.w.value(operation), elem, shape)
    }

    /// Defines a tensor with undefined elements.
    pub(crate) fn empty(&mut self, elem: super::Elem, shape: &[Dim]) -> Value {
        let shape = &*self.settle_shape(shape);
        let sizes: Vec<_> = shape.iter().filter(|d| d.get().is_none()).map(|d| self.index(d)).collect();
        let ty = tensor_type(elem, shape);
        self.value(format!("tensor.empty({}) : {ty}", sizes.join(", ")), elem, shape.to_vec())
    }

    /// A tensor of equal elements, to be written over: the start of a reduction.
    pub(crate) fn filled(&mut self, elem: super::Elem, shape: &[Dim], value: Num) -> Value {
        let empty = self.empty(elem, shape);
        let value = self.scalar(elem, value);
        let (empty_ssa, ty) = (self.ssa(&empty), empty.ty());
        self.value(
            format!("linalg.fill ins({value} : {}) outs({empty_ssa} : {ty}) -> {ty}", elem.mlir()),
            elem,
            empty.shape,
        )
    }

    /// A scalar constant at the head of the function.
    pub(crate) fn scalar(&mut self, elem: super::Elem, value: Num) -> String {
        let key = format!("{} : {}", literal(elem, value), elem.mlir());
        if let Some(ssa) = self.sizes.get(&key) {
            return ssa.clone();
        }
        let text = if elem == super::Elem::Bool { literal(elem, value) } else { key.clone() };
        let ssa = self.w.constant(format!("arith.constant {text}"));
        self.sizes.insert(key, ssa.clone());
        ssa
    }

    /// Casts a value to a type of the same rank with other static sizes.
    pub(crate) fn cast(&mut self, value: &Value, shape: &[Dim]) -> Value {
        let (from, to) = (value.ty(), tensor_type(value.elem, shape));
        if from == to {
            return Value { shape: shape.to_vec(), ..value.clone() };
        }
        let ssa = self.ssa(value);
        self.value(format!("tensor.cast {ssa} : {from} to {to}"), value.elem, shape.to_vec())
    }
}

/// The elements as nested lists; floats of some number as bits.
fn elements(tensor: &Tensor) -> String {
    if (tensor.elem.is_float() && tensor.len() > 4) || tensor.elem.is_narrow() {
        return format!("\"0x{}\"", tensor.bytes().iter().map(|b| format!("{b:02X}")).collect::<String>());
    }
    fn nest(tensor: &Tensor, depth: usize, at: &mut usize, out: &mut String) {
        if depth == tensor.shape.len() {
            *out += &literal(tensor.elem, tensor.get(*at));
            *at += 1;
            return;
        }
        *out += "[";
        for i in 0..tensor.shape[depth] {
            if i > 0 {
                *out += ", ";
            }
            nest(tensor, depth + 1, at, out);
        }
        *out += "]";
    }
    let mut out = String::new();
    nest(tensor, 0, &mut 0, &mut out);
    out
}
