//! Code for NVIDIA GPUs: its kernels and their parameters.

mod check;
mod cubin;
mod fatbin;
mod ptx;
mod tokens;

pub use check::{CudaFitted, CudaLaunch, fit_cuda};
pub use ptx::rename_ptx;

use crate::FileFormat;
use halyard_diag::{Error, Result};

/// Code for NVIDIA GPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaCode {
    /// The name in messages: the file, or the executable and variant that it is of.
    pub owner: String,
    /// The kind: PTX, a cubin, or one of a fatbin.
    pub kind: CudaKind,
    /// The compute capability of the chip that it was made for: 90 is 9.0.
    pub capability: u32,
    /// The letter of that chip, `a` or `f`.
    pub letter: Option<char>,
    /// Its kernels, in order; empty where they cannot be seen.
    pub kernels: Vec<CudaKernel>,
    /// Functions that it calls and that are not defined.
    pub undefined: Vec<String>,
    /// Whether it uses shared memory whose size is given at the launch.
    pub dynamic_shared: bool,
}

/// The kinds of CUDA code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CudaKind {
    /// Text for any chip that is no older than its own.
    Ptx,
    /// Machine code for its own chip and newer ones of the same major version.
    Cubin,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CudaKernel {
    /// Its name.
    pub name: String,
    /// The parameters, in order.
    pub parameters: Vec<CudaParameter>,
    /// The threads that a block must have, in x, y and z, if it says so.
    pub required: Option<[u32; 3]>,
    /// The most threads of a block, if it says so.
    pub most: Option<u32>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaParameter {
    /// Its type as PTX writes it, such as `.u64`; in a cubin only its size is known, `.b64`.
    pub ty: String,
    /// The size in bytes.
    pub bytes: u32,
}

/// Inspects PTX, a cubin or a fatbin: each piece of code in it. Fails if it is something else, or damaged.
pub fn inspect_cuda(bytes: &[u8], owner: &str) -> Result<Vec<CudaCode>> {
    let bad = |why: String| Error::input(format!("{owner}: {why}")).code("bad-object");
    match FileFormat::of(bytes) {
        FileFormat::Ptx => {
            let text = std::str::from_utf8(bytes).map_err(|_| bad("the PTX is damaged: it is no text".into()))?;
            let code = ptx::read(text, owner).map_err(|why| bad(format!("the PTX is damaged: {why}")))?;
            Ok(vec![code])
        }
        FileFormat::Cubin => {
            cubin::read(bytes, owner).map(|c| vec![c]).map_err(|why| bad(format!("the cubin is damaged: {why}")))
        }
        FileFormat::Fatbin => fatbin::read(bytes, owner).map_err(|why| bad(format!("the fatbin is damaged: {why}"))),
        _ => Err(bad(format!("this is {}, neither PTX nor a cubin", FileFormat::describe(bytes)))
            .hint("make PTX with `nvcc -ptx` or `clang -x cuda --cuda-device-only -S`")),
    }
}

#[cfg(test)]
mod tests;
