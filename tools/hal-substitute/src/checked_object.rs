//! Substitutes objects that have been checked.
use crate::workgroups::{count_function, count_of, set_count};
use halyard_diag::Diagnostic;
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Export, Launch, PackedWeight, Variant, VariantSpec, drop_source, written_arguments},
    names,
};
use halyard_objects::CodeArgument;
use halyard_runtime::TESTED_FEATURES;
use halyard_targets::Target;
use std::collections::BTreeSet;

/// Objects that have been checked, and where they come.
pub(crate) struct CheckedObjects {
    pub(crate) executable: Executable,
    /// The variant to replace, if it exists.
    pub(crate) variant: Option<Variant>,
    pub(crate) target: Target,
    /// The format and bytes of each object.
    pub(crate) objects: Vec<(&'static str, Vec<u8>)>,
    /// For a GPU: the features that its device must have, and the launch parameters of exports, by name.
    pub(crate) gpu: Option<(Vec<String>, Vec<(String, Launch)>)>,
    /// Workgroup counts that are asked for, by export.
    pub(crate) counts: Vec<(String, [u32; 3])>,
    /// Whether the source is dropped, because no code is generated from it.
    pub(crate) drop_source: bool,
    /// Functions that the objects take from plugins.
    pub(crate) imports: Vec<String>,
    /// The load-time constants of exports whose objects state them.
    pub(crate) load_constants: Vec<(String, Vec<String>)>,
    /// For a GPU: the arguments of exports whose code does not have the kernel ABI.
    pub(crate) arguments: Vec<(String, Vec<CodeArgument>)>,
    /// The weights that the exports that are given take packed.
    pub(crate) packed: Vec<(String, Vec<PackedWeight>)>,
    /// Remarks for the user.
    pub(crate) remarks: Vec<String>,
    /// Further remarks, for `-v`.
    pub(crate) details: Vec<String>,
    /// A warning about missing parts.
    pub(crate) warning: Option<Diagnostic>,
    /// The formats of the files, for messages.
    pub(crate) kinds: Vec<String>,
}

impl CheckedObjects {
    /// Returns the name of the replaced part, for messages.
    pub(crate) fn name(&self) -> String {
        match self.variant {
            Some(variant) => format!("{}/{}", self.executable.name(), variant.name()),
            None => self.executable.name(),
        }
    }

    /// Substitutes the objects.
    pub(crate) fn apply(self, session: &Session) {
        let executable = self.executable;
        let name = self.variant.map_or_else(|| free_name(executable, &self.target.variant_name()), Variant::name);
        let objects: Vec<(String, Attr)> = self
            .objects
            .iter()
            .map(|(format, bytes)| {
                let data = Variant::embed(session.raw(), &format!("{}_{name}", executable.name()), bytes);
                ((*format).to_owned(), data)
            })
            .collect();
        let variant = if let Some(variant) = self.variant {
            variant.set_objects(&objects);
            for export in variant.exports().into_iter().filter(|e| variant.workgroups(*e).is_none()) {
                if let Some(symbol) = count_of(variant, &export.name()).and_then(Op::symbol) {
                    export.op.set_attr(names::WORKGROUPS, Attr::symbol(session.raw(), &symbol));
                }
            }
            for (export, count) in &self.counts {
                if let Some(export) = variant.exports().into_iter().find(|e| e.name() == *export) {
                    set_count(variant, export, *count);
                }
            }
            variant
        } else {
            let count = |e: Export| self.counts.iter().find(|(name, _)| *name == e.name()).map_or([1; 3], |(_, c)| *c);
            let functions: Vec<Op> = executable
                .exports()
                .into_iter()
                .map(|e| count_function(e, &format!("{}_workgroups", e.name()), count(e)))
                .collect();
            let spec = VariantSpec { name: &name, target: self.target.attr(session), objects, launches: Vec::new() };
            let made = Variant::create(executable, &spec, &functions);
            // The features that the loader checks before it runs the object.
            if let Some(cpu) = self.target.cpu() {
                made.set_features(cpu.enabled().filter(|f| TESTED_FEATURES.contains(f)));
            }
            made
        };
        if let Some((features, launches)) = &self.gpu {
            variant.set_features(features.iter().map(String::as_str));
            for export in variant.exports() {
                if let Some((_, launch)) = launches.iter().find(|(name, _)| *name == export.name()) {
                    launch.set(export.op);
                }
            }
        }
        for (name, list) in &self.load_constants {
            let declared = variant.exports().into_iter().find(|e| e.name() == *name);
            if let Some(export) = declared.filter(|e| e.op.body().is_none()) {
                variant.set_load_constants(export, list);
            }
        }
        for (name, list) in &self.arguments {
            if let Some(export) = variant.exports().into_iter().find(|e| e.name() == *name) {
                export.op.set_attr(names::ARGUMENTS, written_arguments(session.raw(), export.op, list));
            }
        }
        for (name, list) in &self.packed {
            if let Some(export) = variant.exports().into_iter().find(|e| e.name() == *name) {
                PackedWeight::set(export.op, list);
            }
        }
        variant.set_imports(&self.imports);
        if self.drop_source {
            drop_source(executable);
        }
    }
}

fn free_name(executable: Executable, base: &str) -> String {
    let taken: BTreeSet<String> = executable.body().ops().into_iter().filter_map(|op| op.symbol()).collect();
    let numbered = (2..).map(|i| format!("{base}_{i}"));
    std::iter::once(base.to_owned()).chain(numbered).find(|n| !taken.contains(n)).expect("numbers do not end")
}
