//! Substitutes GPU code: replaces that of a variant, or adds a variant to an executable that has none.
use crate::{
    SubstitutionName, Variants, checked_object::CheckedObjects, files::Source, object, request::Request,
    settings::VariantSettings, workgroups::counts,
};
use halyard_diag::{Error, Result};
use halyard_ir::form::{
    Executable, Export, Launch, ObjectData, Phase, Variant, code_arguments, declared_abi, kernel_abi,
};
use halyard_objects::FileFormat;
use halyard_targets::{
    GpuFile, GpuKernel, Target, compile_command, devices_of, fit_gpu, gpu_of, hide_kernels, target_of_gpu_file,
};

/// The kind of device that the files of a request are for: `cpu`, `vulkan` or `cuda`.
pub(crate) fn device(request: &Request) -> &'static str {
    request.files.iter().find_map(|f| gpu_of(f.kind)).unwrap_or("cpu")
}

/// Returns the target that the files themselves state, if they are for a GPU.
pub(crate) fn target(requests: &[&Request]) -> Result<Option<Target>> {
    let first = requests.iter().flat_map(|r| &r.files).find(|f| gpu_of(f.kind).is_some());
    first.map(|f| target_of_gpu_file(GpuFile { owner: &format!("`{}`", f.name), bytes: &f.bytes })).transpose()
}

/// Checks the files that come into one variant for a GPU.
pub(crate) fn place(
    executable: Executable,
    variant: Option<Variant>,
    requests: &[&Request],
    settings: &VariantSettings<'_>,
    target: Target,
) -> Result<CheckedObjects> {
    let exports = executable.interface_exports();
    // The load-time constants of the variant are used, not those of the source.
    let declared =
        |e: &Export| variant.and_then(|v| v.exports().into_iter().find(|d| d.name() == e.name())).unwrap_or(*e);
    let names: Vec<String> = exports.iter().map(|e| e.name()).collect();
    let mut files: Vec<&Source> = Vec::new();
    let mut given: Vec<String> = Vec::new();
    for request in requests {
        for file in &request.files {
            check_kind(file, &target)?;
            if !files.iter().any(|f| f.bytes == file.bytes) {
                files.push(file);
            }
        }
        given.extend(request.name.export.as_ref().map_or_else(|| names.clone(), |e| vec![e.clone()]));
    }
    let rest: Vec<&String> = names.iter().filter(|n| !given.contains(n)).collect();
    let mut pieces: Vec<(String, Vec<u8>)> =
        files.iter().map(|f| (format!("`{}`", f.name), f.bytes.to_vec())).collect();
    match (rest.first(), variant) {
        (None, _) => {}
        (Some(_), Some(variant)) => pieces.extend(others(variant, &given)?),
        (Some(first), None) => {
            let text = format!("nothing is given for export `{first}` of executable `{}`", executable.name());
            return Err(Error::input(text).code("missing-kernel").hint("give objects for all exports"));
        }
    }
    let kernels: Vec<GpuKernel> =
        exports.iter().map(|e| kernel(executable, variant, declared(e), settings, &target)).collect::<Result<_>>()?;
    let taken = names.iter().zip(&kernels).filter_map(|(name, k)| Some((name.clone(), k.abi.arguments.clone()?)));
    let arguments = taken.collect();
    let place = |export: Option<String>| SubstitutionName {
        executable: executable.name(),
        variants: variant.map_or(Variants::All, |v| Variants::One(v.name())),
        export,
    };
    let here = place(None);
    let spec_constants: Vec<(String, i64)> = settings
        .gpu
        .spec_constant
        .iter()
        .filter(|c| c.name.overlaps(&here))
        .map(|c| (c.constant.clone(), c.value))
        .collect();
    let owned: Vec<GpuFile<'_>> = pieces.iter().map(|(owner, bytes)| GpuFile { owner, bytes }).collect();
    let code = fit_gpu(&owned, &target, &kernels, &spec_constants)?;
    let (mut remarks, mut details) = (Vec::new(), Vec::new());
    let counts = counts(executable, variant, &given, settings, &mut remarks, &mut details);
    if variant.is_none() {
        remarks.insert(0, format!("becomes a variant for `{target}`"));
    }
    remarks.extend(code.remarks);
    for (export, launch) in names.iter().zip(&code.launches) {
        let [x, y, z] = launch.workgroup_size;
        details.push(format!("`{export}` has workgroups of {x} × {y} × {z} threads"));
    }
    let whole =
        requests.iter().any(|r| r.name.variants != Variants::One(variant.map_or_else(String::new, Variant::name)));
    let drop_source = settings.phase == Phase::Executables && whole && !executable.exports().is_empty();
    let launches: Vec<(String, Launch)> = names.into_iter().zip(code.launches).collect();
    Ok(CheckedObjects {
        executable,
        variant,
        target,
        objects: code.objects,
        gpu: Some((code.features, launches)),
        counts,
        drop_source,
        imports: Vec::new(),
        load_constants: Vec::new(),
        arguments,
        packed: Vec::new(),
        remarks,
        details,
        warning: None,
        kinds: files.iter().map(|f| object::plain_name(f.kind).to_owned()).collect(),
    })
}

/// Returns the requirements on an export. The workgroup size of the existing variant applies unless another is given.
fn kernel(
    executable: Executable,
    variant: Option<Variant>,
    export: Export,
    settings: &VariantSettings<'_>,
    target: &Target,
) -> Result<GpuKernel> {
    let variants = variant.map_or(Variants::All, |v| Variants::One(v.name()));
    let place = SubstitutionName { executable: executable.name(), variants, export: Some(export.name()) };
    let old = Launch::of(export.op).ok().flatten();
    let shared = settings.gpu.shared_memory.iter().find(|s| s.name.overlaps(&place)).map(|s| s.bytes);
    let mut abi = kernel_abi(export.op);
    if let Some(said) = settings.gpu.arguments.iter().find(|a| a.name.overlaps(&place)) {
        let list = code_arguments(export.op, &said.items, target.device()).map_err(|why| {
            let error = Error::input(format!("`--arguments={said}`: {why}")).code("bad-arguments");
            error.hint("docs/kernel-abi.md#arguments-of-your-own has the words and an example")
        })?;
        abi = declared_abi(export.op, abi.name, Some(list));
    }
    Ok(GpuKernel {
        abi,
        size: settings.gpu.workgroup_size.iter().find(|w| w.name.overlaps(&place)).map(|w| w.count),
        usual_size: old.map(|l| l.workgroup_size).filter(|_| target.launch_is_free()),
        shared_memory: shared.or(old.map(|l| l.shared_memory)).unwrap_or(0),
    })
}

/// Files for another kind of device, each with what to do instead.
fn check_kind(file: &Source, target: &Target) -> Result<()> {
    let device = gpu_of(file.kind);
    if device == Some(target.device()) {
        return Ok(());
    }
    let what = FileFormat::describe(&file.bytes);
    let error = |why: &str| Error::input(format!("`{}`: this is {what}, {why}", file.name)).code("wrong-kind");
    Err(match (file.kind, device) {
        (FileFormat::Empty, _) => Error::input(format!("`{}`: the file is empty", file.name)).code("empty-input"),
        (source, _) if let Some(command) = compile_command(source) => error("which is to be compiled").hint(command),
        (kind, _) if let Some(devices) = devices_of(kind) => {
            error(&format!("which is for {devices}, and the target is `{target}`"))
        }
        (
            FileFormat::Object
            | FileFormat::Archive
            | FileFormat::Shared
            | FileFormat::Bitcode
            | FileFormat::LlvmText
            | FileFormat::Assembly,
            _,
        ) => error(&format!("which is for CPUs, and the target is `{target}`")),
        _ => match target.code_words() {
            Some((otherwise, made_by)) => error(otherwise).hint(made_by),
            None => error(&format!("and the target is `{target}`")),
        },
    })
}

/// Returns the objects of a variant that keeps some exports: the replaced kernels, `given`, get unused names.
fn others(variant: Variant, given: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
    let owner = format!("variant `{}`", variant.name());
    let mut kept = Vec::new();
    for object in variant.objects()? {
        let ObjectData::Embedded(bytes) = object.data else {
            let text = format!("{owner} names its object by path; one of its exports cannot be replaced");
            return Err(Error::input(text).code("unsupported").hint("replace the variant as a whole"));
        };
        let Some(bytes) = hide_kernels(bytes, &owner, given)? else {
            let text = format!("{owner} holds machine code; one of its exports cannot be replaced");
            return Err(Error::input(text).code("unsupported").hint("replace the variant as a whole"));
        };
        kept.push((owner.clone(), bytes));
    }
    Ok(kept)
}
