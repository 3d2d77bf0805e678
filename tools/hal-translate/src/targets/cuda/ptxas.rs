//! Runs `ptxas`, NVIDIA's assembler, which makes machine code from PTX.
use crate::target::CudaTarget;
use halyard_diag::{Error, Result};
use halyard_exec::{Scratch, Tool};
use std::path::Path;

/// Assembles PTX. Fails if `ptxas` is not found, or with its message.
pub(super) fn assemble(path: Option<&Path>, target: CudaTarget, ptx: &[u8]) -> Result<Vec<u8>> {
    let install = "install CUDA, or the Python package `nvidia-cuda-nvcc-cu12` and give its file: `--ptxas=FILE`";
    let tool = match path {
        // A name without a slash would be searched for.
        Some(path) => Tool::find(&Path::new(".").join(path).to_string_lossy(), install)?,
        None => Tool::find("ptxas", install)?,
    };
    let scratch = Scratch::new("ptxas")?;
    scratch.write("kernel.ptx", ptx)?;
    tool.call([&format!("-arch={}", target.chip), "-o", "kernel.cubin", "kernel.ptx"])
        .folder(scratch.path())
        .env("LC_ALL", "C")
        // What it leaves if it is killed goes with the folder.
        .env("TMPDIR", scratch.path())
        .run()
        .map_err(|error| error.note("`--emit=ptx` writes what it was given"))?;
    let output = scratch.path().join("kernel.cubin");
    std::fs::read(&output).map_err(|e| Error::io("read", &output, &e))
}
