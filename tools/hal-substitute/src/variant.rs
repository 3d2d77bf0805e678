//! Objects in place: new ones in a variant, or a variant for an executable that has none.
use crate::{
    Variants, Workgroups,
    files::Reader,
    object::{self, Objects, Others},
    problems::Problems,
    request::Request,
    select::{check_export, target, variants},
    workgroups::{count_function, count_of, counts, set_count},
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Export, ObjectData, Phase, Variant, VariantSpec, load_constants},
    names,
};
use halyard_objects::{Kind, Library, ObjectFile, inspect, weaken};
use halyard_runtime::TESTED_FEATURES;
use halyard_targets::{CpuTarget, Target};
use std::{collections::BTreeSet, path::Path};

/// Objects that have been checked, and where they come.
pub(crate) struct Placed {
    executable: Executable,
    /// Where there is a variant already.
    variant: Option<Variant>,
    target: CpuTarget,
    objects: Vec<ObjectFile>,
    /// Workgroup counts that are asked for, by export.
    counts: Vec<(String, [u32; 3])>,
    /// Whether the source goes: nothing is to be generated from it.
    drop_source: bool,
    /// Functions that the objects take from plugins.
    imports: Vec<String>,
    /// What exports take of the device, where the objects say.
    load_constants: Vec<(String, Vec<String>)>,
    /// For people.
    pub(crate) remarks: Vec<String>,
    /// For people who ask.
    pub(crate) details: Vec<String>,
    /// What is missing so far.
    pub(crate) warning: Option<Diagnostic>,
    /// What the files are.
    pub(crate) kinds: Vec<String>,
}

/// What the command line says about all objects.
pub(crate) struct Wishes<'a> {
    pub(crate) phase: Phase,
    /// The targets of the program, as far as they are said.
    pub(crate) targets: &'a [Target],
    pub(crate) workgroups: &'a [Workgroups],
    /// For each file: the kernels of the program that it does not replace.
    pub(crate) others: &'a Others,
}

/// Checks the objects that come into one executable; the requests are all for it. Errors: unknown variants and exports;
/// what the objects lack.
pub(crate) fn prepare(requests: &[&Request], wishes: &Wishes<'_>, reader: &mut Reader<'_>) -> Result<Vec<Placed>> {
    let executable = requests[0].executable;
    let mut problems = Problems::default();
    let mut places: Vec<(Option<Variant>, Vec<&Request>)> = Vec::new();
    for &request in requests {
        problems.take(check_export(executable, &request.name));
        for place in problems.take(variants(executable, &request.name)).unwrap_or_default() {
            let name = |v: &Option<Variant>| v.map(Variant::name);
            match places.iter_mut().find(|(known, _)| name(known) == name(&place)) {
                Some((_, list)) => list.push(request),
                None => places.push((place, vec![request])),
            }
        }
    }
    let mut placed = Vec::new();
    for (variant, requests) in places {
        placed.extend(problems.take(place(executable, variant, &requests, wishes, reader)));
    }
    problems.finish().map(|()| placed)
}

fn place(
    executable: Executable,
    variant: Option<Variant>,
    requests: &[&Request],
    wishes: &Wishes<'_>,
    reader: &mut Reader<'_>,
) -> Result<Placed> {
    let target = target(executable, variant, requests, wishes)?;
    let mut all = Objects::default();
    let exports: Vec<String> = executable.interface_exports().iter().map(|e| e.name()).collect();
    let mut given: Vec<String> = Vec::new();
    for request in requests {
        let wanted = request.name.export.as_ref().map_or_else(|| exports.clone(), |e| vec![e.clone()]);
        let meant: Vec<Export> =
            executable.interface_exports().into_iter().filter(|e| wanted.contains(&e.name())).collect();
        // What the variant says of the device counts, and not the source.
        let declared = |e: Export| variant.and_then(|v| v.exports().into_iter().find(|d| d.name() == e.name()));
        let meant: Vec<Export> = meant.into_iter().map(|e| declared(e).unwrap_or(e)).collect();
        let mut loaded = object::load(&request.files, &meant, &target, wishes.others)?;
        loaded.complete(&wanted, &format!("`{}`", request.shown()))?;
        given.extend(wanted);
        all.join(loaded);
    }
    let rest: Vec<&String> = exports.iter().filter(|e| !given.contains(e)).collect();
    if let (Some(first), None) = (rest.first(), variant) {
        return Err(Error::input(format!(
            "nothing is given for export `{first}` of executable `{}`",
            executable.name()
        ))
        .code("missing-kernel")
        .note("an executable that gets objects before `hal-translate` is not translated")
        .hint("give objects for all exports, or replace the one export after `hal-translate`"));
    }
    if let (false, Some(variant)) = (rest.is_empty(), variant) {
        all.objects.extend(others(variant, &given, &rest, reader)?);
    }
    all.complete(&exports, &format!("the objects of `{}`", executable.name()))?;
    let (mut remarks, mut details) = (Vec::new(), Vec::new());
    let counts = counts(executable, variant, &given, wishes, &mut remarks, &mut details);
    // Without a variant's name the object is all that the executable is from now on.
    let whole =
        requests.iter().any(|r| r.name.variants != Variants::One(variant.map_or_else(String::new, Variant::name)));
    let drop_source = wishes.phase == Phase::Executables && whole && !executable.exports().is_empty();
    if variant.is_none() {
        let beyond = if wishes.targets.is_empty() { "; `--target=cpu:CHIP` says what else it needs" } else { "" };
        remarks.insert(0, format!("becomes a variant for `{target}`{beyond}"));
    }
    for (file, others) in
        wishes.others.iter().filter(|(file, _)| requests.iter().any(|r| r.files.iter().any(|f| f.name == **file)))
    {
        let owner = format!("`{file}`");
        let defines =
            |name: &&String| all.objects.iter().any(|o| o.owner.starts_with(&owner) && o.defined.contains_key(*name));
        let also: Vec<_> = others.iter().filter(defines).map(|name| format!("`{name}`")).collect();
        if !also.is_empty() {
            details.push(format!("{owner} also defines {}, which keep their code", also.join(", ")));
        }
    }
    for plugin in &all.plugins {
        remarks.push(format!("its code stays in `{plugin}`: `hal-run --executable-plugin={plugin}` runs it"));
    }
    let mut imports = std::mem::take(&mut all.imports);
    // New objects may call what the old ones did.
    imports.extend(variant.map(Variant::imports).into_iter().flatten());
    imports.sort();
    imports.dedup();
    let warning = all.undefined(&executable.name(), &imports);
    let kinds = std::mem::take(&mut all.kinds);
    let said = |export: &String| Some((export.clone(), all.load_constants(export)?.clone()));
    let load_constants: Vec<_> = given.iter().filter_map(said).collect();
    for (export, list) in &load_constants {
        check_load_constants(variant, export, list, counts.iter().any(|(name, _)| name == export))?;
        details.push(format!("`{export}` takes {} of the device", list.join(", ")));
    }
    Ok(Placed {
        executable,
        variant,
        target,
        objects: all.objects,
        counts,
        drop_source,
        remarks,
        details,
        imports,
        load_constants,
        warning,
        kinds,
    })
}

/// Fails if an export cannot take these properties of the device: code of its own says others, or the workgroup count that
/// it keeps is computed from others.
fn check_load_constants(variant: Option<Variant>, export: &str, list: &[String], counted: bool) -> Result<()> {
    let declared = variant.and_then(|v| v.exports().into_iter().find(|e| e.name() == export).map(|e| (v, e)));
    let Some((variant, declared)) = declared else { return Ok(()) };
    let old = load_constants(declared.op);
    let text = |list: &[String]| if list.is_empty() { "none".into() } else { list.join(", ") };
    let error = |what: &str| {
        Error::input(format!("`{export}` takes {} of the device, {what} {}", text(list), text(&old)))
            .code("interface-changed")
    };
    if declared.op.body().is_some() && old != list {
        return Err(error("the code in its variant").hint("replace the variant as a whole, by MLIR"));
    }
    let uses_old = || {
        let count = count_of(variant, export).and_then(Op::body);
        count.is_some_and(|body| body.args().iter().rev().take(old.len()).any(|a| a.has_uses()))
    };
    if !counted && !list.starts_with(&old) && uses_old() {
        return Err(
            error("its workgroup count is computed from").hint("give it another one: `--workgroups=NAME=X,Y,Z`")
        );
    }
    Ok(())
}

/// The objects of a variant that keeps some exports: the others become weak, so that the new ones take precedence.
fn others(variant: Variant, given: &[String], keep: &[&String], reader: &mut Reader<'_>) -> Result<Vec<ObjectFile>> {
    let owner = format!("variant `{}`", variant.name());
    let mut objects: Vec<ObjectFile> = Vec::new();
    let mut library = Library::default();
    for (i, object) in variant.objects()?.into_iter().enumerate() {
        let bytes = match object.data {
            ObjectData::Embedded(bytes) => bytes,
            ObjectData::Path { path, hash } => {
                let file = reader.read(Path::new(&path))?;
                let is = blake3::hash(&file.bytes).to_hex();
                if hash.is_some_and(|h| *h != *is) {
                    return Err(Error::input(format!(
                        "`{}` is not the object that {owner} names: its hash is `{is}`",
                        file.name
                    ))
                    .code("wrong-object"));
                }
                file.bytes.to_vec()
            }
        };
        if Kind::of(&bytes) == Kind::Archive {
            library.add(&bytes, &format!("old.{i}"), &owner)?;
        } else {
            objects.push(inspect(bytes, format!("old.{i}.o"), owner.clone())?);
        }
    }
    for export in keep {
        if !objects.iter().any(|o| o.defined.contains_key(*export)) {
            objects.extend(library.take_defining(export));
        }
    }
    library.resolve(&mut objects);
    objects.into_iter().map(|o| weaken(o, given)).collect()
}

impl Placed {
    /// What is replaced, for people.
    pub(crate) fn name(&self) -> String {
        match self.variant {
            Some(variant) => format!("{}/{}", self.executable.name(), variant.name()),
            None => self.executable.name(),
        }
    }

    /// Puts the objects in place.
    pub(crate) fn apply(self, session: &Session) {
        let executable = self.executable;
        let name = self.variant.map_or_else(|| free_name(executable, &self.target.variant_name()), Variant::name);
        let objects: Vec<(String, Attr)> = self
            .objects
            .iter()
            .map(|o| {
                ("elf".to_owned(), Variant::embed(session.raw(), &format!("{}_{name}", executable.name()), &o.bytes))
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
            // What the loader must find before it runs the object.
            made.set_features(self.target.enabled().filter(|f| TESTED_FEATURES.contains(f)));
            made
        };
        for (name, list) in &self.load_constants {
            let declared = variant.exports().into_iter().find(|e| e.name() == *name);
            if let Some(export) = declared.filter(|e| e.op.body().is_none()) {
                variant.set_load_constants(export, list);
            }
        }
        variant.set_imports(&self.imports);
        if self.drop_source {
            executable.body().ops().into_iter().filter(|&op| Variant::view(op).is_none()).for_each(|op| op.erase());
        }
    }
}

fn free_name(executable: Executable, base: &str) -> String {
    let taken: BTreeSet<String> = executable.body().ops().into_iter().filter_map(|op| op.symbol()).collect();
    let numbered = (2..).map(|i| format!("{base}_{i}"));
    std::iter::once(base.to_owned()).chain(numbered).find(|n| !taken.contains(n)).expect("numbers do not end")
}
