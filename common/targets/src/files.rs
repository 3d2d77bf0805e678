//! GPU code that users provide: checks that it runs on a target and holds the expected kernels.
use crate::{
    Target,
    device::{Files, LaunchSetting, TextForm},
    gpu_code::{GpuCode, GpuFile, GpuKernel},
    target::{KINDS, kind_of_file},
};
use halyard_diag::{Error, Result};
use halyard_objects::FileFormat;

/// The kind of GPU that a file is for: `vulkan` or `cuda`; `None` for files for CPUs and anything else.
pub fn gpu_of(kind: FileFormat) -> Option<&'static str> {
    kind_of_file(kind).map(|kind| kind.name)
}

/// The devices that a file runs on, for messages, if it is code for a GPU: "Vulkan".
pub fn devices_of(kind: FileFormat) -> Option<&'static str> {
    kind_of_file(kind).and_then(|kind| kind.files.as_ref()).map(|files| files.devices)
}

/// The devices that a source of code for a GPU is compiled for, for messages.
pub fn devices_of_source(kind: FileFormat) -> Option<&'static str> {
    let is_source = |files: &&Files| files.sources.iter().any(|(source, _)| *source == kind);
    KINDS.iter().filter_map(|k| k.files.as_ref()).find(is_source).map(|files| files.devices)
}

/// Whether a launch parameter may be set for kernels in a file of this kind.
pub fn has_setting(kind: FileFormat, setting: LaunchSetting) -> bool {
    kind_of_file(kind).and_then(|k| k.files.as_ref()).is_some_and(|files| files.settings.contains(&setting))
}

/// The kinds of files of which something may be said, for messages: "PTX or cubin".
pub fn files_with_setting(setting: LaunchSetting) -> String {
    let files = KINDS.iter().filter_map(|k| k.files.as_ref()).filter(|files| files.settings.contains(&setting));
    let names: Vec<&str> = files.flat_map(|files| files.names).copied().collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Renames kernels in a file to unused names, so that only its other kernels are used. Fails if the file is damaged.
/// `None`: its kind of file cannot be changed.
pub fn hide_kernels(bytes: Vec<u8>, owner: &str, names: &[String]) -> Result<Option<Vec<u8>>> {
    let hidden: Vec<(String, String)> = names.iter().map(|name| (name.clone(), format!("{name}__replaced"))).collect();
    rename_kernels(bytes, owner, &hidden)
}

/// Renames kernels in a file, all at once: each old name and its new one. Fails if the file is damaged. Returns `None`
/// if its kind of file cannot be changed.
pub fn rename_kernels(bytes: Vec<u8>, owner: &str, names: &[(String, String)]) -> Result<Option<Vec<u8>>> {
    let format = FileFormat::of(&bytes);
    match kind_of_file(format).and_then(|kind| kind.files.as_ref()) {
        Some(files) => (files.rename)(format, bytes, owner, names),
        None => Ok(None),
    }
}

/// The forms of code for GPUs that are text.
fn text_forms() -> impl Iterator<Item = &'static TextForm> {
    KINDS.iter().filter_map(|k| k.files.as_ref()?.text.as_ref())
}

/// Returns a file and its kind, after assembling GPU code that is text. `name` is the file's name, `owner` its name in
/// messages. Fails if the assembler is missing or rejects the text.
pub fn assembled(name: &str, owner: &str, bytes: Vec<u8>) -> Result<(Vec<u8>, FileFormat)> {
    let kind = FileFormat::of(&bytes);
    match text_forms().find(|form| form.kind == kind) {
        Some(form) => Ok(((form.assemble)(name, owner, &bytes)?, form.becomes)),
        None => Ok((bytes, kind)),
    }
}

/// Code for a GPU as text, with the suffix of such files; `None` for what is text itself, or no code for a GPU. Errors: it is
/// damaged.
pub fn disassembled(bytes: &[u8], owner: &str) -> Result<Option<(&'static str, String)>> {
    let kind = FileFormat::of(bytes);
    let form = text_forms().find(|form| form.becomes == kind);
    form.map(|form| Ok((form.suffix, (form.disassemble)(bytes, owner)?))).transpose()
}

/// A command that compiles a source of code for a GPU; `None` for other files.
pub fn compile_command(kind: FileFormat) -> Option<&'static str> {
    let sources = KINDS.iter().filter_map(|k| k.files.as_ref()).flat_map(|files| files.sources);
    sources.into_iter().find(|(source, _)| *source == kind).map(|(_, command)| *command)
}

/// The target that a file says itself: any device with what the code needs; the chip of the code. Errors: it is no code for a
/// GPU; what the kind of GPU says of it.
pub fn target_of_gpu_file(file: GpuFile<'_>) -> Result<Target> {
    match Target::of_file(file) {
        Some(target) => target,
        None => Err(Error::input(format!("{}: it is not code for a GPU", file.owner)).code("wrong-kind")),
    }
}

/// Checks that files hold kernels for a target of a GPU; specialisation constants (number or name, and value) are set.
/// Several SPIR-V modules become one. Errors: what is wrong with the files, by name.
pub fn fit_gpu(
    files: &[GpuFile<'_>],
    target: &Target,
    kernels: &[GpuKernel],
    spec_constants: &[(String, i64)],
) -> Result<GpuCode> {
    target.this().fit(files, kernels, spec_constants)
}
