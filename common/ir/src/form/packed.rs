//! Weights as arguments: the arguments of an export that are constants, and the layouts that a variant accepts.
//!
//! ```text
//! func.func @conv(%x: tensor<1x16x14x14xf32>, %w: tensor<32x16x3x3xf32> {hal.weight}) -> … attributes {hal.export}
//! ```
//! A variant for CPUs may accept the weight packed; the type of its export remains that of the interface:
//! ```text
//! func.func private @conv(…) -> … attributes {hal.export, hal.packed = [{argument = 1 : i32, layout = "winograd2"}], …}
//! ```
//! `hal-link` packs the weight once for each layout, and the loader binds the form that the chosen variant needs.
use super::{Executable, Export, Interface, Program, Variant, is_lowered};
use crate::{Attr, Op, Type, Value, WeightLayout, names};
use std::collections::{BTreeMap, BTreeSet};

/// An argument that a variant takes in another layout than the model's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackedWeight {
    /// The position of the argument.
    pub argument: usize,
    /// The layout of the weight.
    pub layout: WeightLayout,
}

impl PackedWeight {
    /// An argument in the layout of that name. Errors: there is no such layout.
    pub fn named(argument: usize, layout: &str) -> Result<Self, String> {
        WeightLayout::of_name(layout).map(|layout| Self { argument, layout })
    }

    /// Returns the packed weights of an export. Fails if [`names::PACKED`] is malformed.
    pub fn of(export: Op) -> Result<Vec<Self>, String> {
        let Some(attr) = export.attr(names::PACKED) else { return Ok(Vec::new()) };
        let like = "like `[{argument = 1 : i32, layout = \"winograd2\"}]`";
        let list = attr.as_array().ok_or_else(|| format!("it is `{attr}`, not a list {like}"))?;
        let mut found: Vec<Self> = Vec::new();
        for item in list {
            let argument = item.get("argument").and_then(Attr::as_int).and_then(|n| usize::try_from(n).ok());
            let layout = item.get("layout").and_then(Attr::as_string);
            let (Some(argument), Some(layout)) = (argument, layout) else {
                return Err(format!("`{item}` does not say `argument` and `layout`, {like}"));
            };
            if found.iter().any(|p| p.argument == argument) {
                return Err(format!("argument {argument} has two layouts"));
            }
            found.push(Self::named(argument, &layout)?);
        }
        Ok(found)
    }

    /// Sets the packed arguments of an export; removes the attribute if there are none.
    pub fn set(export: Op, list: &[Self]) {
        let context = export.context();
        let item = |p: &Self| {
            let argument = Attr::integer(Type::integer(context, 32), p.argument as i64);
            let layout = Attr::string(context, p.layout.name());
            Attr::dict(context, &[("argument", argument), ("layout", layout)])
        };
        match list {
            [] => drop(export.remove_attr(names::PACKED)),
            _ => export.set_attr(names::PACKED, Attr::array(context, &list.iter().map(item).collect::<Vec<_>>())),
        }
    }
}

impl Export {
    /// Whether an argument is a weight: the same constant in each call, see [`names::WEIGHT`].
    pub fn is_weight(self, argument: usize) -> bool {
        let attrs = self.op.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
        attrs.get(argument).is_some_and(|a| a.get(names::WEIGHT).is_some())
    }

    /// Marks or unmarks an argument as a weight. Lowered exports have no marks.
    pub fn set_weight(self, argument: usize, is: bool) {
        let (context, count) = (self.op.context(), self.signature().inputs().len());
        let mut attrs = self.op.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
        attrs.resize(count, Attr::dict(context, &[]));
        let unit = Attr::unit(context);
        let mut items = attrs[argument].as_dict().unwrap_or_default();
        items.retain(|(name, _)| name != names::WEIGHT);
        items.extend(is.then(|| (names::WEIGHT.to_owned(), unit)));
        let items: Vec<(&str, Attr)> = items.iter().map(|(name, value)| (&**name, *value)).collect();
        attrs[argument] = Attr::dict(context, &items);
        if attrs.iter().all(|a| a.as_dict().is_none_or(|d| d.is_empty())) {
            self.op.remove_attr("arg_attrs");
        } else {
            self.op.set_attr("arg_attrs", Attr::array(context, &attrs));
        }
    }

    /// Returns the positions of the arguments that are weights.
    pub fn weights(self) -> Vec<usize> {
        let count = if is_lowered(self.op) { 0 } else { self.signature().inputs().len() };
        (0..count).filter(|&i| self.is_weight(i)).collect()
    }
}

/// The global whose value an operand of the host program is, perhaps in another shape; `None` unless it is a constant one.
pub fn weight_of(program: &BTreeMap<String, super::ProgramGlobal>, value: Value) -> Option<super::ProgramGlobal> {
    let mut load = value.def()?;
    while load.is("tensor.expand_shape") || load.is("tensor.collapse_shape") {
        load = load.operand(0).def()?;
    }
    if !load.is("ml_program.global_load_const") {
        return None;
    }
    let name = load.attr("global").and_then(Attr::leaf_symbol)?;
    program.get(&name).copied().filter(|g| !g.is_mutable())
}

/// The calls of each entry in the host program, by its name.
pub fn calls_of_entries(program: Program) -> BTreeMap<String, Vec<Op>> {
    let mut calls: BTreeMap<String, Vec<Op>> = program.entries().into_iter().map(|e| (e.name(), Vec::new())).collect();
    for function in program.functions() {
        function.walk(&mut |op| {
            if op.is("func.call")
                && let Some(list) = op.callee().and_then(|name| calls.get_mut(&name))
            {
                list.push(op);
            }
        });
    }
    calls
}

/// Checks that the arguments that are weights, or that variants take packed, are constants in all calls.
pub(super) fn verify_weights(program: Program, say: &mut dyn FnMut(Op, String)) {
    let by_name = program.executables_by_name();
    let mut constant: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for entry in program.entries() {
        let Ok((executable, export)) = entry.target() else { continue };
        let Some(executable) = by_name.get(&executable) else { continue };
        let of = |exports: Vec<Export>| exports.into_iter().find(|e| e.name() == export);
        let mut arguments: BTreeSet<usize> =
            of(executable.exports()).map(Export::weights).into_iter().flatten().collect();
        for declared in executable.variants().into_iter().filter_map(|v| of(v.exports())) {
            arguments.extend(PackedWeight::of(declared.op).unwrap_or_default().into_iter().map(|p| p.argument));
        }
        if !arguments.is_empty() {
            constant.insert(entry.name(), arguments);
        }
    }
    if constant.is_empty() {
        return;
    }
    let globals = program.globals().into_iter().map(|g| (g.name(), g)).collect();
    let calls = calls_of_entries(program);
    for (entry, arguments) in constant {
        for call in &calls[&entry] {
            let wrong =
                arguments.iter().find(|&&i| i < call.operand_count() && weight_of(&globals, call.operand(i)).is_none());
            if let Some(i) = wrong {
                let message = format!(
                    "argument {i} of `@{entry}` is a weight (`{}`), and this call does not pass the value of a constant global",
                    names::WEIGHT
                );
                say(*call, message);
            }
        }
    }
}

/// Checks the marks on the arguments of a function, and that only exports have any.
pub(super) fn verify_marks(function: Op, say: &mut dyn FnMut(Op, String)) {
    let attrs = function.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
    for (i, _) in attrs.iter().enumerate().filter(|(_, a)| a.get(names::WEIGHT).is_some()) {
        let name = function.symbol().unwrap_or_default();
        if !function.has_attr(names::EXPORT) {
            say(function, format!("argument {i} of `@{name}` has `{}`, and the function is no export", names::WEIGHT));
            continue;
        }
        let ty = (Export { op: function }).signature().inputs().get(i).copied();
        if let Some(ty) = ty.filter(|t| !t.is_ranked_tensor() || !t.is_static()) {
            say(
                function,
                format!(
                    "argument {i} of `@{name}` has `{}` and type `{ty}`; a weight is a tensor of known sizes",
                    names::WEIGHT
                ),
            );
        }
    }
}

/// Checks which arguments the exports of a variant take packed.
pub(super) fn verify_packed(executable: Executable, variant: Variant, say: &mut dyn FnMut(Op, String)) {
    let sources = executable.exports();
    for export in variant.exports().into_iter().filter(|e| e.op.has_attr(names::PACKED)) {
        let at = format!(
            "`{}` of export `@{}` of variant `@{}::@{}`",
            names::PACKED,
            export.name(),
            executable.name(),
            variant.name()
        );
        if export.op.body().is_some() && !is_lowered(export.op) {
            say(export.op, format!("{at}: its body is on tensors, and takes arguments as the model has them"));
            continue;
        }
        let list = match PackedWeight::of(export.op) {
            Ok(list) => list,
            Err(why) => {
                say(export.op, format!("{at}: {why}"));
                continue;
            }
        };
        let interface = Interface::of(export.op);
        for packed in list {
            let (i, layout) = (packed.argument, packed.layout.name());
            let Some(ty) = interface.inputs.get(i).filter(|t| t.is_ranked_tensor()) else {
                say(export.op, format!("{at}: argument {i} is no tensor argument"));
                continue;
            };
            if packed.type_of(*ty).is_none() {
                say(export.op, format!("{at}: layout `{layout}` is not for argument {i} of type `{ty}`"));
            } else if interface.tied.contains(&Some(i)) {
                say(export.op, format!("{at}: argument {i} is written, and no weight"));
            } else if sources.iter().any(|s| s.name() == export.name() && !is_lowered(s.op) && !s.is_weight(i)) {
                say(export.op, format!("{at}: argument {i} of the source is no weight (`{}`)", names::WEIGHT));
            }
        }
    }
}

impl PackedWeight {
    /// The type of the packed argument, whose model has one. `None` if the layout is not for it.
    pub fn type_of(self, model: Type) -> Option<Type> {
        let shape: Option<Vec<u64>> = model.shape().into_iter().map(|d| u64::try_from(d?).ok()).collect();
        let element = model.element().to_string();
        let packed = self.layout.packed_shape(&shape?, &element)?;
        let shape: Option<Vec<Option<i64>>> = packed.into_iter().map(|d| i64::try_from(d).ok().map(Some)).collect();
        let element = Type::parse(model.context(), self.layout.packed_element(&element))?;
        Some(Type::tensor(&shape?, element))
    }
}
