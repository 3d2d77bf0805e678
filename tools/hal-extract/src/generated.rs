//! Extracts LLVM IR and assembly of executables.
use crate::{
    args::ExtractKind as As,
    bodies::{bare_program, has_source, with_objects},
    device::is_for_cpu,
    objects,
    request::{Extract, File, Generated},
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{Executable, Variant, file_name},
};

/// Generates the code from the source once more. If that gives another object than the one in the program, the object
/// is hand-written and is disassembled.
pub(crate) fn code(session: &Session, what: &Extract<'_>, remarks: &mut Vec<Diagnostic>) -> Result<Vec<File>> {
    let generated = generate(session, what)?;
    let mut files = Vec::new();
    for &executable in what.executables {
        let own: Vec<&Generated> = generated.iter().filter(|g| g.executable == executable.name()).collect();
        let (variants, others): (Vec<_>, Vec<_>) = with_objects(executable).into_iter().partition(|v| is_for_cpu(*v));
        if variants.is_empty() && !others.is_empty() {
            // Their text is written elsewhere.
            continue;
        }
        if variants.is_empty() && own.is_empty() {
            let message = format!("executable `@{}` has neither source nor objects", executable.name());
            what.soften::<()>(Err(Error::input(message).code("no-source")), remarks)?;
        }
        if variants.is_empty() {
            for g in own {
                files.extend(texts(what, g, &g.variant));
            }
            continue;
        }
        for (i, variant) in variants.into_iter().enumerate() {
            let object =
                what.soften(objects::object(executable, variant, what.object_path), remarks)?.unwrap_or_default();
            match own.get(i).filter(|g| g.files.get("o") == Some(&object)) {
                Some(g) => files.extend(texts(what, g, &variant.name())),
                None => files.extend(by_hand(what, executable, variant, &object, remarks)?),
            }
        }
    }
    Ok(files)
}

/// Generates the code of all executables that have a source, for the targets that they have objects for.
pub(crate) fn generate(session: &Session, what: &Extract<'_>) -> Result<Vec<Generated>> {
    // Executables for the same targets are translated together.
    let mut groups: Vec<(Vec<String>, Vec<Executable>)> = Vec::new();
    for &executable in what.executables.iter().filter(|e| has_source(**e)) {
        let targets: Vec<String> = with_objects(executable)
            .into_iter()
            .filter(|v| is_for_cpu(*v))
            .filter_map(|v| target_words(v.target()?))
            .collect();
        match groups.iter_mut().find(|(t, _)| *t == targets) {
            Some((_, list)) => list.push(executable),
            None => groups.push((targets, vec![executable])),
        }
    }
    let mut generated = Vec::new();
    for (targets, executables) in &groups {
        generated.extend(what.generator.code(&bare_program(session, executables), targets)?);
    }
    Ok(generated)
}

/// The files of generated code that are asked for.
fn texts(what: &Extract<'_>, generated: &Generated, variant: &str) -> Vec<File> {
    let kinds = [(As::Llvm, "ll"), (As::Llvm, "optimized.ll"), (As::Asm, "s")];
    let wanted = kinds.into_iter().filter(|(kind, _)| what.kinds.contains(kind));
    wanted
        .filter_map(|(_, suffix)| {
            let bytes = generated.files.get(suffix)?.clone();
            Some(File { name: file_name(&generated.executable, Some(variant), suffix), bytes })
        })
        .collect()
}

/// Returns the files of an object that was not generated from the source.
fn by_hand(
    what: &Extract<'_>,
    executable: Executable,
    variant: Variant,
    object: &[u8],
    remarks: &mut Vec<Diagnostic>,
) -> Result<Vec<File>> {
    let name = format!("{}/{}", executable.name(), variant.name());
    if what.kinds.contains(&As::Llvm) {
        let why = if has_source(executable) {
            "it was not made from the source in the program with these flags"
        } else {
            "the executable has no source"
        };
        let error = Error::input(format!("there is no LLVM IR of the object of `{name}`: {why}"))
            .code("no-source")
            .hint("`--as=asm` disassembles it; give `-O` and `--fast-math` as hal-translate had them");
        what.soften::<()>(Err(error), remarks)?;
    }
    if !what.kinds.contains(&As::Asm) {
        return Ok(Vec::new());
    }
    let bytes = what.soften(objects::disassemble(&name, object), remarks)?;
    let file = File { name: file_name(&executable.name(), Some(&variant.name()), "s"), bytes };
    Ok(if file.bytes.is_empty() { Vec::new() } else { vec![file] })
}

/// A target attribute in the words of hal-translate: `cpu:CHIP@TRIPLE,+FEATURE`.
pub(crate) fn target_words(target: Attr) -> Option<String> {
    let text = target.to_string();
    let quoted = |key: &str| -> Option<&str> {
        let rest = &text[text.find(&format!("{key} = \""))? + key.len() + 4..];
        rest.split('"').next()
    };
    let mut words = format!("cpu:{}@{}", quoted("chip")?, quoted("triple")?);
    if let Some(features) = text.split("features = <[").nth(1).and_then(|rest| rest.split(']').next()) {
        for feature in features.split(',').map(|f| f.trim().trim_matches('"')) {
            words += &format!(",{feature}");
        }
    }
    Some(words)
}
