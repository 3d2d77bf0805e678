//! Runs one kernel on a device without a program, for tools that inspect single kernels.
use crate::{
    AlignedBytes, KernelIdentity,
    commands::{CodeFormat, ConstantWidth, DeviceArgument, DeviceCode, Kernel, KernelWork},
    device::{
        Adapter, Device, DeviceKernel,
        choose::{self},
        info::DeviceOptions,
        name::{DeviceKind, DeviceName},
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

/// A kernel that is ready to run.
#[derive(Debug)]
pub struct LoneKernel {
    device: Box<dyn Device>,
    written: Vec<bool>,
    // The device may read it as long as it lives.
    _module: AlignedBytes,
}

impl LoneDevice {
    /// Opens the best device of a kind. Errors: there is none, or it is the CPU.
    pub fn open(kind: DeviceKind) -> Result<Self> {
        let options = DeviceOptions { device: DeviceName { kind, index: None }, fallback: false, debug: None };
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

    /// Makes a kernel ready. Errors: what the device lacks; what its driver says.
    pub fn kernel(&self, code: LoneCode<'_>) -> Result<LoneKernel> {
        let mut module = AlignedBytes::zeroed(code.module.len());
        module.copy_from_slice(code.module);
        let said = DeviceCode {
            format: code.format,
            offset: 0,
            bytes: code.module.len() as u64,
            entry: code.entry.to_owned(),
            workgroup_size: code.workgroup_size,
            shared_memory: code.shared_memory,
            constants: code.constants,
            arguments: code.arguments,
        };
        let kernel = Kernel {
            executable: String::new(),
            export: code.name.to_owned(),
            identity: KernelIdentity::default(),
            fingerprint: String::new(),
            bindings: code.written.to_vec(),
            // Nobody looks at its tensors, or guards it.
            types: Vec::new(),
            results: 0,
            constants: u32::try_from(code.constant_count).unwrap_or(u32::MAX),
            work: KernelWork::default(),
            bytes: None,
            variants: Vec::new(),
        };
        let lacks = self.adapter.lacks(&kernel, &said, &module, code.features);
        if !lacks.is_empty() {
            return Err(Error::input(format!("{} lacks {}", self.title(), lacks.join(", "))).code("no-variant"));
        }
        let described = DeviceKernel {
            name: code.name,
            module: &module,
            code: &said,
            written: code.written,
            load_constants: code.load_constants,
        };
        let device = self.adapter.clone().open(&[Some(described)])?;
        Ok(LoneKernel { device, written: code.written.to_vec(), _module: module })
    }
}

impl LoneKernel {
    /// Runs it once. Those of the bindings that it writes have what it wrote then. Errors: what the driver says.
    pub fn run(&mut self, bindings: &mut [&mut [u8]], constants: &[i64], workgroups: [u32; 3]) -> Result<()> {
        if workgroups.contains(&0) {
            return Ok(());
        }
        let mut spans = Vec::new();
        for bytes in bindings.iter() {
            let span = self.device.allocate((bytes.len() as u64).max(4).next_multiple_of(4))?;
            let part = span.part(0, bytes.len() as u64).expect("it is as long");
            if !bytes.is_empty() {
                self.device.write(part, bytes)?;
            }
            spans.push((span, part));
        }
        let parts: Vec<_> = spans.iter().map(|(_, part)| *part).collect();
        self.device.dispatch(0, &parts, constants, workgroups)?;
        for ((bytes, part), _) in bindings.iter_mut().zip(&parts).zip(&self.written).filter(|(_, written)| **written) {
            if !bytes.is_empty() {
                self.device.read(*part, bytes)?;
            }
        }
        self.device.finish()?;
        self.device.end_call();
        spans.into_iter().for_each(|(span, _)| self.device.free(span));
        Ok(())
    }
}
