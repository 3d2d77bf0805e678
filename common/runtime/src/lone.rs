//! Opens devices for kernels without a program, for tools that inspect single kernels.
use crate::{
    AlignedBytes, KernelIdentity, LoneKernels,
    commands::{CodeFormat, ConstantWidth, DeviceArgument, DeviceCode, Kernel, KernelWork},
    device::{
        Adapter, DeviceKernel,
        choose::{self},
        info::DeviceOptions,
        limits::DeviceLimits,
        name::DeviceName,
    },
    property::{USER_PREFIX, property},
};
use halyard_diag::{Error, Result};
use std::{collections::BTreeMap, sync::Arc};

/// A device other than the CPU.
#[derive(Debug, Clone)]
pub struct LoneDevice {
    adapter: Arc<dyn Adapter>,
}

/// A kernel's code and launch parameters.
#[derive(Debug)]
pub struct LoneCode<'a> {
    /// The export.
    pub name: &'a str,
    /// The format of the module.
    pub format: CodeFormat,
    /// The module.
    pub module: &'a [u8],
    /// The threads of a workgroup.
    pub workgroup_size: [u32; 3],
    /// Shared memory beyond what the module declares, in bytes.
    pub shared_memory: u32,
    /// The width of each constant of the interface, without load-time constants.
    pub constants: Vec<ConstantWidth>,
    /// The code's arguments in order; `None` for the kernel ABI.
    pub arguments: Option<Vec<DeviceArgument>>,
    /// The number of the kernel's constants, without load-time constants.
    pub constant_count: usize,
    /// Its name in the module.
    pub entry: &'a str,
    /// For each binding, whether the kernel writes it.
    pub written: &'a [bool],
    /// The features that the device must have.
    pub features: &'a [String],
    /// The values of the load-time constants.
    pub load_constants: Vec<i64>,
}

impl LoneDevice {
    /// Opens a device. Errors: there is none of this name, or it is the CPU.
    pub fn open(device: DeviceName) -> Result<Self> {
        let options = DeviceOptions { device, fallback: false, debug: None };
        let adapter = choose::open(&options)?.ok_or_else(|| Error::usage("the CPU is not opened as a device"))?;
        Ok(Self { adapter })
    }

    /// Returns the name for messages.
    pub fn title(&self) -> String {
        self.adapter.title()
    }

    /// Returns the value of a load-time constant there; `None` for user-defined constants.
    pub fn property(&self, name: &str) -> Option<i64> {
        if name.starts_with(USER_PREFIX) {
            return None;
        }
        self.adapter.property(name).or_else(|| property(name, 1, &BTreeMap::new()))
    }

    /// What kernels may take there.
    pub fn limits(&self) -> DeviceLimits {
        self.adapter.limits()
    }

    /// Makes kernels ready. Errors: what the device lacks; what its driver says.
    pub fn kernels(&self, codes: Vec<LoneCode<'_>>) -> Result<LoneKernels> {
        let mut modules = Vec::new();
        let mut said = Vec::new();
        for code in &codes {
            let mut module = AlignedBytes::zeroed(code.module.len());
            module.copy_from_slice(code.module);
            let (kernel, device_code) = code.described();
            let lacks = self.adapter.lacks(&kernel, &device_code, &module, code.features);
            if !lacks.is_empty() {
                return Err(Error::input(format!("{} lacks {}", self.title(), lacks.join(", "))).code("no-variant"));
            }
            modules.push(module);
            said.push(device_code);
        }
        let kernels: Vec<Option<DeviceKernel<'_>>> = codes
            .iter()
            .zip(modules.iter().zip(&said))
            .map(|(code, (module, said))| {
                Some(DeviceKernel {
                    name: code.name,
                    module,
                    code: said,
                    written: code.written,
                    load_constants: code.load_constants.clone(),
                })
            })
            .collect();
        let device = self.adapter.clone().open(&kernels)?;
        Ok(LoneKernels { device, buffers: Vec::new(), _modules: modules })
    }
}

impl LoneCode<'_> {
    /// As programs describe it.
    fn described(&self) -> (Kernel, DeviceCode) {
        let code = DeviceCode {
            format: self.format,
            offset: 0,
            bytes: self.module.len() as u64,
            entry: self.entry.to_owned(),
            workgroup_size: self.workgroup_size,
            shared_memory: self.shared_memory,
            constants: self.constants.clone(),
            arguments: self.arguments.clone(),
        };
        let kernel = Kernel {
            executable: String::new(),
            export: self.name.to_owned(),
            identity: KernelIdentity::default(),
            fingerprint: String::new(),
            bindings: self.written.to_vec(),
            // Nobody looks at its tensors, or guards it.
            types: Vec::new(),
            results: 0,
            constants: u32::try_from(self.constant_count).unwrap_or(u32::MAX),
            work: KernelWork::default(),
            bytes: None,
            variants: Vec::new(),
        };
        (kernel, code)
    }
}
