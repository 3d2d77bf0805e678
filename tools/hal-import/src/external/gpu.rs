//! Objects of declarations for GPUs.
use super::{files::Loaded, made::Made};
use halyard_diag::{Error, Result, either};
use halyard_ir::{
    Session,
    form::{
        ExternalCount, ExternalKernel, ExternalTarget, code_arguments, declared_abi, device_of_target, load_constants,
    },
};
use halyard_objects::FileFormat;
use halyard_targets::{GpuFile, GpuKernel, Target, compile_command, fit_gpu, gpu_of, target_of_gpu_file};

/// Checks the objects of an entry, if it is for a GPU: by its target, or by what the objects are. The workgroup count is
/// up to the caller. Errors: objects for another device; what they lack.
pub(super) fn make(
    session: &Session,
    given: ExternalKernel,
    entry: &ExternalTarget,
    loaded: &[Loaded],
) -> Result<Option<Made>> {
    let files: Vec<GpuFile<'_>> = loaded.iter().map(|l| GpuFile { owner: &l.owner, bytes: &l.bytes }).collect();
    let Some(target) = target(given, entry, &files)? else { return Ok(None) };
    if let Some(other) = files.iter().find(|f| gpu_of(FileFormat::of(f.bytes)) != Some(target.device())) {
        let text =
            format!("{}: this is {}, and the target is `{target}`", other.owner, FileFormat::describe(other.bytes));
        let error = Error::input(text).code("wrong-kind");
        return Err(match FileFormat::of(other.bytes) {
            source if let Some(command) = compile_command(source) => error.hint(format!("compile it: {command}")),
            _ => error.hint("give each target an entry of its own"),
        });
    }
    let symbol = entry.symbol.clone().unwrap_or_else(|| given.name());
    let resolve = |items: &Vec<String>| code_arguments(given.op, items, target.device());
    let arguments = entry.arguments.as_ref().map(resolve).transpose().map_err(|why| wrong_arguments(given, &why))?;
    let kernel = GpuKernel {
        abi: declared_abi(given.op, symbol.clone(), arguments.clone()),
        size: entry.workgroup_size,
        usual_size: None,
        shared_memory: if target.launch_is_free() { entry.shared_memory } else { 0 },
    };
    let code = fit_gpu(&files, &target, &[kernel], &entry.spec_constants)?;
    let mut features = code.features;
    for feature in &entry.features {
        let name = feature.trim_start_matches('+');
        target.check_feature(name).map_err(|near| unknown_feature(given, name, &target, &near))?;
        features.push(name.to_owned());
    }
    features.sort();
    features.dedup();
    let objects = code.objects.into_iter().map(|(format, bytes)| (format.to_owned(), bytes)).collect();
    Ok(Some(Made {
        target: entry.target.unwrap_or_else(|| target.attr(session)),
        name: target.variant_name(),
        objects,
        launch: Some((code.launches[0], features)),
        load_constants: load_constants(given.op),
        packed: Vec::new(),
        count: ExternalCount::Constant([1; 3]),
        symbol,
        arguments,
        called: None,
    }))
}

/// A list of arguments that means nothing.
pub(super) fn wrong_arguments(given: ExternalKernel, why: &str) -> Error {
    let error = Error::input(format!("`@{}`: {why}", given.name())).code("bad-arguments");
    error.hint("docs/kernel-abi.md#arguments-of-your-own has the words and an example")
}

/// Returns the target, if it is a GPU.
fn target(given: ExternalKernel, entry: &ExternalTarget, files: &[GpuFile<'_>]) -> Result<Option<Target>> {
    let Some(attr) = entry.target else {
        let first = files.iter().find(|f| gpu_of(FileFormat::of(f.bytes)).is_some());
        return first.map(|f| target_of_gpu_file(*f)).transpose();
    };
    if device_of_target(attr) == Some("cpu") {
        return match files.iter().find(|f| gpu_of(FileFormat::of(f.bytes)).is_some()) {
            None => Ok(None),
            Some(file) => {
                let text =
                    format!("{}: this is {}, and the target is a CPU", file.owner, FileFormat::describe(file.bytes));
                Err(Error::input(text).code("wrong-kind").hint("give each target an entry of its own"))
            }
        };
    }
    Target::of_attr(attr).map(Some).ok_or_else(|| {
        let text = format!("`@{}` has objects for `{attr}`, which is no target that is known", given.name());
        Error::input(text).code("bad-declaration")
    })
}

fn unknown_feature(given: ExternalKernel, name: &str, target: &Target, near: &[&str]) -> Error {
    let text = format!("`{name}`, which `@{}` needs, is no feature of `{}`", given.name(), target.device());
    let error = Error::input(text).code("bad-declaration");
    match near {
        [] => error.note(target.feature_words()),
        near => error.hint(format!("did you mean {}?", either(near))),
    }
}

/// Fails if objects of a function that kernels call are for GPUs: they are linked into kernels for CPUs.
pub(super) fn refuse(given: ExternalKernel, entry: &ExternalTarget, loaded: &[Loaded]) -> Result<()> {
    let gpu = entry.target.and_then(device_of_target).is_some_and(|device| device != "cpu");
    if !gpu && loaded.iter().all(|l| gpu_of(FileFormat::of(&l.bytes)).is_none()) {
        return Ok(());
    }
    let text = format!("function `@{}` has objects for a GPU; kernels for CPUs only can call functions", given.name());
    Err(Error::input(text).code("unsupported").hint("whole kernels can be given for GPUs: with `hal.workgroups`"))
}
