//! The interface of code generation for a kind of device.
use crate::{
    debug_info::DebugInfo,
    job::{Done, Job},
    llvm::{Backend, Code, LlvmTarget},
    options::Options,
    target::Target,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session, lines::LineTables};
use halyard_kernel::MachineModel;
use halyard_stages::{CompiledPipeline, Step};
use std::path::Path;

/// A pipeline from an export to what code is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodePipeline {
    /// The pipeline's name, for `--pipeline`.
    pub name: &'static str,
    /// Whether one of its steps implements `--fast-math`; a pipeline that replaces it could lack that.
    pub has_fast_math: bool,
}

/// A kind of `--emit` that is for one kind of device.
#[derive(Debug, PartialEq, Eq)]
pub struct DeviceFormat {
    /// The value of the flag.
    pub(crate) name: &'static str,
    /// The description for help.
    pub(crate) help: &'static str,
    /// The kind of device.
    pub(crate) device: &'static str,
    /// The code that is generated.
    pub(crate) code: Code,
    /// Whether the format is binary, which is not written to terminals.
    pub(crate) is_binary: bool,
    /// Whether the vendor's assembler makes it from generated code.
    pub(crate) is_assembled: bool,
}

/// Code generation for a kind of device.
pub(crate) trait CodeTarget {
    /// The pipeline from an export to what code is made of: a name that `--pipeline` takes.
    fn pipeline(&self) -> &'static str;

    /// The dialects of operations that are built for it, beside those of [`crate::codegen`].
    fn dialects(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the machine model of the device. `step` is the step of the pipeline, whose options may override it.
    fn machine_model(&self, step: &Step, options: Options) -> MachineModel;

    /// The suffix of a file with code; `None` if there is no such code.
    fn suffix(&self, code: Code) -> Option<&'static str>;

    /// The value of `--emit` for what its objects are.
    fn object_kind(&self) -> &'static str {
        "obj"
    }

    /// Returns the interface to LLVM; `None` if LLVM does not generate its code.
    fn llvm(&self) -> Option<&dyn LlvmTarget> {
        None
    }

    /// Gives exports in an object other names; `None` if that does not give, byte for byte, what their translation under these
    /// names would.
    fn rename(&self) -> Option<RenameExports> {
        None
    }

    /// The kind of line tables that its code can have, with `-g`.
    fn line_tables(&self) -> Option<LineTables> {
        self.llvm().map(|llvm| if llvm.is_gpu() { LineTables::Directives } else { LineTables::Dwarf })
    }

    /// Translates the executables of a job.
    fn translate(&self, task: &Task<'_, '_>) -> Result<Vec<Done>>;

    /// Assembles an object to machine code with the vendor's assembler: `tool`, or the one on `PATH`. Fails if there
    /// is no assembler, or with its message.
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
    /// The target of the code.
    pub target: &'t Target,
    pub options: Options,
    /// Line tables, if its code has them.
    pub debug: Option<&'t DebugInfo>,
    /// The pipeline of the target.
    pub pipeline: &'t CompiledPipeline<'s>,
    /// LLVM for the target; `None` if LLVM does not generate its code.
    pub backend: Option<&'t Backend<'t>>,
    /// The kind of code to generate.
    pub code: Code,
}

impl Task<'_, '_> {
    /// The exports of the executables, which are alike, in order.
    pub(crate) fn exports(&self) -> Vec<Op> {
        let wanted = &self.job.members[0].exports;
        let ops = self.job.op.body_ops();
        ops.into_iter().filter(|op| op.symbol().is_some_and(|name| wanted.contains(&name))).collect()
    }
}
