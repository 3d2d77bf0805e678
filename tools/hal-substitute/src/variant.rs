//! Substitutes objects: replaces those of a variant, or adds a variant to an executable that has none.
use crate::{
    Variants,
    checked_object::CheckedObjects,
    files::Reader,
    gpu,
    object::{self, Objects},
    problems::Problems,
    request::Request,
    select::{check_export, target, variants},
    settings::VariantSettings,
    workgroups::{count_of, counts},
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{Executable, Export, ObjectData, Phase, Variant, load_constants},
};
use halyard_objects::{FileFormat, Library, ObjectFile, inspect, weaken};
use halyard_targets::Target;
use std::{collections::BTreeSet, path::Path};

/// Checks the objects that come into one executable; the requests are all for it. Errors: unknown variants and exports;
/// what the objects lack.
pub(crate) fn prepare(
    requests: &[&Request],
    settings: &VariantSettings<'_>,
    reader: &mut Reader<'_>,
) -> Result<Vec<CheckedObjects>> {
    let executable = requests[0].executable;
    let mut problems = Problems::default();
    let mut places: Vec<(Option<Variant>, Vec<&Request>)> = Vec::new();
    for &request in requests {
        problems.take(check_export(executable, &request.name));
        for place in problems.take(variants(executable, request)).unwrap_or_default() {
            let name = |v: &Option<Variant>| v.map(Variant::name);
            match places.iter_mut().find(|(known, _)| name(known) == name(&place)) {
                Some((_, list)) => list.push(request),
                None => places.push((place, vec![request])),
            }
        }
    }
    let mut placed = Vec::new();
    for (variant, requests) in places {
        placed.extend(problems.take(place(executable, variant, &requests, settings, reader)));
    }
    problems.finish().map(|()| placed)
}

fn place(
    executable: Executable,
    variant: Option<Variant>,
    requests: &[&Request],
    settings: &VariantSettings<'_>,
    reader: &mut Reader<'_>,
) -> Result<CheckedObjects> {
    let target = match target(executable, variant, requests, settings)? {
        Target::Cpu(cpu) => cpu,
        gpu => return gpu::place(executable, variant, requests, settings, gpu),
    };
    let mut all = Objects::default();
    let exports: Vec<String> = executable.interface_exports().iter().map(|e| e.name()).collect();
    let mut given: Vec<String> = Vec::new();
    for request in requests {
        let wanted = request.name.export.as_ref().map_or_else(|| exports.clone(), |e| vec![e.clone()]);
        let meant: Vec<Export> =
            executable.interface_exports().into_iter().filter(|e| wanted.contains(&e.name())).collect();
        // The load-time constants of the variant are used, not those of the source.
        let declared = |e: Export| variant.and_then(|v| v.exports().into_iter().find(|d| d.name() == e.name()));
        let meant: Vec<Export> = meant.into_iter().map(|e| declared(e).unwrap_or(e)).collect();
        let mut loaded = object::load(&request.files, &meant, &target, settings.others)?;
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
    let counts = counts(executable, variant, &given, settings, &mut remarks, &mut details);
    // Without a variant's name the object is all that the executable is from now on.
    let whole =
        requests.iter().any(|r| r.name.variants != Variants::One(variant.map_or_else(String::new, Variant::name)));
    let drop_source = settings.phase == Phase::Executables && whole && !executable.exports().is_empty();
    if variant.is_none() {
        let beyond = if settings.targets.is_empty() { "; `--target=cpu:CHIP` says what else it needs" } else { "" };
        remarks.insert(0, format!("becomes a variant for `{target}`{beyond}"));
    }
    let files: BTreeSet<&String> = requests.iter().flat_map(|r| &r.files).map(|f| &f.name).collect();
    for file in files {
        let owner = format!("`{file}`");
        let also = settings.others.defined_by(all.objects.iter().filter(|o| o.owner.starts_with(&owner)), file);
        if !also.is_empty() {
            let also: Vec<_> = also.iter().map(|name| format!("`{name}`")).collect();
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
    let packed =
        given.iter().map(|export| Ok((export.clone(), all.packed_weights(export)?))).collect::<Result<Vec<_>>>()?;
    for (export, list) in packed.iter().filter(|(_, list)| !list.is_empty()) {
        let list: Vec<String> =
            list.iter().map(|p| format!("argument {} as `{}`", p.argument, p.layout.name())).collect();
        details.push(format!("`{export}` takes {} packed", list.join(", ")));
    }
    let said = |export: &String| Some((export.clone(), all.load_constants(export)?.clone()));
    let load_constants: Vec<_> = given.iter().filter_map(said).collect();
    for (export, list) in &load_constants {
        check_load_constants(variant, export, list, counts.iter().any(|(name, _)| name == export))?;
        details.push(format!("`{export}` takes {} of the device", list.join(", ")));
    }
    Ok(CheckedObjects {
        executable,
        variant,
        target: Target::Cpu(target),
        objects: all.objects.into_iter().map(|o| ("elf", o.bytes)).collect(),
        gpu: None,
        counts,
        drop_source,
        remarks,
        details,
        imports,
        load_constants,
        arguments: Vec::new(),
        packed,
        warning,
        kinds,
    })
}

/// Fails if an export cannot use these load-time constants, because the rest of its code, or the workgroup count that
/// it keeps, uses others.
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
        if FileFormat::of(&bytes) == FileFormat::Archive {
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
