//! PTX, cubins and fat binaries that users provide.
use super::CudaTarget;
use crate::gpu_code::{GpuCode, GpuFile, GpuKernel};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{CudaCode, CudaKind, CudaLaunch, FileFormat, fit_cuda, inspect_cuda, rename_ptx};

/// Returns the oldest chip that the code is for.
pub(crate) fn of_file(file: GpuFile<'_>) -> Result<CudaTarget> {
    let all = inspect_cuda(file.bytes, file.owner)?;
    let oldest = all.iter().min_by_key(|c| c.capability).expect("it holds code");
    let chip = CudaTarget::at_least(oldest.capability, oldest.letter);
    chip.ok_or_else(|| {
        Error::input(format!("{}: it is for `{}`, which is not a known chip", file.owner, chip_of(oldest)))
            .code("wrong-architecture")
    })
}

/// Checks that files hold kernels for a chip.
pub(super) fn fit(files: &[GpuFile<'_>], target: CudaTarget, kernels: &[GpuKernel]) -> Result<GpuCode> {
    let mut objects: Vec<(&'static str, Vec<u8>)> = Vec::new();
    let mut pieces: Vec<(usize, CudaCode)> = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let all = inspect_cuda(file.bytes, file.owner)?;
        let count = all.len();
        let fitting: Vec<CudaCode> = all.iter().filter(|c| target.runs_code(c)).cloned().collect();
        if fitting.is_empty() {
            return Err(wrong_chip(&all[0], count, target));
        }
        // Machine code is what a driver takes first.
        let best = fitting.into_iter().max_by_key(|c| (c.kind == CudaKind::Cubin, c.capability));
        pieces.extend(best.map(|c| (i, c)));
        objects.push(match FileFormat::of(file.bytes) {
            FileFormat::Cubin => ("cubin", file.bytes.to_vec()),
            FileFormat::Fatbin => ("fatbin", file.bytes.to_vec()),
            _ => ("ptx", file.bytes.to_vec()),
        });
    }
    let (mut launches, mut remarks) = (Vec::new(), Vec::new());
    for kernel in kernels {
        let launch = CudaLaunch { size: kernel.size, usual: kernel.usual_size, shared_memory: kernel.shared_memory };
        let named: Vec<usize> =
            (0..pieces.len()).filter(|&i| pieces[i].1.kernels.iter().any(|k| k.name == kernel.abi.name)).collect();
        if let [first, second, ..] = named.as_slice() {
            let (first, second) = (&pieces[*first].1.owner, &pieces[*second].1.owner);
            let text = format!("kernel `{}` is defined twice: by {first} and by {second}", kernel.abi.name);
            return Err(Error::input(text).code("duplicate-symbol"));
        }
        let (file, code) = &pieces[named.first().copied().unwrap_or(0)];
        if code.kernels.is_empty() && objects[*file].0 == "fatbin" {
            return Err(Error::input(format!("{}: its code is compressed and cannot be looked into", code.owner))
                .code("bad-object")
                .hint("make it with `fatbinary --compress=false`, or pass the PTX or the cubin"));
        }
        let fitted = fit_cuda(code, &kernel.abi, launch)?;
        if let Some(old) = fitted.renamed {
            let text = std::str::from_utf8(&objects[*file].1).ok().and_then(|t| rename_ptx(t, &old, &kernel.abi.name));
            objects[*file].1 = text.expect("PTX was read as text").into_bytes();
        }
        launches.push(Launch { workgroup_size: fitted.workgroup_size, shared_memory: kernel.shared_memory });
        remarks.extend(fitted.remarks);
    }
    // The newest of what the files need.
    let needs = pieces.iter().map(|(_, c)| c).max_by_key(|c| c.capability).map(chip_of);
    Ok(GpuCode { objects, launches, features: needs.into_iter().collect(), remarks })
}

/// Renames kernels of PTX; machine code cannot be changed.
pub(super) fn rename(
    format: FileFormat,
    bytes: Vec<u8>,
    owner: &str,
    names: &[(String, String)],
) -> Result<Option<Vec<u8>>> {
    if format != FileFormat::Ptx {
        return Ok(None);
    }
    let unreadable = || Error::input(format!("{owner}: it is no PTX")).code("bad-object");
    let mut text = String::from_utf8(bytes).map_err(|_| unreadable())?;
    // In two steps: a new name may be the old one of another kernel.
    let between: Vec<String> = (0..names.len()).map(|i| format!("hal__renamed_{i}")).collect();
    for ((old, _), between) in names.iter().zip(&between) {
        text = rename_ptx(&text, old, between).ok_or_else(unreadable)?;
    }
    for ((_, new), between) in names.iter().zip(&between) {
        text = rename_ptx(&text, between, new).ok_or_else(unreadable)?;
    }
    Ok(Some(text.into_bytes()))
}

fn wrong_chip(code: &CudaCode, count: usize, target: CudaTarget) -> Error {
    let is = chip_of(code);
    let what = if count > 1 { format!("none of its {count} pieces of code") } else { format!("code for `{is}`") };
    let error = Error::input(format!("{}: {what} runs on `{target}`", code.owner)).code("wrong-architecture");
    let error = match count {
        1 => Error::input(format!("{}: it is for `{is}` and does not run on `{target}`", code.owner))
            .code("wrong-architecture"),
        _ => error,
    };
    match (code.kind, code.letter) {
        (CudaKind::Cubin, _) => error.note("a cubin runs on chips of its own major version that are no older"),
        (CudaKind::Ptx, Some(_)) => error.note(format!("PTX for `{is}` runs on no other chip")),
        (CudaKind::Ptx, None) => error.note("PTX runs on its own chip and on newer ones"),
    }
    .hint(format!("compile it for `{}`, or ask for `--target=cuda:{is}`", target.chip))
}

/// The name of the chip that code is for.
fn chip_of(code: &CudaCode) -> String {
    format!("sm_{}{}", code.capability, code.letter.map(String::from).unwrap_or_default())
}
