//! NVIDIA GPUs: the differences from CPUs in the translation from LLVM IR to PTX.
//!
//! Generated kernels contain their own arithmetic for most mathematical functions. Remaining LLVM intrinsics and calls
//! of the C library (which LLVM's code generator for PTX does not support, and exits) are replaced by functions of a
//! small library, see [`provide_functions`].
use crate::llvm::{missing_functions, provide_functions};
use halyard_diag::{Error, Result};
use halyard_targets::CudaTarget;
use inkwell::{
    OptimizationLevel,
    context::Context,
    module::Module,
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
};

/// The triple of PTX with 64-bit addresses.
const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// Functions that ptxas resolves.
const SYSTEM_CALLS: &[&str] = &["malloc", "free", "vprintf", "__assertfail"];

/// LLVM's code generator for a chip. The version of PTX is not given: LLVM takes the first one that knows the chip, and
/// would end the process on an older one.
pub(super) fn machine(target: CudaTarget, level: OptimizationLevel) -> Result<TargetMachine> {
    let triple = TargetTriple::create(TRIPLE);
    Target::from_triple(&triple)
        .ok()
        .and_then(|t| t.create_target_machine(&triple, target.chip, "", level, RelocMode::Default, CodeModel::Default))
        .ok_or_else(|| Error::usage(format!("LLVM cannot generate code for `{target}`")).code("bad-target"))
}

/// Adds the functions that a module's kernels call. Fails for calls of functions that a GPU lacks, naming all of them.
pub(super) fn complete<'c>(context: &'c Context, module: &Module<'c>) -> Result<()> {
    provide_functions(context, module)?;
    let missing: Vec<String> = missing_functions(module)
        .into_iter()
        .filter(|name| !SYSTEM_CALLS.contains(&name.as_str()))
        .map(|name| format!("`{name}`"))
        .collect();
    match missing.as_slice() {
        [] => Ok(()),
        [one] => Err(Error::input(format!("it calls {one}, which a CUDA device does not have")).code("unsupported-op")),
        several => Err(Error::input(format!("it calls {}, which a CUDA device does not have", several.join(", ")))
            .code("unsupported-op")),
    }
}

/// Errors: a name of a kernel that PTX cannot have.
pub(super) fn check_entry(name: &str) -> Result<()> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || (c == '_' && name.len() > 1));
    if first && name.chars().all(fine) {
        return Ok(());
    }
    Err(Error::input(format!("export `@{name}` cannot be a kernel for CUDA under this name"))
        .code("bad-name")
        .note("names in PTX have letters, digits, `_` and `$`, and start with a letter or `_`")
        .hint("rename the function"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_ptx_has() {
        for good in ["main_dispatch_0", "_x", "a$b1"] {
            assert!(check_entry(good).is_ok(), "{good}");
        }
        for bad in ["", "_", "1a", "a.b", "a-b", "ä"] {
            assert!(check_entry(bad).is_err(), "{bad}");
        }
    }
}
