//! Makes variants from the source of an executable, or completes those that contain code.
//!
//! A tool may lower an executable for one target further than for others: a variant then holds exports with bodies, at
//! any level, and no objects. The rest of the lowering is done for the target that the variant names.
use crate::{
    Translation, called,
    job::{self, Done, Member},
    target::{Target, target_attributes},
    targets::holds_kernel,
};
use halyard_diag::{Error, Result, either};
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Export, PackedWeight, Variant, VariantSpec, fingerprint, is_lowered},
    names,
};
use halyard_runtime::TESTED_FEATURES;
use std::collections::BTreeSet;

/// The variants of an executable that have code, but no objects, with their targets. Errors: a variant with neither; one
/// of a target that code cannot be generated for; an object that is damaged.
pub(crate) fn unfinished(session: &Session, executable: Executable) -> Result<Vec<(Variant, Target)>> {
    let mut found = Vec::new();
    for variant in executable.variants() {
        let name = format!("variant `@{}::@{}`", executable.name(), variant.name());
        let place = |error: Error| error.at(session.span(variant.op).or_else(|| session.span(executable.op)));
        if !variant.objects().map_err(place)?.is_empty() {
            continue;
        }
        let (with, without): (Vec<Export>, Vec<Export>) =
            variant.exports().into_iter().partition(|e| has_code(variant.op, *e));
        if with.is_empty() {
            return Err(place(Error::input(format!("{name} has no objects")).code("no-objects").hint(
                "give it objects or code, or leave it out: `hal-translate` creates variants from the source of the executable",
            )));
        }
        if let Some(bare) = without.first() {
            return Err(place(
                Error::input(format!("{name} has no objects, and its export `@{}` has no body", bare.name()))
                    .code("no-objects"),
            ));
        }
        let target = variant.target().and_then(Target::of_attr).ok_or_else(|| {
            let target = variant.target().map_or_else(|| "no target".into(), |t| format!("`{t}`"));
            place(
                Error::input(format!("{name} has code for {target}, which `hal-translate` cannot generate code for"))
                    .code("bad-target")
                    .hint(format!("give it objects, or a target that is known: {}", either(&target_attributes()))),
            )
        })?;
        found.push((variant, target));
    }
    Ok(found)
}

/// The targets for which an executable has no variant yet, as indices. Those that it has, have objects or code.
pub(crate) fn wanted(session: &Session, executable: Executable, translation: &Translation) -> Vec<usize> {
    let variants = executable.variants();
    // No source: these variants are all that there will ever be, whatever chip they were made for.
    let given = executable.exports().iter().all(|e| e.op.body().is_none());
    let has = |target: &Target| {
        let attr = target.attr(session);
        let fits = |v: &Variant| {
            let of = v.target().and_then(Target::of_attr);
            v.target() == Some(attr) || (given && of.is_some_and(|of| of.is_alike(target)))
        };
        variants.iter().any(fits)
    };
    (0..translation.targets.len()).filter(|&i| !has(&translation.targets[i])).collect()
}

/// Whether an export of a variant has a body, or a module of kernels beside it defines it.
pub(crate) fn has_code(variant: Op, export: Export) -> bool {
    let beside = || variant.body_ops();
    export.op.body().is_some() || beside().into_iter().any(|op| holds_kernel(op, &export.name()))
}

/// Returns the code of an executable for a target: that of a variant of the target that contains code, or the source.
/// Fails if neither has bodies.
pub(crate) fn source(session: &Session, executable: Executable, target: &Target) -> Result<(Op, Member)> {
    let bodied = |exports: Vec<Export>| !exports.is_empty() && exports.iter().all(|e| e.op.body().is_some());
    let with_code: Vec<Variant> = executable
        .variants()
        .into_iter()
        .filter(|v| !v.exports().is_empty() && v.exports().iter().all(|e| has_code(v.op, *e)))
        .collect();
    let of = |v: &Variant| v.target().and_then(Target::of_attr);
    if let Some(variant) = with_code.iter().copied().find(|v| of(v).as_ref() == Some(target)) {
        return Ok((variant.op, member(executable, variant)));
    }
    if bodied(executable.exports()) {
        let exports = executable.exports().iter().map(|e| e.name()).collect();
        return Ok((executable.op, Member { name: executable.name(), variant: None, exports }));
    }
    let error =
        Error::input(format!("executable `@{}` has no source to translate", executable.name())).code("no-source");
    let error = error.at(session.span(executable.op));
    Err(match with_code.iter().find_map(of) {
        Some(other) => error.hint(format!("it has code for another target: `--target={other}`")),
        None => error,
    })
}

/// Returns the names of a variant that contains code.
pub(crate) fn member(executable: Executable, variant: Variant) -> Member {
    let exports = variant.exports().iter().map(|e| e.name()).collect();
    Member { name: executable.name(), variant: Some(variant.name()), exports }
}

/// Makes a variant for the source of an executable.
pub(crate) fn add(
    session: &Session,
    executable: Executable,
    target: &Target,
    done: &Done,
    translation: &Translation,
) -> Result<()> {
    let taken: BTreeSet<String> = executable.body().ops().into_iter().filter_map(|op| op.symbol()).collect();
    let base = target.variant_name();
    let name = std::iter::once(base.clone())
        .chain((2..).map(|i| format!("{base}_{i}")))
        .find(|name| !taken.contains(name))
        .expect("numbers do not end");
    let objects = vec![object(session, executable, &name, done)];
    let workgroups = job::read_workgroups(session, done, &executable.exports())?;
    let spec = VariantSpec { name: &name, target: target.attr(session), objects, launches: done.launches() };
    let variant = Variant::create(executable, &spec, &workgroups);
    set_packed(variant, done);
    set_features(variant, target, done);
    called::add(session, executable, variant, target, &done.needs, &translation.object_path)
}

/// Sets the objects and workgroup counts of a variant with code. With `strip_source`, its code is removed.
pub(crate) fn fill(
    session: &Session,
    executable: Executable,
    target: &Target,
    done: &Done,
    translation: &Translation,
) -> Result<()> {
    let name = done.member.variant.as_deref().unwrap_or_default();
    let Some(variant) = executable.variants().into_iter().find(|v| v.name() == name) else { return Ok(()) };
    let objects = vec![object(session, executable, name, done)];
    let workgroups = job::read_workgroups(session, done, &variant.exports())?;
    let folders = &translation.object_path;
    if translation.strip_source {
        let exports = variant.exports();
        let spec = VariantSpec { name, target: target.attr(session), objects, launches: done.launches() };
        let new = Variant::create_for(executable, &spec, &exports, &workgroups);
        new.op.move_before(variant.op);
        set_packed(new, done);
        set_features(new, target, done);
        // The functions that it calls are declared in the old one.
        let done = called::add(session, Executable { op: variant.op }, new, target, &done.needs, folders);
        variant.op.erase();
        return done;
    }
    variant.set_objects(&objects);
    set_packed(variant, done);
    set_features(variant, target, done);
    let body = variant.op.body().expect("it has exports");
    let context = session.raw();
    for count in workgroups {
        let symbol = count.symbol();
        let given: Option<Op> = body.ops().into_iter().find(|op| op.symbol() == symbol);
        // The count that was given, as linkers read it.
        if let Some(given) = given {
            given.erase();
        }
        body.append(count);
    }
    let launches = done.launches();
    for (i, export) in variant.exports().into_iter().enumerate() {
        if let Some(launch) = launches.get(i) {
            launch.set(export.op);
        }
        export.op.set_attr(names::WORKGROUPS, Attr::symbol(context, &crate::codegen::workgroups_name(&export.name())));
        export.op.set_attr(names::FINGERPRINT, Attr::string(context, &fingerprint(export.op)));
    }
    called::add(session, Executable { op: variant.op }, variant, target, &done.needs, folders)
}

fn object(session: &Session, executable: Executable, variant: &str, done: &Done) -> (String, Attr) {
    let name = format!("{}_{variant}", executable.name());
    (done.format.clone(), Variant::embed(session.raw(), &name, &done.code))
}

/// Sets the weights that the exports use packed. Exports that arrived lowered keep their own list.
fn set_packed(variant: Variant, done: &Done) {
    for (i, export) in variant.exports().into_iter().enumerate().filter(|(_, e)| !is_lowered(e.op)) {
        PackedWeight::set(export.op, &done.packed(i));
    }
}

fn set_features(variant: Variant, target: &Target, done: &Done) {
    match target.cpu() {
        Some(cpu) => variant.set_features(cpu.enabled().filter(|f| TESTED_FEATURES.contains(f))),
        None => variant.set_features(done.features.iter().map(String::as_str)),
    }
}
