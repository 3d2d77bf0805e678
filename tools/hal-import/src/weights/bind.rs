//! Binds the weights that an MLIR program lacks by name, from weights files.
use super::archive::{Weight, dtype_of};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Builder, Op, Session, Type, Value, dense_data,
    form::{Program, ProgramGlobal, WeightReference},
    names,
};
use halyard_tensors::{WantedWeight, WeightFiles};
use std::collections::{BTreeSet, HashMap};

/// Binds what has no data, and arguments whose names the files have:
///
/// - globals that are external and do not say where their data are, and mutable ones without a value: by `hal.name`, the key
///   of their `hal.parameter`, or their symbol;
/// - constants and globals whose resource is missing: by the name of the resource;
/// - arguments of public functions: by `hal.name`. They are no arguments any more.
///
/// Returns the data of the globals that hold them, which still need a place. Fails for every weight that the files
/// lack, or have with another type or shape.
pub fn bind(session: &Session, program: Program, files: &WeightFiles) -> Result<Vec<Weight>> {
    let top = program.op.body_ops();
    let mut binder = Binder {
        session,
        files,
        taken: top.iter().filter_map(|op| op.symbol()).collect(),
        known: HashMap::new(),
        weights: Vec::new(),
        keys: BTreeSet::new(),
        first: top.iter().copied().find(|op| op.is("func.func")),
        found: Vec::new(),
    };
    for global in program.globals() {
        binder.global(global);
    }
    let called = callees(program);
    for function in program.functions() {
        binder.constants(function);
        let public = function.attr("sym_visibility").and_then(Attr::as_string).is_none_or(|v| v == "public");
        if public {
            binder.arguments(function, &called);
        }
    }
    if binder.found.is_empty() { Ok(binder.weights) } else { Err(Error::many(binder.found)) }
}

fn callees(program: Program) -> BTreeSet<String> {
    let mut called = BTreeSet::new();
    program.op.walk(&mut |op| {
        if op.is("func.call") {
            called.extend(op.callee());
        }
    });
    called
}

struct Binder<'a> {
    session: &'a Session,
    files: &'a WeightFiles,
    /// The symbols of the program.
    taken: BTreeSet<String>,
    /// The globals by name and type.
    known: HashMap<(String, Type), ProgramGlobal>,
    weights: Vec<Weight>,
    /// The keys of the globals.
    keys: BTreeSet<String>,
    /// The operation before which new globals are inserted.
    first: Option<Op>,
    found: Vec<Diagnostic>,
}

impl Binder<'_> {
    /// Notes what is wrong, at an operation.
    fn fail(&mut self, op: Op, error: Error) {
        for d in error.diagnostics {
            self.found.push(match self.session.span(op) {
                Some(span) if d.primary.is_none() => d.at(span),
                _ => d,
            });
        }
    }

    /// The weight of a name for a type; `None` if there is none that fits, which is noted.
    fn take(&mut self, op: Op, name: &str, ty: Type) -> Option<Weight> {
        let dtype = ty.is_ranked_tensor().then(|| dtype_of(ty.element())).flatten();
        let Some(dtype) = dtype else {
            self.fail(
                op,
                Error::input(format!("weight `{name}` is a `{ty}`, which no weights file can hold"))
                    .code("wrong-weight"),
            );
            return None;
        };
        let shape = ty.shape().into_iter().map(|s| s.map(|s| s as usize)).collect();
        match self.files.take(name, &WantedWeight { dtype, shape }) {
            Ok(taken) => Some(Weight { key: name.to_owned(), dtype, shape: taken.shape, bytes: taken.bytes }),
            Err(error) => {
                self.fail(op, error);
                None
            }
        }
    }

    fn global(&mut self, global: ProgramGlobal) {
        let value = global.op.attr("value");
        let name = match value {
            Some(value) if value.is_resource() => match missing_resource(self.session, value) {
                Some(name) => name,
                None => return,
            },
            Some(_) if !global.is_external() => return,
            _ => {
                let parameter = global.parameter();
                if parameter.as_ref().is_some_and(|p| !p.archive.is_empty()) {
                    return;
                }
                let named = global.op.attr(names::NAME).and_then(Attr::as_string);
                named.or_else(|| parameter.map(|p| p.key)).unwrap_or_else(|| global.name())
            }
        };
        let Some(weight) = self.take(global.op, &name, global.ty()) else { return };
        let key = self.add(weight);
        global.set_external(&WeightReference { archive: String::new(), key, piece: None });
    }

    /// Adds data. Gives their key: names of the program are keys of one archive.
    fn add(&mut self, weight: Weight) -> String {
        let key = std::iter::once(weight.key.clone())
            .chain((1..).map(|i| format!("{}.{i}", weight.key)))
            .find(|k| self.keys.insert(k.clone()))
            .expect("numbers do not end");
        self.weights.push(Weight { key: key.clone(), ..weight });
        key
    }

    /// The global that holds a weight, made when it is first asked for.
    fn global_of(&mut self, op: Op, name: &str, ty: Type) -> Option<ProgramGlobal> {
        if let Some(global) = self.known.get(&(name.to_owned(), ty)) {
            return Some(*global);
        }
        let weight = self.take(op, name, ty)?;
        let letters: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') { c } else { '_' })
            .collect();
        let letters = if letters.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            letters
        } else {
            format!("_{letters}")
        };
        let symbol = std::iter::once(letters.clone())
            .chain((1..).map(|i| format!("{letters}_{i}")))
            .find(|s| self.taken.insert(s.clone()))
            .expect("numbers do not end");
        let shape = weight.shape.iter().map(|d| format!("{d}x")).collect::<String>();
        let ty_static = Type::parse(op.context(), &format!("tensor<{shape}{}>", ty.element()))?;
        let global = ProgramGlobal::create(op.loc(), &symbol, ty_static);
        let key = self.add(weight);
        global.set_parameter(&WeightReference { archive: String::new(), key, piece: None });
        let first = self.first?;
        first.block()?.insert_before(first, global.op);
        self.known.insert((name.to_owned(), ty), global);
        Some(global)
    }

    /// A load of a global at the start of a function, as a value of a type.
    fn load(function: Op, global: ProgramGlobal, ty: Type) -> Option<Value> {
        let first = *function.body()?.ops().first()?;
        let symbol = Attr::symbol(function.context(), &global.name());
        let loaded =
            Builder::before(first).value("ml_program.global_load_const", &[], global.ty(), &[("global", symbol)]);
        Some(match global.ty() == ty {
            true => loaded,
            false => Builder::before(first).value("tensor.cast", &[loaded], ty, &[]),
        })
    }

    fn constants(&mut self, function: Op) {
        let mut constants = Vec::new();
        function.walk(&mut |op| {
            if op.is("arith.constant") || op.is("tosa.const") {
                constants.push(op);
            }
        });
        for op in constants {
            let value = op.attr("value").or_else(|| op.attr("values"));
            let Some(name) = value.filter(|v| v.is_resource()).and_then(|v| missing_resource(self.session, v)) else {
                continue;
            };
            let ty = op.result(0).ty();
            let load = self.global_of(op, &name, ty).and_then(|global| Self::load(function, global, ty));
            if let Some(load) = load {
                op.result(0).replace_all_uses(load);
                op.erase();
            }
        }
    }

    fn arguments(&mut self, function: Op, called: &BTreeSet<String>) {
        let Some(ty) = function.attr("function_type").and_then(Attr::as_type) else { return };
        let attributes = function.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
        let name = |i: usize| {
            attributes.get(i).and_then(|d| d.get(names::NAME)).and_then(Attr::as_string).filter(|n| self.files.has(n))
        };
        let bound: Vec<(usize, String)> = (0..ty.inputs().len()).filter_map(|i| Some((i, name(i)?))).collect();
        let symbol = function.symbol().unwrap_or_default();
        if !bound.is_empty() && called.contains(&symbol) {
            let what = format!("arguments of `@{symbol}` are weights by their names, and other functions call it");
            self.fail(
                function,
                Error::input(what)
                    .code("unsupported")
                    .hint("make it private, and call it by a public function whose arguments have these names"),
            );
            return;
        }
        let Some(body) = function.body() else { return };
        for (i, name) in bound.iter().rev() {
            let ty = ty.inputs()[*i];
            let load = self.global_of(function, name, ty).and_then(|global| Self::load(function, global, ty));
            let Some(load) = load else { return };
            body.args()[*i].replace_all_uses(load);
            body.erase_arg(*i);
        }
        let context = function.context();
        let stays = |i: &usize| !bound.iter().any(|(b, _)| b == i);
        let inputs: Vec<Type> = (0..ty.inputs().len()).filter(stays).map(|i| ty.inputs()[i]).collect();
        function.set_attr("function_type", Attr::ty(Type::function(context, &inputs, &ty.results())));
        if !attributes.is_empty() {
            let kept: Vec<Attr> = (0..attributes.len()).filter(stays).map(|i| attributes[i]).collect();
            function.set_attr("arg_attrs", Attr::array(context, &kept));
        }
    }
}

/// The name of a resource that has no data.
fn missing_resource(session: &Session, value: Attr) -> Option<String> {
    if dense_data(session, value).is_some() {
        return None;
    }
    // `dense_resource<name> : type`
    let text = value.to_string();
    let name = text.strip_prefix("dense_resource<")?.split_once("> : ")?.0;
    Some(name.trim_matches('"').to_owned())
}
