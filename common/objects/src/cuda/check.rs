//! Checks that CUDA code holds the kernel of an interface.
use super::{CudaCode, CudaKernel, CudaKind};
use crate::{CodeArgument, KernelAbi, NumberKind};
use halyard_diag::{Error, Result, either, nearest};

/// The most threads of a block: in all, and in x, y and z.
const MOST_THREADS: u32 = 1024;
const MOST_SIZE: [u32; 3] = [1024, 1024, 64];
/// The most bytes of shared memory that a block of any chip takes.
const MOST_SHARED: u64 = 227 << 10;

/// What a kernel is launched with, as its declaration states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CudaLaunch {
    /// The threads of a block, if stated.
    pub size: Option<[u32; 3]>,
    /// Threads of a block where neither that nor the code says how many.
    pub usual: Option<[u32; 3]>,
    /// Bytes of shared memory that are given at the launch.
    pub shared_memory: u64,
}

/// The kernel that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaFitted {
    /// The name that it has in the code, where that is not the name of the export.
    pub renamed: Option<String>,
    /// The threads of a block.
    pub workgroup_size: [u32; 3],
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// Checks that code holds the kernel of an interface: a kernel of its name (in PTX the only one may have another), as many
/// parameters of 8 bytes as the kernel ABI has, a block that devices take, nothing undefined. Errors: the first thing that
/// does not fit.
pub fn fit_cuda(code: &CudaCode, abi: &KernelAbi, launch: CudaLaunch) -> Result<CudaFitted> {
    if let Some(name) = code.undefined.first() {
        return Err(undefined(code, name));
    }
    let mut remarks = Vec::new();
    let found = code.kernels.iter().find(|k| k.name == abi.name);
    let (kernel, renamed) = match (found, code.kernels.as_slice()) {
        (Some(kernel), _) => (kernel, None),
        (None, [only]) if code.kind == CudaKind::Ptx => {
            remarks.push(format!("its kernel `{}` is called `{}` from now on", only.name, abi.name));
            (only, Some(only.name.clone()))
        }
        _ => return Err(no_kernel(code, abi)),
    };
    let place = Place { owner: &code.owner, abi };
    place.parameters(kernel)?;
    let workgroup_size = place.block(kernel, launch)?;
    if code.dynamic_shared && launch.shared_memory == 0 {
        let error = place.wrong("uses shared memory whose size is given at the launch (`extern __shared__`)");
        return Err(error.hint("set it: `--shared-memory=NAME=BYTES`, or `hal.shared_memory` in a declaration"));
    }
    if launch.shared_memory > MOST_SHARED {
        let text =
            format!("is given {} bytes of shared memory; no device has more than {MOST_SHARED}", launch.shared_memory);
        return Err(place.wrong(text));
    }
    Ok(CudaFitted { renamed, workgroup_size, remarks })
}

fn undefined(code: &CudaCode, name: &str) -> Error {
    let error = Error::input(format!("{}: it needs the function `{name}`, which nothing defines", code.owner))
        .code("undefined-symbol");
    if name.starts_with("__nv_") {
        let error = error.note("it is a function of NVIDIA's libdevice");
        return error.hint("link it when compiling: `clang … -Xclang -mlink-builtin-bitcode -Xclang libdevice.10.bc`");
    }
    error.hint("compile the functions that a kernel calls together with it")
}

fn no_kernel(code: &CudaCode, abi: &KernelAbi) -> Error {
    let names: Vec<&str> = code.kernels.iter().map(|k| k.name.as_str()).collect();
    let error = Error::input(format!("{}: there is no kernel `{}`", code.owner, abi.name)).code("missing-kernel");
    if names.is_empty() {
        return error.note("it has no kernel at all").hint("a kernel is a function with `__global__`");
    }
    // C++ writes the length before a name.
    if let Some(name) =
        names.iter().find(|n| n.starts_with("_Z") && n.contains(&format!("{}{}", abi.name.len(), abi.name)))
    {
        return error.note(format!("it has `{name}`, a name of C++")).hint("declare it `extern \"C\"`");
    }
    let list: Vec<_> = names.iter().take(5).map(|n| format!("`{n}`")).collect();
    let error = error.note(format!("it has {}{}", list.join(", "), if names.len() > 5 { ", …" } else { "" }));
    match nearest(&abi.name, names.iter().copied()).as_slice() {
        [] => error.hint(format!("the kernel must be called `{}`", abi.name)),
        near => error.hint(format!("did you mean {}? the kernel must be called `{}`", either(near), abi.name)),
    }
}

struct Place<'a> {
    owner: &'a str,
    abi: &'a KernelAbi,
}

impl Place<'_> {
    fn wrong(&self, why: impl AsRef<str>) -> Error {
        Error::input(format!("{}: kernel `{}` {}", self.owner, self.abi.name, why.as_ref())).code("wrong-signature")
    }

    /// Returns the description of parameter `i`, and its kind if it is a scalar that a declaration requires.
    fn parameter(&self, i: usize) -> Option<(String, Option<NumberKind>)> {
        if let Some(arguments) = &self.abi.arguments {
            return arguments.get(i).map(|argument| match argument {
                CodeArgument::Number(n) => (format!("`{}`, of type `{}`,", n.what, n.kind.name()), Some(n.kind)),
                CodeArgument::Buffer { binding, .. } => {
                    (format!("a pointer to {}", self.abi.bindings[*binding].what), None)
                }
                CodeArgument::Workgroup => ("the workgroup".into(), None),
            });
        }
        let (bindings, constants) = (self.abi.bindings.len(), self.abi.constants.len());
        if let Some(binding) = self.abi.bindings.get(i) {
            return Some((format!("a pointer to {}", binding.what), None));
        }
        if let Some(constant) = self.abi.constants.get(i - bindings) {
            return Some((format!("{}, an `int64_t`", constant.what), None));
        }
        self.abi.load_constants.get(i - bindings - constants).map(|name| (format!("`{name}`, an `int64_t`"), None))
    }

    fn parameters(&self, kernel: &CudaKernel) -> Result<()> {
        let expected = match &self.abi.arguments {
            Some(arguments) => arguments.len(),
            None => self.abi.bindings.len() + self.abi.constants.len() + self.abi.load_constants.len(),
        };
        let hint = match self.abi.arguments {
            Some(_) => "`hal.arguments` says what the code takes, in order",
            None => {
                "`hal-extract --as=cuda` writes a kernel of the right interface; `hal.arguments` declares another one"
            }
        };
        let found = kernel.parameters.len();
        if found != expected {
            let more = match self.parameter(found.min(expected)) {
                Some((what, _)) if found < expected => format!("; the first that is missing is {what}"),
                _ => String::new(),
            };
            let plural = if found == 1 { "" } else { "s" };
            return Err(self
                .wrong(format!("takes {found} parameter{plural}, a kernel of this interface {expected}{more}"))
                .hint(hint));
        }
        for (i, parameter) in kernel.parameters.iter().enumerate() {
            let (what, kind) = self.parameter(i).expect("there are as many");
            let bytes = kind.map_or(8, |kind| kind.bits() / 8);
            let float = matches!(&*parameter.ty, ".f32" | ".f64");
            // The type of an array of bytes, and of all parameters of machine code, says nothing.
            let other_kind = float && !matches!(kind, Some(NumberKind::Float(_) | NumberKind::Bits(_)));
            if parameter.bytes != bytes || other_kind {
                let text = format!("has the parameter {i} of type `{}`, where {what} is passed", parameter.ty);
                return Err(self.wrong(text).hint(hint));
            }
        }
        Ok(())
    }

    fn block(&self, kernel: &CudaKernel, launch: CudaLaunch) -> Result<[u32; 3]> {
        let text = |size: [u32; 3]| size.map(|n| n.to_string()).join(" × ");
        let size = match (kernel.required, launch.size) {
            (Some(required), Some(said)) if required != said => {
                let text =
                    format!("must have blocks of {} threads (`.reqntid`), {} are declared", text(required), text(said));
                return Err(self.wrong(text));
            }
            (Some(size), _) | (None, Some(size)) => size,
            (None, None) => launch.usual.ok_or_else(|| {
                let error = self.wrong("does not declare its block size");
                error.hint("set it: `--workgroup-size=NAME=X,Y,Z`, or `hal.workgroup_size` in a declaration")
            })?,
        };
        let threads = size.iter().try_fold(1u32, |n, &s| n.checked_mul(s)).unwrap_or(u32::MAX);
        if threads == 0 || threads > MOST_THREADS || size.iter().zip(MOST_SIZE).any(|(s, most)| *s > most) {
            let error = self.wrong(format!("has blocks of {} threads, which no device takes", text(size)));
            return Err(error.note(format!("devices take {MOST_THREADS} threads in all, at most {}", text(MOST_SIZE))));
        }
        if let Some(most) = kernel.most.filter(|most| threads > *most) {
            let text = format!("was compiled for blocks of at most {most} threads, and is given {}", text(size));
            return Err(self.wrong(text).hint("`__launch_bounds__` says how many"));
        }
        Ok(size)
    }
}
