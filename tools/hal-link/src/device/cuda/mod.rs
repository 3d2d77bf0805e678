//! PTX, cubins and fat binaries for CUDA.
use super::{DeviceObjects, FoundKernel, VariantObjects};
use halyard_diag::{Error, Result};
use halyard_ir::form::Launch;
use halyard_objects::{CudaCode, CudaKind, CudaLaunch, FileFormat, KernelAbi, fit_cuda, inspect_cuda};
use halyard_runtime::commands::CodeFormat;

/// Code files, which are stored unchanged.
struct CodeFiles<'a>(VariantObjects<'a>);

/// Stores code files; they are parsed when a kernel is searched for.
pub(super) fn read<'a>(objects: VariantObjects<'a>) -> Box<dyn DeviceObjects + 'a> {
    Box::new(CodeFiles(objects))
}

impl DeviceObjects for CodeFiles<'_> {
    fn find(&mut self, abi: &KernelAbi, launch: Launch, features: &mut Vec<String>) -> Result<FoundKernel> {
        let objects = &self.0;
        let mut first = None;
        for (object, bytes) in objects.contents.iter().enumerate() {
            let pieces = inspect_cuda(bytes, &objects.named(object))?;
            let has = |p: &&CudaCode| p.kernels.iter().any(|k| k.name == abi.name);
            let single = if pieces.len() == 1 && objects.contents.len() == 1 { pieces.first() } else { None };
            let Some(code) = pieces.iter().find(has).or(single) else {
                first = first.or(pieces.into_iter().next());
                continue;
            };
            let (size, shared_memory) = (Some(launch.workgroup_size), launch.shared_memory);
            let required = CudaLaunch { size, usual: None, shared_memory };
            let fitted = fit_cuda(code, abi, required)?;
            let format = match (FileFormat::of(bytes), code.kind) {
                (FileFormat::Fatbin, _) => CodeFormat::Fatbin,
                (_, CudaKind::Ptx) => CodeFormat::Ptx,
                (_, CudaKind::Cubin) => CodeFormat::Cubin,
            };
            // A fatbin has code for several chips.
            if format != CodeFormat::Fatbin {
                let letter = code.letter.map_or(String::new(), String::from);
                features.push(format!("sm_{}{letter}", code.capability));
            }
            let entry = fitted.renamed.unwrap_or_else(|| abi.name.clone());
            return Ok(FoundKernel { object, format, entry, workgroup_size: fitted.workgroup_size, shared_memory });
        }
        let error = Error::input(format!("{} has no kernel `{}`", objects.owner, abi.name)).code("missing-kernel");
        let have =
            first.map(|code| code.kernels.iter().map(|k| format!("`{}`", k.name)).collect::<Vec<_>>().join(", "));
        Err(have.filter(|h| !h.is_empty()).into_iter().fold(error, |e, have| e.note(format!("it has {have}"))))
    }

    fn modules(self: Box<Self>) -> Vec<Vec<u8>> {
        self.0.contents
    }
}
