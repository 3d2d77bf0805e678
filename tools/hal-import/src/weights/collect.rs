//! Finds large constants and makes them external globals.
use super::archive::{Weight, dtype_of};
use halyard_ir::{
    Attr, Builder, Op, Structured, Value, dense_bytes,
    form::{Program, ProgramGlobal, WeightReference},
    is_contraction,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most bytes of constants that stay in the text.
pub(crate) const INLINE_BYTES: usize = 1024;

/// Makes constants above 1 KiB that are not the same everywhere into external globals, whose `archive` is not set yet,
/// and gives their data in the order of the globals. Constants of element types that archives do not have stay. Filters and matrices that are the
/// same everywhere become globals with that value, as kernels take them like other weights.
pub fn collect(program: Program) -> Vec<Weight> {
    let mut weights = Vec::new();
    for global in program.globals() {
        // A global that the host program writes is state, not a weight.
        if !global.is_mutable()
            && let Some(weight) = global.value().and_then(|v| weight(v, global.name()))
        {
            global.set_external(&WeightReference { archive: String::new(), key: weight.key.clone(), piece: None });
            weights.push(weight);
        }
    }
    let mut collector = Collector {
        program,
        taken: program.op.body_ops().into_iter().filter_map(|op| op.symbol()).collect(),
        known: HashMap::new(),
        next: 0,
        weights,
    };
    for function in program.functions() {
        collector.function(function);
    }
    collector.weights
}

/// The data of an attribute, if it is large and archives can hold it.
fn weight(value: Attr, key: String) -> Option<Weight> {
    let ty = value.value_type();
    let dtype = dtype_of(ty.element())?;
    let shape: Vec<usize> = ty.shape().into_iter().map(|d| usize::try_from(d?).ok()).collect::<Option<_>>()?;
    let size = shape.iter().product::<usize>() * ty.element().byte_width() as usize;
    if size <= INLINE_BYTES || value.is_splat() {
        return None;
    }
    let (bytes, splat) = dense_bytes(value)?;
    (!splat).then_some(Weight { key, dtype, shape, bytes: bytes.into() })
}

/// The least bytes of a matrix of floats, and of one of integers, that is worth another layout: smaller ones are in a cache.
pub(crate) const LEAST_MATRIX: u64 = 1 << 16;
pub(crate) const LEAST_BYTES: u64 = 1 << 14;

/// Whether a constant is the second factor of products or convolutions alone, and so large that its layout matters. Models that were never trained
/// have layers whose filters are all zeros, where training begins with the identity.
fn is_large_factor(constant: Op) -> bool {
    let ty = constant.result(0).ty();
    let elements = ty.shape().into_iter().try_fold(1, |all: u64, size| all.checked_mul(u64::try_from(size?).ok()?));
    let least = match (ty.rank(), ty.element().is_float()) {
        // Bytes that are multiplied without their tensor would be made integers of four times the size in each run.
        (_, false) => 0,
        (3.., true) => INLINE_BYTES as u64,
        (_, true) => LEAST_MATRIX,
    };
    let large = elements.is_some_and(|n| n.saturating_mul(u64::from(ty.element().bits())) / 8 >= least);
    large && dtype_of(ty.element()).is_some() && is_factor(constant.result(0))
}

/// Whether a constant is a second factor everywhere, as it is stored or after its zero point and scales.
fn is_factor(constant: Value) -> bool {
    let multiplies = |user: Op| {
        let name = user.name();
        name.starts_with("linalg.conv") || name.starts_with("linalg.depthwise_conv") || is_contraction(user)
    };
    let (mut open, mut seen) = (vec![constant], HashSet::new());
    while let Some(value) = open.pop() {
        let uses = value.uses();
        if uses.is_empty() {
            return false;
        }
        for (user, operand) in uses {
            if operand == 1 && multiplies(user) {
                continue;
            }
            if !converts(user, value) {
                return false;
            }
            if seen.insert(user) {
                open.push(user.result(0));
            }
        }
    }
    true
}

/// Whether an operation moves the elements of a value, or computes each from one of the value and constants.
fn converts(user: Op, value: Value) -> bool {
    let of_constant =
        |v: &Value| v.def().is_some_and(|d| d.is("arith.constant") || d.is("ml_program.global_load_const"));
    let inputs = match Structured::of(user) {
        Some(structured) if structured.parallel().contains(&false) => return false,
        Some(structured) => structured.inputs,
        None if user.is_of("arith") => user.operand_count(),
        None if user.is("tensor.expand_shape") || user.is("tensor.collapse_shape") => 1,
        None => return false,
    };
    user.result_count() == 1 && user.operands()[..inputs].iter().all(|v| *v == value || of_constant(v))
}

struct Collector {
    program: Program,
    taken: BTreeSet<String>,
    /// Attributes are unique in their context: equal constants become one global.
    known: HashMap<Attr, ProgramGlobal>,
    next: usize,
    weights: Vec<Weight>,
}

impl Collector {
    fn function(&mut self, function: Op) {
        let mut constants = Vec::new();
        function.walk(&mut |op| {
            if op.is("arith.constant") && op.has_uses() && op.result(0).ty().is_ranked_tensor() {
                constants.push(op);
            }
        });
        let mut loads: HashMap<Attr, Value> = HashMap::new();
        let mut entry = function.body().and_then(|b| b.ops().first().copied());
        for op in constants {
            let Some(value) = op.attr("value") else { continue };
            let Some(global) = self.global(op, value) else { continue };
            let load = *loads.entry(value).or_insert_with(|| {
                let first = entry.expect("a function with a constant has operations");
                let symbol = Attr::symbol(op.context(), &global.name());
                Builder::before(first).value("ml_program.global_load_const", &[], global.ty(), &[("global", symbol)])
            });
            op.result(0).replace_all_uses(load);
            if entry == Some(op) {
                entry = op.next();
            }
            op.erase();
        }
    }

    /// The global for a constant, made when it is first seen.
    fn global(&mut self, op: Op, value: Attr) -> Option<ProgramGlobal> {
        let factor = value.is_splat() && is_large_factor(op);
        if value.is_splat() && !factor {
            return None;
        }
        if let Some(global) = self.known.get(&value) {
            return Some(*global);
        }
        let weight = if factor { None } else { Some(weight(value, String::new())?) };
        let name = self.fresh();
        let global = ProgramGlobal::create(op.loc(), &name, value.value_type());
        match weight {
            Some(weight) => {
                global.set_parameter(&WeightReference { archive: String::new(), key: name.clone(), piece: None });
                self.weights.push(Weight { key: name, ..weight });
            }
            None => global.set_value(value),
        }
        let body = self.program.op.body()?;
        let first_function = body.ops().into_iter().find(|op| op.is("func.func"))?;
        body.insert_before(first_function, global.op);
        self.known.insert(value, global);
        Some(global)
    }

    fn fresh(&mut self) -> String {
        loop {
            let name = format!("w{}", self.next);
            self.next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
