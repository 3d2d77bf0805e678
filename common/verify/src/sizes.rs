//! The sizes of a source that are not fixed: which belong together, and numbers for them.
//!
//! Sizes of arguments and `index` arguments are unknowns. Operations say which are equal or follow from others; what this
//! does not see is left to the checks in the reference, which refuse sizes that do not fit.
use crate::random::Random;
use halyard_ir::{AffineKind, Attr, Op, Structured, Value, form::Interface};
use std::collections::HashMap;

/// A size in terms of the unknowns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Size {
    Known(i64),
    Unknown(usize),
    Of(&'static str, Box<Size>, Box<Size>),
    /// Nothing is known of it.
    Any,
}

/// The unknowns of an export.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    /// What each unknown was found to be.
    bound: Vec<Option<Size>>,
    /// Which of them are numbers, not sizes: offsets and the like.
    numbers: Vec<bool>,
    /// What must be equal, beyond that.
    equal: Vec<(Size, Size)>,
    /// For each argument: its sizes; that of a scalar is its value.
    pub(crate) arguments: Vec<Vec<Size>>,
    /// For each result.
    pub(crate) results: Vec<Vec<Size>>,
    values: HashMap<usize, Size>,
    shapes: HashMap<usize, Vec<Size>>,
}

/// Numbers for the unknowns.
pub(crate) type Chosen = Vec<i64>;

impl Sizes {
    /// Finds the unknowns of a function on tensors, and how they belong together.
    pub(crate) fn of(function: Op, interface: &Interface) -> Self {
        let mut sizes = Self::default();
        let Some(body) = function.body() else { return sizes };
        for argument in body.args() {
            let ty = argument.ty();
            let dims = if ty.is_ranked_tensor() {
                let dims = sizes.of_shape(&ty.shape());
                sizes.shapes.insert(key(argument), dims.clone());
                dims
            } else if ty.is_index() || ty.is_integer() {
                let value = sizes.unknown();
                *sizes.numbers.last_mut().expect("just made") = true;
                sizes.values.insert(key(argument), value.clone());
                vec![value]
            } else {
                Vec::new()
            };
            sizes.arguments.push(dims);
        }
        function.walk(&mut |op| sizes.visit(op));
        let returned = body.terminator().map(|end| end.operands()).unwrap_or_default();
        for (i, &value) in returned.iter().enumerate() {
            let dims = sizes.shape(value);
            let given = interface.dims.get(i).cloned().unwrap_or_default();
            let dynamic =
                value.ty().shape().iter().enumerate().filter(|(_, d)| d.is_none()).map(|(d, _)| d).collect::<Vec<_>>();
            for (&d, &argument) in dynamic.iter().zip(&given) {
                let said = sizes.arguments.get(argument).and_then(|a| a.first().cloned()).unwrap_or(Size::Any);
                sizes.equate(&dims[d], &said);
            }
            if let Some(Some(tied)) = interface.tied.get(i) {
                let other = sizes.arguments[*tied].clone();
                dims.iter().zip(&other).for_each(|(a, b)| sizes.equate(a, b));
            }
            sizes.results.push(dims);
        }
        sizes
    }

    /// Gives the value of a scalar argument.
    pub(crate) fn fix(&mut self, argument: usize, value: i64) {
        if let Some(size) = self.arguments.get(argument).and_then(|a| a.first().cloned()) {
            self.equate(&size, &Size::Known(value));
        }
    }

    /// Whether there is anything to choose.
    pub(crate) fn is_static(&self) -> bool {
        self.bound.is_empty()
    }

    /// Numbers for the unknowns: each size that is free is one of the first list, each number one of the second. `None` if they
    /// do not fit together.
    pub(crate) fn choose(&self, (sizes, numbers): (&[i64], &[i64]), random: &mut Random) -> Option<Chosen> {
        let mut any = |from: &[i64]| from[random.below(from.len() as u64) as usize];
        let mut chosen: Chosen = self.numbers.iter().map(|&number| any(if number { numbers } else { sizes })).collect();
        // What is bound may depend on what is bound later.
        for _ in 0..self.bound.len() {
            let before = chosen.clone();
            for (i, bound) in self.bound.iter().enumerate() {
                if let Some(size) = bound {
                    chosen[i] = self.value(size, &chosen)?;
                }
            }
            if before == chosen {
                break;
            }
        }
        let fits = self.equal.iter().all(|(a, b)| match (self.value(a, &chosen), self.value(b, &chosen)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        });
        let positive = self.arguments.iter().flatten().all(|s| self.value(s, &chosen).is_none_or(|n| n >= 0));
        (fits && positive).then_some(chosen)
    }

    /// The number that a size is; `None` if that is not known.
    pub(crate) fn value(&self, size: &Size, chosen: &Chosen) -> Option<i64> {
        Some(match size {
            Size::Known(n) => *n,
            Size::Unknown(i) => chosen[*i],
            Size::Any => return None,
            Size::Of(how, a, b) => {
                let (a, b) = (self.value(a, chosen)?, self.value(b, chosen)?);
                match *how {
                    "+" => a.checked_add(b)?,
                    "-" => a.checked_sub(b)?,
                    "*" => a.checked_mul(b)?,
                    "floor" => a.checked_div_euclid(b)?,
                    "ceil" => a.checked_add(b.checked_sub(1)?)?.checked_div_euclid(b)?,
                    "mod" => a.checked_rem_euclid(b)?,
                    "max" => a.max(b),
                    _ => a.min(b),
                }
            }
        })
    }

    fn unknown(&mut self) -> Size {
        self.bound.push(None);
        self.numbers.push(false);
        Size::Unknown(self.bound.len() - 1)
    }

    fn of_shape(&mut self, shape: &[Option<i64>]) -> Vec<Size> {
        shape.iter().map(|d| d.map_or_else(|| self.unknown(), Size::Known)).collect()
    }

    /// The sizes of a tensor; made up if it is new.
    pub(crate) fn shape(&mut self, tensor: Value) -> Vec<Size> {
        if let Some(known) = self.shapes.get(&key(tensor)) {
            return known.clone();
        }
        let shape: Vec<Size> = tensor.ty().shape().iter().map(|d| d.map_or(Size::Any, Size::Known)).collect();
        self.shapes.insert(key(tensor), shape.clone());
        shape
    }

    fn number(&self, value: Value) -> Size {
        if let Some(known) = self.values.get(&key(value)) {
            return known.clone();
        }
        let constant =
            value.def().filter(|d| d.is("arith.constant")).and_then(|d| d.attr("value")).and_then(Attr::as_int);
        constant.map_or(Size::Any, Size::Known)
    }

    fn resolve(&self, size: &Size) -> Size {
        match size {
            Size::Unknown(i) => self.bound[*i].as_ref().map_or_else(|| size.clone(), |s| self.resolve(s)),
            other => other.clone(),
        }
    }

    fn mentions(&self, size: &Size, unknown: usize) -> bool {
        match self.resolve(size) {
            Size::Unknown(i) => i == unknown,
            Size::Of(_, a, b) => self.mentions(&a, unknown) || self.mentions(&b, unknown),
            _ => false,
        }
    }

    fn equate(&mut self, a: &Size, b: &Size) {
        match (self.resolve(a), self.resolve(b)) {
            (Size::Any, _) | (_, Size::Any) => {}
            (a, b) if a == b => {}
            (Size::Unknown(i), other) | (other, Size::Unknown(i)) if !self.mentions(&other, i) => {
                self.bound[i] = Some(other)
            }
            pair => self.equal.push(pair),
        }
    }

    fn visit(&mut self, op: Op) {
        let name = op.name();
        if let Some(structured) = Structured::of(op) {
            return self.structured(op, &structured);
        }
        match &*name {
            "tensor.empty" | "bufferization.alloc_tensor" => {
                let mut given = op.operands().into_iter();
                let shape = op.result(0).ty().shape();
                let dims = shape
                    .iter()
                    .map(|d| d.map_or_else(|| given.next().map_or(Size::Any, |v| self.number(v)), Size::Known));
                let dims: Vec<Size> = dims.collect();
                self.shapes.insert(key(op.result(0)), dims);
            }
            "tensor.dim" => {
                let dims = self.shape(op.operand(0));
                let size = match self.number(op.operand(1)) {
                    Size::Known(d) => usize::try_from(d).ok().and_then(|d| dims.get(d).cloned()).unwrap_or(Size::Any),
                    _ => Size::Any,
                };
                self.values.insert(key(op.result(0)), size);
            }
            "tensor.cast" => {
                let (from, to) = (self.shape(op.operand(0)), op.result(0).ty().shape());
                let mut dims = Vec::new();
                for (from, to) in from.into_iter().zip(to) {
                    if let Some(n) = to {
                        self.equate(&from, &Size::Known(n));
                    }
                    dims.push(to.map_or(from, Size::Known));
                }
                self.shapes.insert(key(op.result(0)), dims);
            }
            "tensor.pad" => {
                let dims = self.shape(op.operand(0));
                let mut given = op.operands().into_iter().skip(1);
                let mut list = |name: &str| -> Vec<Size> {
                    let fixed = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
                    fixed
                        .into_iter()
                        .map(|n| {
                            if n == i64::MIN {
                                given.next().map_or(Size::Any, |v| self.number(v))
                            } else {
                                Size::Known(n)
                            }
                        })
                        .collect()
                };
                let (low, high) = (list("static_low"), list("static_high"));
                let dims: Vec<Size> =
                    dims.into_iter().zip(low).zip(high).map(|((d, l), h)| binary("+", binary("+", d, l), h)).collect();
                self.define(op.result(0), dims);
            }
            "tensor.collapse_shape" | "tensor.expand_shape" => self.reshape(op, name == "tensor.collapse_shape"),
            "tensor.extract_slice" => {
                let mut given = op.operands().into_iter().skip(1);
                let mut list = |name: &str| -> Vec<Size> {
                    let fixed = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
                    fixed
                        .into_iter()
                        .map(|n| {
                            if n == i64::MIN {
                                given.next().map_or(Size::Any, |v| self.number(v))
                            } else {
                                Size::Known(n)
                            }
                        })
                        .collect()
                };
                let (_, sizes) = (list("static_offsets"), list("static_sizes"));
                if sizes.len() == op.result(0).ty().rank() {
                    self.define(op.result(0), sizes);
                }
            }
            "tensor.insert_slice" => {
                let dims = self.shape(op.operand(1));
                self.define(op.result(0), dims);
            }
            "linalg.softmax" => {
                let (from, to) = (self.shape(op.operand(0)), self.shape(op.operand(1)));
                from.iter().zip(&to).for_each(|(a, b)| self.equate(a, b));
                self.define(op.result(0), from);
            }
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui" | "arith.trunci" => {
                let number = self.number(op.operand(0));
                self.values.insert(key(op.result(0)), number);
            }
            _ if op.operand_count() == 2 && op.result_count() == 1 => {
                let how = match &*name {
                    "arith.addi" => "+",
                    "arith.subi" => "-",
                    "arith.muli" => "*",
                    "arith.divsi" | "arith.divui" | "arith.floordivsi" => "floor",
                    "arith.ceildivsi" | "arith.ceildivui" => "ceil",
                    "arith.remsi" | "arith.remui" => "mod",
                    "arith.maxsi" | "arith.maxui" => "max",
                    "arith.minsi" | "arith.minui" => "min",
                    _ => return,
                };
                let size = binary(how, self.number(op.operand(0)), self.number(op.operand(1)));
                self.values.insert(key(op.result(0)), size);
            }
            "affine.apply" => {
                let Some(map) = op.attr("map").and_then(Attr::as_affine_map) else { return };
                let operands: Vec<Size> = op.operands().into_iter().map(|v| self.number(v)).collect();
                if let Some(expression) = map.results().first() {
                    let size = affine(expression, map.dims(), &operands);
                    self.values.insert(key(op.result(0)), size);
                }
            }
            _ => {}
        }
    }

    /// The sizes of a result, which its type may know better.
    fn define(&mut self, value: Value, dims: Vec<Size>) {
        let shape = value.ty().shape();
        for (dim, fixed) in dims.iter().zip(&shape) {
            if let Some(n) = fixed {
                self.equate(dim, &Size::Known(*n));
            }
        }
        let dims = dims.into_iter().zip(shape).map(|(dim, fixed)| fixed.map_or(dim, Size::Known)).collect();
        self.shapes.insert(key(value), dims);
    }

    /// All operands of a loop that go along it have its size; windows follow from what slides in them.
    fn structured(&mut self, op: Op, structured: &Structured) {
        let mut loops: Vec<Size> = vec![Size::Any; structured.loops()];
        let operands: Vec<Vec<Size>> = op
            .operands()
            .into_iter()
            .take(structured.maps.len())
            .map(|v| if v.ty().is_ranked_tensor() { self.shape(v) } else { Vec::new() })
            .collect();
        for (map, dims) in structured.maps.iter().zip(&operands) {
            for (expression, dim) in map.results().iter().zip(dims) {
                if let AffineKind::Dim(d) = expression {
                    if loops[*d] == Size::Any {
                        loops[*d] = dim.clone();
                    } else {
                        self.equate(&loops[*d].clone(), dim);
                    }
                }
            }
        }
        for (map, dims) in structured.maps.iter().zip(&operands) {
            for (expression, dim) in map.results().iter().zip(dims) {
                if !matches!(expression, AffineKind::Dim(_)) {
                    let last: Vec<Size> = loops.iter().map(|l| binary("-", l.clone(), Size::Known(1))).collect();
                    let extent = binary("+", affine(expression, structured.loops(), &last), Size::Known(1));
                    // A larger one would do, too; only one that is free follows.
                    if matches!(self.resolve(dim), Size::Unknown(_)) {
                        self.equate(dim, &extent);
                    }
                }
            }
        }
        for (result, init) in op.results().into_iter().zip(&operands[structured.inputs.min(operands.len())..]) {
            if result.ty().is_ranked_tensor() {
                self.shapes.insert(key(result), init.clone());
            }
        }
    }

    fn reshape(&mut self, op: Op, collapse: bool) {
        let groups: Vec<Vec<i64>> = op
            .attr("reassociation")
            .and_then(Attr::as_array)
            .unwrap_or_default()
            .into_iter()
            .map(|g| g.as_array().unwrap_or_default().into_iter().filter_map(Attr::as_int).collect())
            .collect();
        let from = self.shape(op.operand(0));
        let long: Vec<Size> = if collapse {
            from.clone()
        } else {
            let mut given = op.operands().into_iter().skip(1);
            let fixed = op.result(0).ty().shape();
            fixed
                .into_iter()
                .map(|d| d.map_or_else(|| given.next().map_or(Size::Any, |v| self.number(v)), Size::Known))
                .collect()
        };
        let products: Vec<Size> = groups
            .iter()
            .map(|g| {
                g.iter()
                    .fold(Size::Known(1), |p, &d| binary("*", p, long.get(d as usize).cloned().unwrap_or(Size::Any)))
            })
            .collect();
        if collapse {
            self.define(op.result(0), products);
        } else {
            if products.len() == from.len() {
                from.iter().zip(&products).for_each(|(a, b)| self.equate(a, b));
            }
            self.define(op.result(0), long);
        }
    }
}

pub(crate) fn key(value: Value) -> usize {
    value.0.ptr as usize
}

fn binary(how: &'static str, a: Size, b: Size) -> Size {
    match (how, &a, &b) {
        (_, Size::Any, _) | (_, _, Size::Any) => Size::Any,
        ("+" | "-", _, Size::Known(0)) | ("*", _, Size::Known(1)) => a,
        ("+", Size::Known(0), _) | ("*", Size::Known(1), _) => b,
        ("+", Size::Of("-", x, y), _) if **y == b => (**x).clone(),
        ("+", Size::Known(x), Size::Known(y)) => Size::Known(x + y),
        ("*", Size::Known(x), Size::Known(y)) => Size::Known(x.saturating_mul(*y)),
        ("-", Size::Known(x), Size::Known(y)) => Size::Known(x - y),
        _ => Size::Of(how, Box::new(a), Box::new(b)),
    }
}

/// An affine expression of sizes: dimensions first, then symbols.
fn affine(expression: &AffineKind, dims: usize, operands: &[Size]) -> Size {
    let of = |e: &AffineKind| affine(e, dims, operands);
    match expression {
        AffineKind::Dim(d) => operands.get(*d).cloned().unwrap_or(Size::Any),
        AffineKind::Symbol(s) => operands.get(dims + s).cloned().unwrap_or(Size::Any),
        AffineKind::Constant(n) => Size::Known(*n),
        AffineKind::Add(a, b) => binary("+", of(a), of(b)),
        AffineKind::Mul(a, b) => binary("*", of(a), of(b)),
        AffineKind::Mod(a, b) => binary("mod", of(a), of(b)),
        AffineKind::FloorDiv(a, b) => binary("floor", of(a), of(b)),
        AffineKind::CeilDiv(a, b) => binary("ceil", of(a), of(b)),
    }
}
