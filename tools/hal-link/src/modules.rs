//! Variants for GPUs: their modules go into a section of the program, as they are.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Launch, Variant, kernel_abi},
};
use halyard_objects::{
    CudaKind, CudaWishes, FileFormat, KernelAbi, SpirvModule, fit_cuda, fit_spirv, inspect_cuda, inspect_spirv,
};
use halyard_runtime::schedule::{CodeFormat, ConstantWidth, DeviceCode, Kernel, KernelCode};
use std::collections::BTreeMap;

/// Where modules start: at multiples of this.
const ALIGNMENT: usize = 64;

/// The modules of a program, each once.
#[derive(Debug, Default)]
pub(crate) struct ModuleTable {
    /// The section.
    pub(crate) bytes: Vec<u8>,
    places: BTreeMap<[u8; 32], u64>,
}

impl ModuleTable {
    /// Where a module starts.
    fn place(&mut self, module: &[u8]) -> u64 {
        let Self { bytes, places } = self;
        *places.entry(*blake3::hash(module).as_bytes()).or_insert_with(|| {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            let start = bytes.len() as u64;
            bytes.extend_from_slice(module);
            start
        })
    }
}

/// A variant for a GPU with its objects.
pub(crate) struct DeviceVariant<'a> {
    pub(crate) session: &'a Session,
    pub(crate) variant: Variant,
    /// It is for Vulkan; else for CUDA.
    pub(crate) vulkan: bool,
    /// Its name in messages.
    pub(crate) owner: &'a str,
    /// The contents of its objects.
    pub(crate) objects: Vec<Vec<u8>>,
}

/// A kernel as it was found in the objects.
struct Found {
    object: usize,
    format: CodeFormat,
    entry: String,
    workgroup_size: [u32; 3],
    shared_memory: u64,
}

impl DeviceVariant<'_> {
    /// Adds its modules to the table; gives the code of each kernel, and what a device must have. Errors: objects that do
    /// not fit the interface, each named.
    pub(crate) fn place(self, kernels: &[Kernel], table: &mut ModuleTable) -> Result<(Vec<KernelCode>, Vec<String>)> {
        let mut shaders: Vec<Option<SpirvModule>> = Vec::new();
        let mut features = self.variant.features().unwrap_or_default();
        for (i, bytes) in self.objects.iter().enumerate() {
            let shader = if self.vulkan { Some(inspect_spirv(bytes, &self.named(i))?) } else { None };
            features.extend(shader.iter().flat_map(SpirvModule::features));
            shaders.push(shader);
        }
        let before: Vec<_> = shaders.iter().map(|s| s.as_ref().map(SpirvModule::bytes)).collect();
        let mut found = Vec::new();
        for kernel in kernels {
            let declared = self.variant.exports().into_iter().find(|e| e.name() == kernel.export);
            let declared =
                declared.ok_or_else(|| Error::input(format!("{} lacks export `{}`", self.owner, kernel.export)))?;
            let launch = Launch::of(declared.op).map_err(|why| self.fail(declared.op, why))?;
            let launch =
                launch.ok_or_else(|| self.fail(declared.op, "it does not declare its workgroup size".into()))?;
            let abi = kernel_abi(declared.op);
            let one = match self.vulkan {
                true => self.shader(&mut shaders, &abi, launch),
                false => self.cuda(&abi, launch, &mut features),
            };
            let one = one.map_err(|e| self.at(declared.op, e))?;
            found.push((one, widths(&abi)));
        }
        // What setting specialisation constants and names changed; modules that were right stay as they were, byte by byte.
        let modules: Vec<Vec<u8>> = (self.objects.into_iter().zip(&shaders).zip(before))
            .map(|((original, shader), before)| match shader.as_ref().map(SpirvModule::bytes) {
                Some(now) if Some(&now) != before.as_ref() => now,
                _ => original,
            })
            .collect();
        let code = found.into_iter().map(|(f, constants)| {
            let module = &modules[f.object];
            KernelCode::Device(DeviceCode {
                format: f.format,
                offset: table.place(module),
                bytes: module.len() as u64,
                entry: f.entry,
                workgroup_size: f.workgroup_size,
                shared_memory: u32::try_from(f.shared_memory).unwrap_or(u32::MAX),
                constants,
            })
        });
        let code = code.collect();
        features.sort();
        features.dedup();
        Ok((code, features))
    }

    fn shader(&self, shaders: &mut [Option<SpirvModule>], abi: &KernelAbi, launch: Launch) -> Result<Found> {
        let has = |s: &Option<SpirvModule>| s.as_ref().is_some_and(|s| s.entries.iter().any(|e| e.name == abi.name));
        // Where none has the name, the first one's message says what there is.
        let object = shaders.iter().position(has).or_else(|| shaders.iter().position(Option::is_some)).unwrap_or(0);
        let Some(shader) = &mut shaders[object] else {
            return Err(Error::input(format!("{}: there is no SPIR-V", self.owner)));
        };
        let fitted = fit_spirv(shader, abi, Some(launch.workgroup_size))?;
        let shared_memory = shader.entries.iter().find(|e| e.name == abi.name).map_or(0, |e| e.shared_memory);
        Ok(Found {
            object,
            format: CodeFormat::Spirv,
            entry: abi.name.clone(),
            workgroup_size: fitted.workgroup_size,
            shared_memory,
        })
    }

    fn cuda(&self, abi: &KernelAbi, launch: Launch, features: &mut Vec<String>) -> Result<Found> {
        let mut first = None;
        for (object, bytes) in self.objects.iter().enumerate() {
            let pieces = inspect_cuda(bytes, &self.named(object))?;
            let has = |p: &&halyard_objects::CudaCode| p.kernels.iter().any(|k| k.name == abi.name);
            let single = if pieces.len() == 1 && self.objects.len() == 1 { pieces.first() } else { None };
            let Some(code) = pieces.iter().find(has).or(single) else {
                first = first.or(pieces.into_iter().next());
                continue;
            };
            let (size, shared_memory) = (Some(launch.workgroup_size), launch.shared_memory);
            let wishes = CudaWishes { size, usual: None, shared_memory };
            let fitted = fit_cuda(code, abi, wishes)?;
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
            return Ok(Found {
                object,
                format,
                entry,
                workgroup_size: fitted.workgroup_size,
                shared_memory: launch.shared_memory,
            });
        }
        let error = Error::input(format!("{} has no kernel `{}`", self.owner, abi.name)).code("missing-kernel");
        let have =
            first.map(|code| code.kernels.iter().map(|k| format!("`{}`", k.name)).collect::<Vec<_>>().join(", "));
        Err(have.filter(|h| !h.is_empty()).into_iter().fold(error, |e, have| e.note(format!("it has {have}"))))
    }

    fn named(&self, object: usize) -> String {
        if self.objects.len() == 1 { self.owner.to_owned() } else { format!("object {object} of {}", self.owner) }
    }

    fn fail(&self, op: halyard_ir::Op, why: String) -> Error {
        self.at(op, Error::input(format!("{}: {why}", self.owner)).code("bad-object"))
    }

    fn at(&self, op: halyard_ir::Op, error: Error) -> Error {
        match self.session.span(op) {
            Some(span) if error.diagnostics.iter().all(|d| d.labels.is_empty()) => error.at(span),
            _ => error,
        }
    }
}

fn widths(abi: &KernelAbi) -> Vec<ConstantWidth> {
    let width = |element: &str| match element {
        "index" => ConstantWidth::Index,
        "i64" | "f64" => ConstantWidth::Long,
        _ => ConstantWidth::Word,
    };
    abi.constants.iter().map(|c| width(&c.element)).collect()
}
