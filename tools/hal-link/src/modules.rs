//! GPU variants: their modules are stored unchanged in a section of the program.
use crate::device::{self, VariantObjects};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Launch, Variant, kernel_abi},
};
use halyard_objects::KernelAbi;
use halyard_runtime::commands::{ConstantWidth, DeviceArgument, DeviceCode, Kernel, KernelCode};
use std::collections::BTreeMap;

/// The alignment of modules in bytes.
const ALIGNMENT: usize = 64;

/// The modules of a program, each once.
#[derive(Debug, Default)]
pub(crate) struct ModuleTable {
    /// The contents of the section.
    pub(crate) bytes: Vec<u8>,
    places: BTreeMap<[u8; 32], u64>,
}

impl ModuleTable {
    /// Adds a module and returns its offset.
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
    /// The kind of device.
    pub(crate) device: &'static str,
    /// The name in messages.
    pub(crate) owner: &'a str,
}

impl DeviceVariant<'_> {
    /// Adds its modules to the table, of the contents of its objects; gives the code of each kernel, and what a device must
    /// have. Errors: objects that do not fit the interface, each named.
    pub(crate) fn place(
        &self,
        contents: Vec<Vec<u8>>,
        kernels: &[Kernel],
        table: &mut ModuleTable,
    ) -> Result<(Vec<KernelCode>, Vec<String>)> {
        let mut features = self.variant.features().unwrap_or_default();
        let mut objects = device::read(self.device, VariantObjects { owner: self.owner, contents }, &mut features)?;
        let mut found = Vec::new();
        for kernel in kernels {
            let declared = self.variant.exports().into_iter().find(|e| e.name() == kernel.export);
            let declared =
                declared.ok_or_else(|| Error::input(format!("{} lacks export `{}`", self.owner, kernel.export)))?;
            let launch = Launch::of(declared.op).map_err(|why| self.fail(declared.op, why))?;
            let launch =
                launch.ok_or_else(|| self.fail(declared.op, "it does not declare its workgroup size".into()))?;
            let abi = kernel_abi(declared.op);
            let one = objects.find(&abi, launch, &mut features).map_err(|e| self.at(declared.op, e))?;
            found.push((one, abi));
        }
        let modules = objects.modules();
        let code = found.into_iter().map(|(f, abi)| {
            let module = &modules[f.object];
            KernelCode::Device(DeviceCode {
                format: f.format,
                offset: table.place(module),
                bytes: module.len() as u64,
                entry: f.entry,
                workgroup_size: f.workgroup_size,
                shared_memory: u32::try_from(f.shared_memory).unwrap_or(u32::MAX),
                constants: widths(&abi),
                arguments: abi.passed(
                    |binding, number| DeviceArgument::Buffer { binding, number },
                    |factor, of, high, fits| DeviceArgument::Number { factor, of, high, fits },
                ),
            })
        });
        let code = code.collect();
        features.sort();
        features.dedup();
        Ok((code, features))
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
