//! Writes constants into the program, and removes what nothing needs any more.
use crate::weights::{INLINE_BYTES, Weight, dtype_of};
use halyard_evaluate::{Array, type_of};
use halyard_ir::{
    Attr, Builder, Op, Type, Value,
    form::{Program, ProgramGlobal, WeightReference, named_values},
};
use halyard_runtime::commands::ScalarType;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A constant as it lies in memory, which takes less of it than an array.
pub(super) struct Packed {
    bytes: Vec<u8>,
    /// One element, if they are all the same.
    splat: Option<Array>,
}

impl Packed {
    /// The elements of an array.
    pub(super) fn of(array: &Array) -> Self {
        match array.as_splat() {
            Some(_) => Self { bytes: array.reshaped(&[]).to_bytes(), splat: Some(array.clone()) },
            None => Self { bytes: array.to_bytes(), splat: None },
        }
    }
}

/// Puts constants in the places of the values of a function that they are. Large ones become globals, named like the tensor of the model.
pub(super) fn replace(program: Program, function: Op, arrays: Vec<(Value, Packed)>, weights: &mut Vec<Weight>) {
    let Some(first) = function.body().and_then(|b| b.ops().first().copied()).filter(|_| !arrays.is_empty()) else {
        return;
    };
    let names = function.body().map(named_values).unwrap_or_default();
    let symbols = program.op.body_ops();
    let mut taken: BTreeSet<String> = symbols.iter().filter_map(|op| op.symbol()).collect();
    taken.extend(weights.iter().map(|w| w.key.clone()));
    let mut loads: HashMap<Vec<u8>, Vec<(Type, Value)>> = HashMap::new();
    for (value, array) in arrays {
        let def = value.def().expect("it is a result");
        let ty = value.ty();
        let Packed { bytes, splat } = array;
        let (element, shape) = type_of(ty).expect("its elements were computed");
        let same = loads.get(&bytes).and_then(|all| all.iter().find(|(other, _)| *other == ty)).map(|(_, load)| *load);
        let constant = same.unwrap_or_else(|| {
            let at = Builder { loc: def.loc(), ..Builder::before(first) };
            let small = bytes.len() <= INLINE_BYTES || dtype_of(ty.element()).is_none();
            let array = splat.or_else(|| if small { Array::from_bytes(element, &shape, &bytes, false) } else { None });
            if let Some(array) = array {
                return at.value("arith.constant", &[], ty, &[("value", attribute(&array, ty))]);
            }
            let wanted = names.get(&value).cloned().or_else(|| halyard_ir::origins_of(def).into_iter().next());
            let name = free(wanted.as_deref().unwrap_or("constant"), &mut taken);
            let global = ProgramGlobal::create(def.loc(), &name, ty);
            global.set_parameter(&WeightReference { archive: String::new(), key: name.clone(), piece: None });
            let body = program.op.body().expect("a program has a body");
            let before = body.ops().into_iter().find(|op| op.is("func.func")).expect("there is this function");
            body.insert_before(before, global.op);
            let dtype = dtype_of(ty.element()).expect("it is no small one");
            weights.push(Weight { key: name.clone(), dtype, shape, bytes: bytes.clone().into() });
            let symbol = Attr::symbol(def.context(), &name);
            at.value("ml_program.global_load_const", &[], ty, &[("global", symbol)])
        });
        if same.is_none() {
            loads.entry(bytes).or_default().push((ty, constant));
        }
        value.replace_all_uses(constant);
    }
}

/// A name that nothing has yet.
fn free(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (1..).map(|i| format!("{wanted}_{i}"));
    let name = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.expect("there are endless numbers");
    taken.insert(name.clone());
    name
}

/// The attribute of a scalar or of a tensor.
fn attribute(array: &Array, ty: Type) -> Attr {
    let context = ty.context();
    let element = if ty.is_tensor() { ty.element() } else { ty };
    let text = |bits: u64| match array.ty {
        ScalarType::Int(1) => (bits & 1 != 0).to_string(),
        ScalarType::Int(width) => ((bits << (64 - width)) as i64 >> (64 - width)).to_string(),
        // The bits themselves: exact, also for those that are no numbers.
        _ => format!("0x{bits:0digits$X}", digits = array.ty.size() * 2),
    };
    let value = if element.bits() == 1 && !ty.is_tensor() {
        text(array.at(0))
    } else if !ty.is_tensor() {
        format!("{} : {element}", text(array.at(0)))
    } else if array.element_count() == 0 {
        format!("dense<> : {ty}")
    } else if let Some(bits) = array.as_splat() {
        format!("dense<{}> : {ty}", text(bits))
    } else {
        let mut out = String::from("dense<");
        nested(&array.shape, 0, &mut |place| text(array.at(place)), &mut out);
        format!("{out}> : {ty}")
    };
    Attr::parse(context, &value).expect("elements of this type are written so")
}

/// Writes the elements from a place on, in the brackets of their shape.
fn nested(shape: &[usize], from: usize, text: &mut dyn FnMut(usize) -> String, out: &mut String) {
    let Some((size, inner)) = shape.split_first() else {
        out.push_str(&text(from));
        return;
    };
    let step: usize = inner.iter().product();
    out.push('[');
    for i in 0..*size {
        if i > 0 {
            out.push_str(", ");
        }
        nested(inner, from + i * step, text, out);
    }
    out.push(']');
}

/// Removes operations without users, the last ones first, and notes the globals that they load.
pub(super) fn erase_unused(ops: &[Op], globals: &mut HashSet<String>) {
    for op in ops.iter().rev().filter(|op| !op.has_uses()) {
        if let Some(name) = op.attr("global").and_then(Attr::leaf_symbol) {
            globals.insert(name);
        }
        op.erase();
    }
}

/// Removes those private globals of a list that nothing loads any more, with their weights.
pub(super) fn erase_globals(program: Program, erased: &HashSet<String>, weights: &mut Vec<Weight>) {
    if erased.is_empty() {
        return;
    }
    let mut loaded = HashSet::new();
    for function in program.functions() {
        function.walk(&mut |op| {
            loaded.extend(op.attr("global").and_then(Attr::leaf_symbol));
        });
    }
    let mut gone = HashSet::new();
    let unused = |g: &ProgramGlobal| {
        let private = g.op.attr("sym_visibility").and_then(Attr::as_string).is_some_and(|v| v == "private");
        private && erased.contains(&g.name()) && !loaded.contains(&g.name())
    };
    for global in program.globals().into_iter().filter(unused) {
        gone.extend(global.parameter().map(|p| p.key));
        global.op.erase();
    }
    // Several globals may have one key.
    let kept: HashSet<String> = program.globals().into_iter().filter_map(|g| Some(g.parameter()?.key)).collect();
    weights.retain(|w| !gone.contains(&w.key) || kept.contains(&w.key));
}
