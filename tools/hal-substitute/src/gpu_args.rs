//! Flags for GPU kernels.
use crate::{ArgumentsArg, SubstitutionName, Workgroups, problems::Problems, request::Request};
use halyard_diag::Error;
use halyard_targets::{LaunchSetting, files_with_setting, gpu_of, has_setting};
use std::{fmt, str::FromStr};

/// Flags for kernels on GPUs.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct GpuArgs {
    /// Set the threads per workgroup of the GPU kernels of NAME [default: as the code declares, else that of the
    /// variant]
    #[arg(long, value_name = "NAME=X[,Y[,Z]]")]
    pub workgroup_size: Vec<Workgroups>,
    /// Give each workgroup of the CUDA kernels of NAME this much shared memory beyond what the code declares
    #[arg(long, value_name = "NAME=BYTES")]
    pub shared_memory: Vec<SharedMemory>,
    /// Set a specialisation constant of the SPIR-V of NAME, by number or name
    #[arg(long, value_name = "NAME:CONSTANT=VALUE")]
    pub spec_constant: Vec<SpecConstantArg>,
    /// List the arguments of the GPU kernels of NAME, in order, if they differ from the kernel ABI, as `hal.arguments` in a
    /// declaration: buffers, sizes : i32, dim(arg0, 1), 64 [default: as the variant says, else the kernel ABI]
    #[arg(long, value_name = "NAME=ITEM[,…]")]
    pub arguments: Vec<ArgumentsArg>,
}

impl GpuArgs {
    /// Returns the names in all flags.
    pub(crate) fn names_mut(&mut self) -> impl Iterator<Item = &mut SubstitutionName> {
        let sizes = self.workgroup_size.iter_mut().map(|s| &mut s.name);
        let shared = self.shared_memory.iter_mut().map(|s| &mut s.name);
        let arguments = self.arguments.iter_mut().map(|a| &mut a.name);
        sizes.chain(shared).chain(self.spec_constant.iter_mut().map(|c| &mut c.name)).chain(arguments)
    }

    /// Returns the words of a command line that has these flags, with a prefix.
    pub fn words(&self, prefix: &str) -> Vec<String> {
        let sizes = self.workgroup_size.iter().map(|s| format!("--{prefix}workgroup-size={s}"));
        let shared = self.shared_memory.iter().map(|s| format!("--{prefix}shared-memory={s}"));
        let constants = self.spec_constant.iter().map(|c| format!("--{prefix}spec-constant={c}"));
        let arguments = self.arguments.iter().map(|a| format!("--{prefix}arguments={a}"));
        sizes.chain(shared).chain(constants).chain(arguments).collect()
    }

    /// Checks that every setting applies to GPU code: others would have no effect.
    pub(crate) fn check(&self, requests: &[Request], problems: &mut Problems) {
        for arguments in &self.arguments {
            let is_for_gpu = |r: &Request| r.files.iter().any(|f| gpu_of(f.kind).is_some());
            if requests.iter().any(|r| r.name.overlaps(&arguments.name) && is_for_gpu(r)) {
                continue;
            }
            let text = format!("`--arguments={arguments}` matches no given code for a GPU");
            let error = Error::usage(text).code("unknown-name");
            problems.add(
                error.hint("for a CPU, a few lines of MLIR call the code: docs/kernel-abi.md#arguments-of-your-own"),
            );
        }
        let mut check = |name: &SubstitutionName, setting: LaunchSetting, flag: String| {
            let has_file = |r: &Request| r.files.iter().any(|f| has_setting(f.kind, setting));
            if !requests.iter().any(|r| r.name.overlaps(name) && has_file(r)) {
                let what = files_with_setting(setting);
                let error = Error::usage(format!("`{flag}` matches no given {what}")).code("unknown-name");
                problems.add(error.hint("use it together with a file of the same name: `NAME=FILE`"));
            }
        };
        for size in &self.workgroup_size {
            check(&size.name, LaunchSetting::WorkgroupSize, format!("--workgroup-size={size}"));
        }
        for shared in &self.shared_memory {
            check(&shared.name, LaunchSetting::SharedMemory, format!("--shared-memory={shared}"));
        }
        for constant in &self.spec_constant {
            check(&constant.name, LaunchSetting::SpecConstant, format!("--spec-constant={constant}"));
        }
    }
}

/// The value of `--shared-memory`: `NAME=BYTES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMemory {
    /// The kernels.
    pub name: SubstitutionName,
    /// Bytes for each workgroup.
    pub bytes: u64,
}

/// The value of `--spec-constant`: `NAME:CONSTANT=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstantArg {
    /// The kernels.
    pub name: SubstitutionName,
    /// Its number or its name in the source.
    pub constant: String,
    /// An integer; truth values are 0 and 1.
    pub value: i64,
}

impl FromStr for SharedMemory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, bytes) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=BYTES"))?;
        let bytes = bytes.trim().parse().map_err(|_| format!("`{bytes}` is no number of bytes"))?;
        Ok(Self { name: name.parse::<SubstitutionName>()?.or_all(), bytes })
    }
}

impl FromStr for SpecConstantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(key, value)| Some((key.rsplit_once(':')?, value)));
        let ((name, constant), value) = parts.ok_or_else(|| format!("`{text}` is not NAME:CONSTANT=VALUE"))?;
        if constant.is_empty() {
            return Err(format!("`{text}` names no constant"));
        }
        let value = value.trim().parse().map_err(|_| format!("`{value}` is no integer"))?;
        Ok(Self { name: name.parse::<SubstitutionName>()?.or_all(), constant: constant.to_owned(), value })
    }
}

impl fmt::Display for SharedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name.without_all(), self.bytes)
    }
}

impl fmt::Display for SpecConstantArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}={}", self.name.without_all(), self.constant, self.value)
    }
}
