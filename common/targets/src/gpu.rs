//! Code for GPUs that somebody gives: whether it runs on a target and holds the kernels that it shall.
use crate::{CAPABILITIES, CudaTarget, Target, VulkanTarget};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{
    CudaCode, CudaKind, CudaWishes, FileFormat, KernelAbi, SpirvModule, fit_cuda, fit_spirv, inspect_cuda,
    inspect_spirv, merge_spirv, rename_ptx,
};

/// The version of SPIR-V that Vulkan 1.1 takes.
const SPIRV: (u8, u8) = (1, 3);

/// A file of code.
#[derive(Debug, Clone, Copy)]
pub struct GpuFile<'a> {
    /// Its name in messages.
    pub owner: &'a str,
    /// Its contents.
    pub bytes: &'a [u8],
}

/// A kernel that the files shall hold.
#[derive(Debug, Clone)]
pub struct GpuKernel {
    /// What it takes.
    pub abi: KernelAbi,
    /// Threads of a workgroup, if that is said.
    pub size: Option<[u32; 3]>,
    /// For CUDA: threads of a workgroup where neither that nor the code says how many.
    pub usual_size: Option<[u32; 3]>,
    /// For CUDA: bytes of shared memory beyond what the code declares.
    pub shared_memory: u64,
}

/// Code that was checked.
#[derive(Debug, Clone)]
pub struct GpuCode {
    /// Format and bytes of each object, as a variant has them.
    pub objects: Vec<(&'static str, Vec<u8>)>,
    /// How each kernel runs, in order.
    pub launches: Vec<Launch>,
    /// What the device must have, as `hal.features` says it.
    pub features: Vec<String>,
    /// What people should know.
    pub remarks: Vec<String>,
}

/// The kind of GPU that a file is for: `vulkan` or `cuda`; `None` for files for CPUs and anything else.
pub fn gpu_of(kind: FileFormat) -> Option<&'static str> {
    match kind {
        FileFormat::SpirV => Some("vulkan"),
        FileFormat::Ptx | FileFormat::Cubin | FileFormat::Fatbin => Some("cuda"),
        _ => None,
    }
}

/// The target that files say themselves: any Vulkan device; the chip of the code, where it is for CUDA.
pub fn target_of_gpu_file(file: GpuFile<'_>) -> Result<Target> {
    match gpu_of(FileFormat::of(file.bytes)) {
        Some("vulkan") => {
            let module = inspect_spirv(file.bytes, file.owner)?;
            let mut target = VulkanTarget::default();
            for capability in module.features() {
                if !target.set(&capability, true) {
                    return Err(unknown_capability(&module, &capability));
                }
            }
            Ok(Target::Vulkan(target))
        }
        _ => {
            let all = inspect_cuda(file.bytes, file.owner)?;
            let oldest = all.iter().min_by_key(|c| c.capability).expect("it holds code");
            let chip = CudaTarget::at_least(oldest.capability, oldest.letter);
            chip.map(Target::Cuda).ok_or_else(|| {
                Error::input(format!("{}: it is for `{}`, which is no chip that is known", file.owner, chip_of(oldest)))
                    .code("wrong-architecture")
            })
        }
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
    match target {
        Target::Vulkan(vulkan) => fit_vulkan(files, vulkan, kernels, spec_constants),
        Target::Cuda(cuda) => {
            if let Some((name, _)) = spec_constants.first() {
                let text = format!("specialisation constant `{name}` is given for `{cuda}`; only SPIR-V has them");
                return Err(Error::usage(text).code("unknown-constant"));
            }
            fit_nvidia(files, *cuda, kernels)
        }
        Target::Cpu(cpu) => {
            let text = format!("{} is for a GPU, and the target is `{cpu}`", files[0].owner);
            Err(Error::input(text).code("wrong-kind"))
        }
    }
}

fn fit_vulkan(
    files: &[GpuFile<'_>],
    target: &VulkanTarget,
    kernels: &[GpuKernel],
    spec_constants: &[(String, i64)],
) -> Result<GpuCode> {
    let mut modules: Vec<SpirvModule> = files.iter().map(|f| inspect_spirv(f.bytes, f.owner)).collect::<Result<_>>()?;
    for module in &modules {
        check_vulkan(module, target)?;
    }
    for (key, value) in spec_constants {
        let has = |m: &SpirvModule| m.spec_constants.iter().any(|c| c.is_called(key));
        let found = modules.iter().position(has).unwrap_or(0);
        modules[found].set_spec_constant(key, *value)?;
    }
    let (mut launches, mut remarks) = (Vec::new(), Vec::new());
    for kernel in kernels {
        let named = modules.iter().position(|m| m.entries.iter().any(|e| e.name == kernel.abi.name));
        let fitted = fit_spirv(&mut modules[named.unwrap_or(0)], &kernel.abi, kernel.size)?;
        launches.push(Launch::new(fitted.workgroup_size));
        remarks.extend(fitted.remarks);
    }
    let features = modules.iter().flat_map(SpirvModule::features).collect::<std::collections::BTreeSet<_>>();
    // A file that nothing was changed in stays as it is.
    let merged = merge_spirv(&modules)?;
    Ok(GpuCode {
        objects: vec![("spirv", merged.bytes())],
        launches,
        features: features.into_iter().collect(),
        remarks,
    })
}

fn check_vulkan(module: &SpirvModule, target: &VulkanTarget) -> Result<()> {
    if module.version > SPIRV {
        let ((major, minor), (most, least)) = (module.version, SPIRV);
        let text = format!("{}: it is SPIR-V {major}.{minor}; Vulkan 1.1 takes up to {most}.{least}", module.owner);
        return Err(Error::input(text)
            .code("wrong-architecture")
            .hint("compile it with `glslc --target-env=vulkan1.1`"));
    }
    for capability in module.features() {
        if target.allows(&capability) {
            continue;
        }
        if !CAPABILITIES.iter().any(|c| c.name == capability) {
            return Err(unknown_capability(module, &capability));
        }
        let text = format!("{}: it needs `{capability}`, which `{target}` does not allow", module.owner);
        let vulkan = Target::Vulkan(target.clone());
        return Err(Error::input(text)
            .code("wrong-architecture")
            .hint(format!("ask for it: `--target={vulkan},+{capability}`")));
    }
    Ok(())
}

fn unknown_capability(module: &SpirvModule, capability: &str) -> Error {
    let text = format!("{}: it needs `{capability}`, which kernels cannot have", module.owner);
    Error::input(text).code("wrong-architecture").note("kernels are compute shaders on storage buffers")
}

fn fit_nvidia(files: &[GpuFile<'_>], target: CudaTarget, kernels: &[GpuKernel]) -> Result<GpuCode> {
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
        let wishes = CudaWishes { size: kernel.size, usual: kernel.usual_size, shared_memory: kernel.shared_memory };
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
        let fitted = fit_cuda(code, &kernel.abi, wishes)?;
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
