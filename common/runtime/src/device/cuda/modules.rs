//! Loads the code of a program on a device.
use super::{
    adapter::CudaAdapter,
    driver::{check, describe},
};
use crate::{
    commands::{CodeFormat, DeviceArgument, DeviceCode},
    device::{Adapter, DeviceKernel, DeviceRange},
};
use cudarc::driver::sys::{
    self, CUdevice_attribute as DeviceAttribute, CUfunction_attribute as FunctionAttribute, CUjit_option as JitOption,
    CUresult,
};
use halyard_diag::{Error, Result};
use std::ffi::{CString, c_void};

/// Dynamic shared memory that every kernel may have without asking, in bytes.
const USUAL_SHARED: u32 = 48 << 10;
/// The bytes of parameters that every kernel may have, see the programming guide of CUDA ("function parameters").
const MOST_PARAMETERS: usize = 4096;

/// A kernel that is ready to be launched.
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) function: sys::CUfunction,
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
    /// For each binding, whether the kernel writes it.
    pub(super) written: Vec<bool>,
    /// The properties of the code.
    pub(super) code: DeviceCode,
}

impl Kernel {
    /// Appends the arguments of a launch, a word each: the driver takes as much of it as the parameter has. Errors: a number
    /// that does not fit.
    pub(super) fn words(&self, bindings: &[DeviceRange], constants: &[i64], to: &mut Vec<u64>) -> Result<()> {
        let Some(arguments) = &self.code.arguments else {
            to.extend(bindings.iter().map(|b| b.address).chain(constants.iter().map(|&c| c as u64)));
            return Ok(());
        };
        let mut numbers = Vec::new();
        self.code.numbers(&self.name, constants, &mut numbers)?;
        let mut numbers = numbers.into_iter();
        to.extend(arguments.iter().map(|argument| match argument {
            DeviceArgument::Buffer { binding, .. } => bindings[*binding as usize].address,
            DeviceArgument::Number { .. } => numbers.next().expect("one for each") as u64,
        }));
        Ok(())
    }
}

/// The loaded modules. They stay loaded until [`Modules::unload`].
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Each with the address of the bytes that it was made of.
    loaded: Vec<(*const u8, sys::CUmodule)>,
}

impl Modules {
    /// Loads the module of a kernel, unless it is loaded, and finds the kernel in it. Fails if the driver rejects the
    /// code (with its message), if there is no such kernel, or if it exceeds limits of the device.
    pub(super) fn kernel(&mut self, adapter: &CudaAdapter, kernel: &DeviceKernel<'_>) -> Result<Kernel> {
        let at = kernel.module.as_ptr();
        let module = match self.loaded.iter().find(|(known, _)| *known == at) {
            Some((_, module)) => *module,
            None => {
                let module = load(adapter, kernel)?;
                self.loaded.push((at, module));
                module
            }
        };
        let code = kernel.code;
        let entry = CString::new(code.entry.as_str()).unwrap_or_default();
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name ends with a zero.
        match unsafe { sys::cuModuleGetFunction(&mut function, module, entry.as_ptr()) } {
            CUresult::CUDA_ERROR_NOT_FOUND => {
                return Err(Error::input(format!(
                    "the code of kernel `{}` has no kernel `{}`",
                    kernel.name, code.entry
                ))
                .code("missing-kernel"));
            }
            code => check(code, "find a kernel")?,
        }
        let found = Kernel {
            name: kernel.name.to_owned(),
            function,
            block: code.workgroup_size,
            shared: code.shared_memory,
            written: kernel.written.to_vec(),
            code: code.clone(),
        };
        let usual = kernel.written.len() + code.constants.len() + kernel.load_constants.len();
        limits(adapter, &found, code.arguments.as_ref().map_or(usual, Vec::len) * 8)?;
        if found.shared > 0 {
            let what = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is loaded.
            let code = unsafe { sys::cuFuncSetAttribute(function, what, found.shared as i32) };
            if found.shared > USUAL_SHARED {
                check(code, &format!("give kernel `{}` {} bytes of shared memory", found.name, found.shared))?;
            }
        }
        Ok(found)
    }

    /// Unloads everything: no kernel runs any more.
    pub(super) fn unload(&mut self) {
        for (_, module) in self.loaded.drain(..) {
            // SAFETY: it was loaded, and nothing uses it.
            unsafe { sys::cuModuleUnload(module) };
        }
    }
}

/// Whether the kernels of a module allocate from the device's heap.
pub(super) fn takes_memory(module: &[u8]) -> bool {
    // As LLVM declares it in PTX; in machine code it is a symbol.
    module.windows(8).any(|w| w == b" malloc\n" || w == b" malloc(" || w == b"\0malloc\0")
}

fn load(adapter: &CudaAdapter, kernel: &DeviceKernel<'_>) -> Result<sys::CUmodule> {
    let mut image = kernel.module.to_vec();
    if kernel.code.format == CodeFormat::Ptx {
        image.push(0);
    }
    let mut log = vec![0u8; 8 << 10];
    let mut options = [JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
    let mut module = std::ptr::null_mut();
    // SAFETY: text ends with a zero, machine code tells its own length; there are as many values as options, and the buffer
    // has the length that is told.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&mut module, image.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    let what = format!("the code of kernel `{}`", kernel.name);
    let error = match code {
        CUresult::CUDA_SUCCESS => return Ok(module),
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => Error::environment(format!("{what} is not for {}", adapter.title()))
            .code("wrong-architecture")
            .hint("translate it for this device, too: `--target=cuda:sm_XX`"),
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            Error::environment(format!("{what} uses a newer PTX version than the CUDA driver supports"))
                .code("old-driver")
                .hint("install a newer driver, or give machine code: `--emit=cubin`")
        }
        CUresult::CUDA_ERROR_INVALID_PTX | CUresult::CUDA_ERROR_INVALID_IMAGE => {
            Error::input(format!("the CUDA driver does not take {what}: {}", describe(code))).code("bad-code")
        }
        code => match check(code, &format!("load {what}")) {
            Ok(()) => return Ok(module),
            Err(error) => error,
        },
    };
    let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
    let said = String::from_utf8_lossy(&log[..end]);
    let lines = said.lines().map(str::trim).filter(|l| !l.is_empty()).take(5);
    Err(lines.fold(error, |error, line| error.note(format!("the driver says: {line}"))))
}

/// Errors: more threads, shared memory or parameters than the device has.
fn limits(adapter: &CudaAdapter, kernel: &Kernel, parameters: usize) -> Result<()> {
    let of_function = |attribute| {
        let mut value = 0;
        // SAFETY: the function is loaded.
        let code = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, kernel.function) };
        if code == CUresult::CUDA_SUCCESS { u64::from(value.unsigned_abs()) } else { 0 }
    };
    let over = |what: String, limit: u64| {
        let has = if limit == 0 { "none".to_owned() } else { format!("at most {limit}") };
        Err(Error::environment(format!("kernel `{}` needs {what}, {} has {has}", kernel.name, adapter.title()))
            .code("device-limit"))
    };
    let most_of = |attribute| u64::from(adapter.attribute(attribute).unsigned_abs());
    let axes = [
        DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
        DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
        DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
    ];
    for ((axis, attribute), size) in ["x", "y", "z"].iter().zip(axes).zip(kernel.block) {
        let most = most_of(attribute);
        if u64::from(size) > most {
            return over(format!("workgroups of {size} threads in {axis}"), most);
        }
    }
    let threads: u64 = kernel.block.iter().map(|&n| u64::from(n)).product();
    let most = of_function(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if threads == 0 || threads > most {
        return over(format!("workgroups of {threads} threads"), most);
    }
    let shared = of_function(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + u64::from(kernel.shared);
    let most = most_of(DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        .max(most_of(DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    if shared > most {
        return over(format!("{shared} bytes of shared memory"), most);
    }
    if parameters > MOST_PARAMETERS {
        return over(format!("{parameters} bytes of parameters"), MOST_PARAMETERS as u64);
    }
    Ok(())
}
