//! Brings a model into the form that fast kernels want, before executables are formed: convolutions whose weights are known
//! are written with these weights transformed and packed.
//!
//! What comes out are upstream operations like everything else: whoever cannot make a good kernel of them can still make
//! a right one.
mod filter;
mod packed;
mod site;
mod taps;
mod winograd;

use crate::weights::Weight;
use halyard_ir::{
    Attr, Op, Type, Value,
    form::{Program, ProgramGlobal, WeightReference},
};
use site::{Site, is_zero, sizes};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How the model's layout may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Layout {
    /// Let the compiler choose
    #[default]
    Auto,
    /// Keep the model's layout, for hand-written kernels
    Source,
}

/// Optimisations that reduce accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LayoutFastMath {
    /// Compute 3×3 convolutions in winograd tiles of 4×4 outputs: ten times the rounding error, still below 1e-5
    Winograd,
}

/// Rewrites a program in phase `input` whose weights are `data`; transformed weights are added, those that nothing uses
/// any more go. Larger tiles are faster and less exact, see [`LayoutFastMath`].
pub(crate) fn choose(program: Program, data: &mut Vec<Weight>, larger_tiles: bool) {
    let mut weights = Weights { globals: BTreeMap::new(), data: HashMap::new(), taken: BTreeSet::new() };
    for global in program.globals() {
        weights.taken.insert(global.name());
        if let Some(parameter) = global.parameter().filter(|p| p.archive.is_empty() && global.is_external()) {
            weights.globals.insert(global.name(), (global, parameter));
        }
    }
    weights.taken.extend(program.functions().into_iter().filter_map(|f| f.symbol()));
    weights.data = data.iter().enumerate().map(|(i, w)| (w.key.clone(), i)).collect();
    let mut convolutions = Vec::new();
    for function in program.functions() {
        function.walk(&mut |op| {
            if op.is("linalg.conv_2d_nchw_fchw") {
                convolutions.push(op);
            }
        });
    }
    for op in convolutions {
        let floats = |weights: &mut Weights, data: &mut Vec<Weight>| {
            winograd::rewrite(op, weights, data, larger_tiles).or_else(|| packed::rewrite(op, weights, data))
        };
        if floats(&mut weights, data).is_none() {
            taps::rewrite(op, &mut weights, data);
        }
    }
    weights.forget_unused(program, data);
}

/// The weights of a program that are known now.
struct Weights {
    /// The globals that hold them, by name.
    globals: BTreeMap<String, (ProgramGlobal, WeightReference)>,
    /// The position of each in the data, by key.
    data: HashMap<String, usize>,
    /// The symbols of the program, in which keys and names are unique.
    taken: BTreeSet<String>,
}

impl Weights {
    /// The global that a value is loaded from and the position of its data.
    fn of(&self, value: Value) -> Option<(ProgramGlobal, usize)> {
        let load = value.def().filter(|d| d.is("ml_program.global_load_const"))?;
        let name = load.attr("global")?.to_string();
        let (global, parameter) = self.globals.get(name.trim_start_matches('@').trim_matches('"'))?;
        Some((*global, *self.data.get(&parameter.key)?))
    }

    /// Adds another form of a weight: `key.what`, once.
    fn add(
        &mut self,
        of: ProgramGlobal,
        what: &str,
        ty: Type,
        data: &mut Vec<Weight>,
        make: impl FnOnce(&Weight) -> Weight,
    ) -> ProgramGlobal {
        let (_, parameter) = &self.globals[&of.name()];
        let key = format!("{}.{what}", parameter.key);
        let name = format!("{}_{what}", of.name());
        if let Some((global, known)) = self.globals.get(&name)
            && known.key == key
        {
            return *global;
        }
        let weight = make(&data[self.data[&parameter.key]]);
        let name = std::iter::once(name.clone())
            .chain((1..).map(|i| format!("{name}_{i}")))
            .find(|n| !self.taken.contains(n))
            .expect("there are endless numbers");
        let key = if self.data.contains_key(&key) { format!("{key}.{name}") } else { key };
        let global = ProgramGlobal::create(of.op.loc(), &name, ty);
        let parameter = WeightReference { archive: String::new(), key: key.clone(), piece: None };
        global.set_parameter(&parameter);
        of.op.block().expect("a global is in a module").insert_before(of.op, global.op);
        self.taken.insert(name.clone());
        self.data.insert(key.clone(), data.len());
        self.globals.insert(name, (global, parameter));
        data.push(Weight { key, ..weight });
        global
    }

    /// Drops globals that only the rewritten operations used, and their data.
    fn forget_unused(&self, program: Program, data: &mut Vec<Weight>) {
        let mut used = BTreeSet::new();
        program.op.walk(&mut |op| {
            let name = |a: Attr| a.to_string().trim_start_matches('@').trim_matches('"').to_owned();
            if op.name().starts_with("ml_program.global_") {
                if op.is("ml_program.global_load_const") && !op.has_uses() {
                    return;
                }
                used.extend(op.attr("global").map(name));
            }
        });
        let mut dead: Vec<Op> = Vec::new();
        program.op.walk(&mut |op| {
            if op.is("ml_program.global_load_const") && !op.has_uses() {
                dead.push(op);
            }
        });
        dead.into_iter().for_each(Op::erase);
        let mut gone = BTreeSet::new();
        for (name, (global, parameter)) in &self.globals {
            if !used.contains(name) {
                gone.insert(parameter.key.clone());
                global.op.erase();
            }
        }
        data.retain(|w| !gone.contains(&w.key));
    }
}
