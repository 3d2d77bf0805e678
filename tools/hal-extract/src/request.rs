//! What to extract, and what other tools do for it.
use crate::args::ExtractKind as As;
use halyard_cli::Input;
use halyard_diag::{Diagnostic, ErrorKind, Result, Severity};
use halyard_ir::form::{Executable, Program};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The name, in the folder that people chose; it may name a folder in there.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// Code that was generated for a variant of an executable.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The executable.
    pub executable: String,
    /// The variant, as hal-translate calls it.
    pub variant: String,
    /// Suffixes of file names (`ll`, `optimized.ll`, `s`, `o`) and contents.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The schedule of an export, for a target.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// The executable.
    pub executable: String,
    /// The export.
    pub export: String,
    /// The target, as schedules name it.
    pub target: String,
    /// The choices for each nest, as `hal.schedule` has them.
    pub nests: Vec<String>,
}

/// The services that extraction needs from other tools.
pub trait ObjectGenerator {
    /// Generates code for all executables of a program in phase `executables`; `targets` is in the words of
    /// hal-translate, empty for its default. In order of executables and targets.
    fn code(&self, program: &[u8], targets: &[String]) -> Result<Vec<Generated>>;
    /// The schedules of all executables of a program in phase `executables`, in order, for targets as above.
    fn schedules(&self, program: &[u8], targets: &[String]) -> Result<Vec<Scheduled>>;
    /// Translates, if it has not been done, and links a program to a shared object in `output`.
    fn link(&self, program: &[u8], weights: &[PathBuf], objects: &[PathBuf], output: &Path) -> Result<()>;
    /// Runs a function of a linked program on its inputs and writes what its dispatches read and wrote to a file.
    fn record(&self, program: &Path, function: &str, inputs: &Inputs, output: &Path) -> Result<()>;
}

/// The inputs of the program.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Functions to run; all that are public if there are none.
    pub functions: Vec<String>,
    /// Tensors in the words of hal-run; the others are random.
    pub tensors: Vec<String>,
    /// The size of dynamic dimensions of the others.
    pub size: Option<u32>,
    /// Modules with functions that the host program calls.
    pub modules: Vec<PathBuf>,
    /// Plugins with functions that kernels call.
    pub plugins: Vec<PathBuf>,
    /// Load-time constants in the words of hal-run.
    pub constants: Vec<String>,
}

/// What to extract.
pub struct Extract<'a> {
    /// The program that the executables are in.
    pub program: Program,
    /// Which executables.
    pub executables: &'a [Executable],
    /// What of them.
    pub kinds: &'a [As],
    /// Other tools.
    pub generator: &'a dyn ObjectGenerator,
    /// What benchmarks run on.
    pub inputs: &'a Inputs,
    /// The program that says what is expected, if not this one with what its sources compute.
    pub reference: Option<&'a [u8]>,
    /// What `hal-run --record` wrote, in the place of a run.
    pub record: Option<&'a Input>,
    /// Where weight archives are.
    pub weights_path: &'a [PathBuf],
    /// Where objects are that the program names.
    pub object_path: &'a [PathBuf],
    /// Whether what an executable does not have is a remark, not an error.
    pub lenient: bool,
}

impl Extract<'_> {
    /// What came of it or, where that is allowed, nothing and a remark.
    pub(crate) fn soften<T: Default>(&self, result: Result<T>, remarks: &mut Vec<Diagnostic>) -> Result<T> {
        match result {
            // A broken environment is no property of an executable.
            Err(e) if self.lenient && e.kind != ErrorKind::Environment => {
                remarks.extend(e.diagnostics.into_iter().map(|mut d| {
                    d.severity = Severity::Warning;
                    d
                }));
                Ok(T::default())
            }
            other => other,
        }
    }
}
