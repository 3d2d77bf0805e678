//! The properties of a device that LLVM code generation needs.
use halyard_diag::Result;
use halyard_ir::{Builder, Module, Value};
use inkwell::{OptimizationLevel, context::Context, module::Module as LlvmModule, targets::TargetMachine};

/// The interface of a device to LLVM.
pub(crate) trait LlvmTarget {
    /// Its code generator. Errors: LLVM has none.
    fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine>;

    /// The format of objects, as `hal.objects` has it.
    fn format(&self) -> &'static str;

    /// Whether LLVM writes objects for it; otherwise programs contain text.
    fn has_objects(&self) -> bool {
        true
    }

    /// Whether its objects are ELF, whose symbols can be renamed. If not, code is generated anew for each set of names.
    fn has_symbols(&self) -> bool {
        self.has_objects()
    }

    /// Whether its code generator can only be used once: what it keeps of a module would be taken for a part of the next.
    fn generates_once(&self) -> bool {
        false
    }

    /// Whether it uses threads instead of vectors.
    fn is_gpu(&self) -> bool {
        self.dialect().is_some()
    }

    /// Returns the dialect of operations for its registers and instructions; `None` for CPUs.
    fn dialect(&self) -> Option<&'static str> {
        None
    }

    /// Whether it has arithmetic on `f16`, and conversions between `f32` and `bf16`.
    fn narrow_floats(&self) -> (bool, bool);

    /// Returns the features that a device must have, as in `hal.features`.
    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    /// For a GPU whose blocks may have several threads even if the kernel compiler did not emit the kernel, returns
    /// their limits.
    fn threads(&self) -> Option<BlockThreads> {
        None
    }

    /// For a GPU, turns an export in the LLVM dialect into a kernel.
    fn finish(&self, _module: &Module<'_>, _export: &str) -> Result<Option<BlockLaunch>> {
        Ok(None)
    }

    /// Completes a module for it with attributes and functions. Fails for calls of functions that the device lacks,
    /// and for names of kernels that it does not allow.
    fn complete<'c>(&self, context: &'c Context, module: &LlvmModule<'c>, exports: &[String]) -> Result<()>;
}

/// The threads of a block.
#[derive(Clone, Copy)]
pub(crate) struct BlockThreads {
    /// The largest number of threads.
    pub most: i64,
    /// The number of one in x, y (1) or z, as an `index`.
    pub id: fn(&Builder, usize) -> Value,
}

/// The launch parameters of a GPU kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockLaunch {
    /// The threads of a block.
    pub block: [i64; 3],
    /// The bytes of shared memory that the launch gives to a block.
    pub shared_memory: u64,
    /// Whether it was lowered as for CPUs.
    pub fallback: bool,
}
