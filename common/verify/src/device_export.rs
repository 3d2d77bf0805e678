//! The code of an export for a device other than the CPU.
use crate::{Case, kernel::device_property};
use halyard_diag::{Error, Result};
use halyard_ir::form::{Export, Launch, kernel_abi, load_constants};
use halyard_runtime::{
    LoneCode, LoneDevice,
    commands::{CodeFormat, ConstantWidth, DeviceArgument},
};
use std::rc::Rc;

/// What a device must know of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct DeviceExport {
    name: String,
    entry: String,
    format: CodeFormat,
    module: Rc<Vec<u8>>,
    workgroup_size: [u32; 3],
    shared_memory: u32,
    constants: Vec<ConstantWidth>,
    arguments: Option<Vec<DeviceArgument>>,
    constant_count: usize,
    features: Vec<String>,
    takes: Vec<String>,
    /// For each binding, whether the kernel writes it.
    pub(crate) written: Vec<bool>,
    /// How many of the bindings are arguments; results follow.
    pub(crate) arguments_bound: usize,
    /// Whether it asks how large what is bound is.
    pub(crate) asks_for_sizes: bool,
}

impl DeviceExport {
    /// The export of a case's variant, whose module has this format. Errors: it does not say how it is launched.
    pub(crate) fn of(case: &Case, kernel: Export, format: CodeFormat, module: &Rc<Vec<u8>>) -> Result<Self> {
        let launch = Launch::of(kernel.op)
            .map_err(Error::input)?
            .ok_or_else(|| Error::input("it does not declare its workgroup size"))?;
        let abi = kernel_abi(kernel.op);
        let width = |element: &str| match element {
            "index" => ConstantWidth::Index,
            "i64" | "f64" => ConstantWidth::Long,
            _ => ConstantWidth::Word,
        };
        Ok(Self {
            name: kernel.name(),
            entry: abi.name.clone(),
            format,
            module: Rc::clone(module),
            workgroup_size: launch.workgroup_size,
            shared_memory: u32::try_from(launch.shared_memory).unwrap_or(u32::MAX),
            constants: abi.constants.iter().map(|c| width(&c.element)).collect(),
            arguments: abi.passed(
                |binding, number| DeviceArgument::Buffer { binding, number },
                |factor, of, high, fits| DeviceArgument::Number { factor, of, high, fits },
            ),
            constant_count: kernel.interface().constant_count(),
            features: case.variant.features().unwrap_or_default(),
            takes: load_constants(kernel.op),
            written: abi.bindings.iter().map(|b| b.written).collect(),
            arguments_bound: kernel.interface().tensor_inputs().len(),
            asks_for_sizes: format.asks_for_sizes(module),
        })
    }

    /// As a device takes it.
    pub(crate) fn code(&self, device: &LoneDevice) -> LoneCode<'_> {
        LoneCode {
            name: &self.name,
            entry: &self.entry,
            format: self.format,
            module: &self.module,
            workgroup_size: self.workgroup_size,
            shared_memory: self.shared_memory,
            constants: self.constants.clone(),
            arguments: self.arguments.clone(),
            constant_count: self.constant_count,
            written: &self.written,
            features: &self.features,
            load_constants: self.takes.iter().map(|name| device_property(device, name)).collect(),
        }
    }
}
