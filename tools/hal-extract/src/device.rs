//! Files of GPU code.
use crate::{args::DeviceCodeKind, bodies::with_objects, gpu, objects, request::Extract};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Session,
    form::{Executable, Variant, device_of_target, file_name},
};
use halyard_objects::FileFormat;

/// The shaders of an executable, with their names.
pub(crate) fn skeletons(executable: Executable, remarks: &mut Vec<Diagnostic>) -> Vec<(String, String)> {
    let exports = executable.interface_exports();
    let mut files = Vec::new();
    for &export in &exports {
        let part = if exports.len() > 1 { Some(export.name()) } else { None };
        let file = file_name(&executable.name(), part.as_deref(), "comp");
        let stem = file.strip_suffix(".comp").unwrap_or(&file);
        match gpu::glsl_file(executable, export, stem) {
            Ok(made) => {
                remarks.extend(no_reference("GLSL", made.empty));
                files.push((file, made.text));
            }
            Err(why) => {
                let text = format!("`{}` cannot be written in GLSL: {why}", export.name());
                remarks.push(Diagnostic::warning(text));
            }
        }
    }
    files
}

/// Returns warnings about exports whose bodies are left empty.
pub(crate) fn no_reference(language: &str, empty: Vec<(String, String)>) -> Vec<Diagnostic> {
    let one = |(export, why)| {
        Diagnostic::warning(format!("`{export}` has no reference in {language}, its body is left empty: {why}"))
    };
    empty.into_iter().map(one).collect()
}

/// The variants of an executable for GPUs that have objects.
pub(crate) fn gpu_variants(executable: Executable) -> Vec<Variant> {
    with_objects(executable).into_iter().filter(|v| !is_for_cpu(*v)).collect()
}

/// Whether a variant is for a CPU, according to its target, or has objects like one.
pub(crate) fn is_for_cpu(variant: Variant) -> bool {
    match variant.target().and_then(device_of_target) {
        Some(device) => device == "cpu",
        // Code for GPUs that nothing runs is ELF, or of a format with a suffix of its own.
        None => !variant.objects().is_ok_and(|all| all.iter().any(|o| FileFormat::suffix_of(&o.format).is_some())),
    }
}

/// The files of one kind of code for GPUs that an executable has. Errors: it has none.
pub(crate) fn device_code(
    session: &Session,
    what: &Extract<'_>,
    executable: Executable,
    kind: &DeviceCodeKind,
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for variant in gpu_variants(executable) {
        for (is, bytes) in objects::device(variant, what.object_path)? {
            let (is, bytes) =
                if is == kind.suffix { (is, bytes) } else { objects::readable(is, bytes, &variant.name())? };
            if is == kind.suffix {
                files.push((file_name(&executable.name(), Some(&variant.name()), is), bytes));
            }
        }
    }
    if files.is_empty() {
        let error =
            Error::input(format!("executable `@{}` has no {}", executable.name(), kind.name)).code("no-objects");
        let error = error.at(session.span(executable.op));
        return Err(error.hint(format!("run `hal-translate --target={}` before `hal-extract`", kind.target)));
    }
    Ok(files)
}
