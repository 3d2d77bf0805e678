//! What a kind of device has to give for its code, and what it is asked to translate.
use crate::{
    job::{Done, Job},
    llvm::{Backend, Code, LlvmTarget},
    options::Options,
    target::Target,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session};
use halyard_kernel::MachineModel;
use halyard_stages::{CompiledPipeline, Step};
use std::path::Path;

/// A pipeline from an export to what code is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodePipeline {
    /// Its name, for `--pipeline`.
    pub name: &'static str,
    /// Whether `--fast-math` is a step of it, which a pipeline file in its place could lack.
    pub has_fast_math: bool,
}

/// A kind of `--emit` that is for one kind of device.
#[derive(Debug, PartialEq, Eq)]
pub struct DeviceFormat {
    /// The value of the flag.
    pub(crate) name: &'static str,
    /// What it is, for help.
    pub(crate) help: &'static str,
    /// The kind of device.
    pub(crate) device: &'static str,
    /// What is generated for it.
    pub(crate) code: Code,
    /// Whether it is nothing for a terminal.
    pub(crate) is_binary: bool,
    /// Whether the vendor's assembler makes it of what is generated.
    pub(crate) is_assembled: bool,
}

/// What a kind of device has to give for its code.
pub(crate) trait CodeTarget {
    /// The pipeline from an export to what code is made of: a name that `--pipeline` takes.
    fn pipeline(&self) -> &'static str;

    /// The dialects of operations that are built for it, beside those of [`crate::codegen`].
    fn dialects(&self) -> &'static [&'static str] {
        &[]
    }

    /// What the emitter of kernels knows of the device. `step` is the step of the pipeline, which may say otherwise.
    fn machine_model(&self, step: &Step, options: Options) -> MachineModel;

    /// The suffix of a file with code; `None` if there is no such code.
    fn suffix(&self, code: Code) -> Option<&'static str>;

    /// The value of `--emit` for what its objects are.
    fn object_kind(&self) -> &'static str;

    /// LLVM's view of it; `None` if its code does not go by way of LLVM.
    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        None
    }

    /// Gives exports in an object other names; `None` if that does not give, byte for byte, what their translation under these
    /// names would.
    fn rename(&self) -> Option<RenameExports> {
        None
    }

    /// Translates the executables of a job.
    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>>;

    /// Machine code of an object, by the vendor's assembler: `tool`, or the one on `PATH`. Errors: it has none; what it says.
    fn assemble(&self, _tool: Option<&Path>, _object: &[u8]) -> Result<Vec<u8>> {
        Err(Error::usage("there is no assembler for this target"))
    }
}

/// Renames the exports in an object: each old name, its new one. The last argument is the section that says which weights
/// they take packed, under the new names. Errors: the object is damaged.
pub(crate) type RenameExports = fn(&[u8], &[(String, String)], Vec<u8>) -> Result<Vec<u8>>;

/// Executables to translate for a target.
pub(crate) struct Task<'t, 's> {
    pub session: &'s Session,
    pub job: &'t Job,
    /// What they are for.
    pub target: &'t Target,
    pub options: Options,
    /// The pipeline of the target.
    pub pipeline: &'t CompiledPipeline<'s>,
    /// LLVM for the target; `None` if its code does not go by way of it.
    pub backend: Option<&'t Backend<'t>>,
    /// What to write.
    pub code: Code,
}

impl Task<'_, '_> {
    /// The exports of the executables, which are alike, in order.
    pub(crate) fn exports(&self) -> Vec<Op> {
        let wanted = &self.job.members[0].exports;
        let ops = self.job.op.body().map(|b| b.ops()).unwrap_or_default();
        ops.into_iter().filter(|op| op.symbol().is_some_and(|name| wanted.contains(&name))).collect()
    }
}
