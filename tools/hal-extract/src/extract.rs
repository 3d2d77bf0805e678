//! Extracts executables to files.
use crate::{
    args::{DEVICE_CODE, ExtractKind as As},
    benchmark::{self},
    bodies::{has_source, with_objects},
    c,
    device::{device_code, gpu_variants, is_for_cpu, no_reference, skeletons},
    generated, gpu, objects,
    request::{Extract, File},
    schedules,
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{Executable, Phase, Program, Variant, content_key, file_name, write_standalone},
    names,
};
use std::collections::BTreeSet;

/// Makes the files, in a stable order, and remarks on what they lack. Errors: something asked for that an executable
/// does not have; what generating code and running the program say.
pub fn extract(session: &Session, what: &Extract<'_>) -> Result<(Vec<File>, Vec<Diagnostic>)> {
    let (mut files, mut remarks) = (Vec::new(), Vec::new());
    let wants = |kind: As| what.kinds.contains(&kind);
    let mut add = |name: String, bytes: Vec<u8>| files.push(File { name, bytes });
    for &executable in what.executables {
        let name = executable.name();
        for (kind, suffix) in [(As::Mlir, "mlir"), (As::Bytecode, "mlirbc")] {
            if wants(kind) {
                let source = source(executable, what.program)?;
                add(file_name(&name, None, suffix), write_standalone(source, kind == As::Bytecode));
                source.op.erase();
            }
        }
        if wants(As::C) {
            let file = c::c_file(executable);
            remarks.extend(no_reference("C", file.empty));
            add(file_name(&name, None, "c"), file.text.into_bytes());
        }
    }
    for &executable in what.executables.iter().filter(|_| wants(As::Glsl)) {
        for (file, text) in skeletons(executable, &mut remarks) {
            add(file, text.into_bytes());
        }
    }
    for (_, language) in gpu::LANGUAGES.iter().filter(|(kind, _)| wants(*kind)) {
        for &executable in what.executables {
            let file = (language.file)(executable);
            remarks.extend(no_reference(language.name, file.empty));
            add(file_name(&executable.name(), None, language.suffix), file.text.into_bytes());
        }
        language.beside.iter().for_each(|(name, text)| add((*name).into(), text.as_bytes().to_vec()));
    }
    if wants(As::C) {
        add("halyard/kernel.h".into(), halyard_runtime::KERNEL_HEADER.as_bytes().to_vec());
    }
    if wants(As::Obj) {
        for &executable in what.executables {
            let objects = what.soften(all_objects(session, what, executable), &mut remarks)?;
            for (variant, suffix, object) in objects {
                add(file_name(&executable.name(), Some(&variant.name()), suffix), object);
            }
        }
    }
    for (_, code) in DEVICE_CODE.iter().filter(|(kind, _)| wants(*kind)) {
        for &executable in what.executables {
            for (name, bytes) in what.soften(device_code(session, what, executable, code), &mut remarks)? {
                add(name, bytes);
            }
        }
    }
    if wants(As::Asm) {
        for &executable in what.executables {
            for variant in gpu_variants(executable) {
                for (suffix, bytes) in objects::device(variant, what.object_path)? {
                    let (suffix, bytes) = objects::readable(suffix, bytes, &variant.name())?;
                    add(file_name(&executable.name(), Some(&variant.name()), suffix), bytes);
                }
            }
        }
    }
    if wants(As::Llvm) || wants(As::Asm) {
        files.extend(generated::code(session, what, &mut remarks)?);
    }
    if wants(As::Schedule) {
        files.extend(schedules::files(session, what, &mut remarks)?);
    }
    if wants(As::Benchmark) {
        let (made, said) = what.soften(benchmark::files(session, what), &mut remarks)?;
        files.extend(made);
        remarks.extend(said);
    }
    // PTX is the object as well as the text of a variant.
    let mut seen = BTreeSet::new();
    files.retain(|f: &File| seen.insert(f.name.clone()));
    Ok((files, remarks))
}

/// A copy, in no block, of what people edit. Objects that code generation made from the source are left out: they would
/// be linked in place of what becomes of an edited source.
fn source(executable: Executable, program: Program) -> Result<Executable> {
    let copy = Executable { op: executable.op.duplicate() };
    if program.phase()? == Phase::Objects && has_source(executable) {
        with_objects(copy).into_iter().for_each(|v| v.op.erase());
    }
    // An edited file still records its original executable.
    copy.op.set_attr(names::KEY, Attr::string(copy.op.context(), &content_key(executable)));
    Ok(copy)
}

type Objects = Vec<(Variant, &'static str, Vec<u8>)>;

fn all_objects(session: &Session, what: &Extract<'_>, executable: Executable) -> Result<Objects> {
    let mut found = Vec::new();
    for variant in executable.variants() {
        if !is_for_cpu(variant) {
            let own = objects::device(variant, what.object_path)?;
            found.extend(own.into_iter().map(|(suffix, bytes)| (variant, suffix, bytes)));
        } else if let Some(object) = objects::object(executable, variant, what.object_path)? {
            found.push((variant, "o", object));
        }
    }
    if found.is_empty() {
        let mut error = Error::input(format!("executable `@{}` has no objects", executable.name())).code("no-objects");
        if let Some(span) = session.span(executable.op) {
            error = error.at(span);
        }
        return Err(error.hint("run `hal-translate` before `hal-extract --as=obj`"));
    }
    Ok(found)
}
