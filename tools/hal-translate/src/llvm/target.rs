//! What LLVM needs to know of a kind of device.
use halyard_diag::Result;
use halyard_ir::{Builder, Module, Value};
use inkwell::{OptimizationLevel, context::Context, module::Module as LlvmModule, targets::TargetMachine};

/// What LLVM needs to know of a device.
pub(crate) trait LlvmTarget {
    /// Its code generator. Errors: LLVM has none.
    fn machine(&self, level: OptimizationLevel) -> Result<TargetMachine>;

    /// The format of objects, as `hal.objects` has it.
    fn format(&self) -> &'static str;

    /// Whether LLVM writes objects for it; it writes text otherwise, which is what is in a program.
    fn has_objects(&self) -> bool;

    /// Whether threads take the place of vectors.
    fn is_gpu(&self) -> bool;

    /// The dialect of the operations that stand for its registers and instructions; `None` for CPUs.
    fn dialect(&self) -> Option<&'static str>;

    /// Whether it computes with `f16` itself, and converts between `f32` and `bf16` itself.
    fn narrow_floats(&self) -> (bool, bool);

    /// What a device must have, as `hal.features` has it.
    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    /// For a GPU whose blocks have more than one thread also where no kernel was emitted: the threads.
    fn threads(&self) -> Option<BlockThreads> {
        None
    }

    /// For a GPU: makes a kernel of an export in the LLVM dialect.
    fn finish(&self, _module: &Module<'_>, _export: &str) -> Result<Option<BlockLaunch>> {
        Ok(None)
    }

    /// Gives a module for it what it lacks: attributes, functions. Errors: calls of what the device does not have; names of
    /// kernels that it does not allow.
    fn complete<'c>(&self, context: &'c Context, module: &LlvmModule<'c>, exports: &[String]) -> Result<()>;
}

/// The threads of a block.
#[derive(Clone, Copy)]
pub(crate) struct BlockThreads {
    /// How many there may be.
    pub most: i64,
    /// The number of one in x, y (1) or z, as an `index`.
    pub id: fn(&Builder, usize) -> Value,
}

/// How a kernel of a GPU is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockLaunch {
    /// The threads of a block.
    pub block: [i64; 3],
    /// The bytes of shared memory that the launch gives to a block.
    pub shared_memory: u64,
    /// Whether it came the way of CPUs.
    pub fallback: bool,
}
