//! The module under construction: constants, weights and symbolic sizes.
use super::{
    Body, Dim, Known, Num, Options, Outcome, Problem, Scalar, Tensor, Value, Weight,
    load::Loader,
    value::tensor_type,
    writer::{Writer, literal, quote},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// What the lowerings of operators write to.
pub(crate) struct Context<'a> {
    pub(crate) w: Writer,
    pub(crate) loader: Loader<'a>,
    options: &'a Options,
    /// The `index` value of each symbol.
    symbols: Vec<String>,
    /// Symbols by what they stand for, so that equal computations are equal sizes.
    keys: BTreeMap<String, usize>,
    /// `index` values by size.
    sizes: BTreeMap<String, String>,
    /// Symbols that stand for integers of the program's data, which may be negative.
    loose: BTreeSet<usize>,
    /// How many regions deep: values made there must not be remembered outside.
    region: usize,
    globals: String,
    weights: Vec<Weight>,
    names: BTreeSet<String>,
}

/// What is remembered of sizes, to be put back when a region ends.
pub(crate) struct Scope {
    keys: BTreeMap<String, usize>,
    sizes: BTreeMap<String, String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(loader: Loader<'a>, options: &'a Options) -> Self {
        Self {
            w: Writer::default(),
            loader,
            options,
            symbols: Vec::new(),
            keys: BTreeMap::new(),
            sizes: BTreeMap::new(),
            loose: BTreeSet::new(),
            region: 0,
            globals: String::new(),
            weights: Vec::new(),
            names: BTreeSet::new(),
        }
    }

    /// Goes into a region of an operation.
    pub(crate) fn enter(&mut self) -> Scope {
        self.region += 1;
        Scope { keys: self.keys.clone(), sizes: self.sizes.clone() }
    }

    /// Leaves a region.
    pub(crate) fn leave(&mut self, scope: Scope) {
        self.region -= 1;
        (self.keys, self.sizes) = (scope.keys, scope.sizes);
    }

    /// The text of globals, of the body and of locations, and the weights.
    pub(crate) fn finish(self) -> (String, String, String, Vec<Weight>) {
        let (body, locations) = self.w.finish();
        (self.globals, body, locations, self.weights)
    }

    pub(crate) fn body(&mut self) -> Body<'_> {
        Body { w: &mut self.w }
    }

    // Sizes.

    /// The size that `key` stands for; `make` writes its computation where it is new.
    pub(crate) fn symbol(&mut self, key: String, make: impl FnOnce(&mut Self) -> String) -> Dim {
        if let Some(&symbol) = self.keys.get(&key) {
            return Dim::symbol(symbol);
        }
        let ssa = make(self);
        let dim = self.fresh_symbol(ssa);
        self.keys.insert(key, dim.terms()[0].0);
        dim
    }

    /// A size that equals no other.
    pub(crate) fn fresh_symbol(&mut self, ssa: String) -> Dim {
        self.symbols.push(ssa);
        Dim::symbol(self.symbols.len() - 1)
    }

    /// A size as an `index` value.
    pub(crate) fn index(&mut self, dim: &Dim) -> String {
        let key = dim.to_string();
        if let Some(ssa) = self.sizes.get(&key) {
            return ssa.clone();
        }
        let ssa = if let Some(size) = dim.get() {
            self.w.constant(format!("arith.constant {size} : index"))
        } else {
            let mut sum: Option<String> = None;
            for &(symbol, factor) in dim.terms() {
                let mut term = self.symbols[symbol].clone();
                if factor != 1 {
                    let factor = self.index(&Dim::fixed(factor));
                    term = self.w.value(format!("arith.muli {term}, {factor} : index"));
                }
                sum = Some(match sum {
                    Some(sum) => self.w.value(format!("arith.addi {sum}, {term} : index")),
                    None => term,
                });
            }
            let mut sum = sum.expect("a size that is not constant has a term");
            if dim.constant() != 0 {
                let constant = self.index(&Dim::fixed(dim.constant()));
                sum = self.w.value(format!("arith.addi {sum}, {constant} : index"));
            }
            sum
        };
        self.sizes.insert(key, ssa.clone());
        ssa
    }

    /// Whether it is surely not negative.
    pub(crate) fn is_size(&self, dim: &Dim) -> bool {
        dim.constant() >= 0 && dim.terms().iter().all(|(symbol, factor)| *factor > 0 && !self.loose.contains(symbol))
    }

    fn size_op(&mut self, name: &str, a: &Dim, b: &Dim) -> Dim {
        self.symbol(format!("{name}({a},{b})"), |c| {
            let (a, b) = (c.index(a), c.index(b));
            c.w.value(format!("{name} {a}, {b} : index"))
        })
    }

    pub(crate) fn size_times(&mut self, a: &Dim, b: &Dim) -> Dim {
        match (a.get(), b.get()) {
            (Some(a), _) => b.times(a),
            (_, Some(b)) => a.times(b),
            _ if a <= b => self.size_op("arith.muli", a, b),
            _ => self.size_op("arith.muli", b, a),
        }
    }

    pub(crate) fn product<'d>(&mut self, dims: impl IntoIterator<Item = &'d Dim>) -> Dim {
        let mut sorted: Vec<_> = dims.into_iter().cloned().collect();
        // The same factors give the same size in any order.
        sorted.sort();
        sorted.iter().fold(Dim::fixed(1), |a, b| self.size_times(&a, b))
    }

    /// Division toward zero; sizes are not negative.
    pub(crate) fn size_over(&mut self, a: &Dim, b: &Dim) -> Dim {
        if a == b && !a.is(0) {
            return Dim::fixed(1);
        }
        match (a.get(), b.get()) {
            (Some(a), Some(b)) if b != 0 => Dim::fixed(a.wrapping_div(b)),
            (_, Some(b)) if a.exact_quotient(b).is_some() => a.exact_quotient(b).expect("just seen"),
            _ => self.size_op("arith.divsi", a, b),
        }
    }

    pub(crate) fn size_rem(&mut self, a: &Dim, b: &Dim) -> Dim {
        match (a.get(), b.get()) {
            (Some(a), Some(b)) if b != 0 => Dim::fixed(a % b),
            (_, Some(b)) if a.exact_quotient(b).is_some() => Dim::fixed(0),
            _ => self.size_op("arith.remsi", a, b),
        }
    }

    pub(crate) fn size_min(&mut self, a: &Dim, b: &Dim) -> Dim {
        match a.minus(b).get() {
            Some(d) => {
                if d <= 0 {
                    a.clone()
                } else {
                    b.clone()
                }
            }
            None => self.size_op("arith.minsi", a, b),
        }
    }

    pub(crate) fn size_max(&mut self, a: &Dim, b: &Dim) -> Dim {
        match a.minus(b).get() {
            Some(d) => {
                if d >= 0 {
                    a.clone()
                } else {
                    b.clone()
                }
            }
            None => self.size_op("arith.maxsi", a, b),
        }
    }

    /// `if a = 1 then b else a`: the size of two broadcast dimensions.
    pub(crate) fn size_broadcast(&mut self, a: &Dim, b: &Dim) -> Dim {
        self.symbol(format!("broadcast({a},{b})"), |c| {
            let (a, b, one) = (c.index(a), c.index(b), c.index(&Dim::fixed(1)));
            let is_one = c.w.value(format!("arith.cmpi eq, {a}, {one} : index"));
            c.w.value(format!("arith.select {is_one}, {b}, {a} : index"))
        })
    }

    /// The integers of a short list, in the form of sizes: known, or read when the program runs.
    pub(crate) fn read_dims(&mut self, value: &Value) -> Outcome<Vec<Dim>> {
        if let Some(dims) = value.as_dims() {
            return Ok(dims);
        }
        let count = value.count().filter(|&n| n <= 16 && value.rank() <= 1 && !value.elem.is_float());
        let Some(count) = count else {
            return Err(Problem::Unsupported(format!(
                "a list of sizes of type `{}` that is not known at import",
                value.ty()
            )));
        };
        let ssa = self.ssa(value);
        let mut dims = Vec::new();
        for i in 0..count {
            let at = if value.rank() == 0 { Vec::new() } else { vec![Scalar::index(self.index(&Dim::fixed(i)))] };
            let read = self.body().extract(&ssa, &value.ty(), value.elem, &at);
            let index = self.body().to_index(&read);
            let dim = self.fresh_symbol(index.name);
            self.loose.insert(dim.terms()[0].0);
            dims.push(dim);
        }
        Ok(dims)
    }

    // Values.

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
        let wanted = tensor.name.clone().unwrap_or_else(|| "constant".into());
        let key = (0..)
            .map(|i| if i == 0 { wanted.clone() } else { format!("{wanted}_{i}") })
            .find(|k| !self.names.contains(k))
            .expect("numbers do not end");
        self.names.insert(key.clone());
        let symbol: String = key
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') { c } else { '_' })
            .collect();
        let symbol =
            if symbol.starts_with(|c: char| c.is_ascii_digit() || c == '.') { format!("_{symbol}") } else { symbol };
        let symbol = (0..)
            .map(|i| if i == 0 { symbol.clone() } else { format!("{symbol}_{i}") })
            .find(|s| !self.names.contains(&format!("@{s}")))
            .expect("numbers do not end");
        self.names.insert(format!("@{symbol}"));
        let _ = writeln!(
            self.globals,
            "  ml_program.global private @{symbol}(#ml_program.extern : {ty}) : {ty} {{hal.parameter = {{archive = \"\", key = {}}}}}",
            quote(&key)
        );
        self.weights.push(Weight {
            name: key,
            dtype: tensor.elem.dtype(),
            shape: tensor.shape.clone(),
            bytes: tensor.bytes(),
        });
        self.w.constant(format!("ml_program.global_load_const @{symbol} : {ty}"))
    }

    /// A value that the module computes.
    pub(crate) fn value(&mut self, operation: impl AsRef<str>, elem: super::Elem, shape: Vec<Dim>) -> Value {
        Value::new(self.w.value(operation), elem, shape)
    }

    /// A tensor of unset elements.
    pub(crate) fn empty(&mut self, elem: super::Elem, shape: &[Dim]) -> Value {
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
            shape.to_vec(),
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

    /// The same value with another static knowledge of its shape, of the same rank.
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
    if tensor.elem.is_float() && tensor.len() > 4 {
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
