//! A request for extraction, and the interface to other tools.
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

/// The inputs with which the program is run.
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

/// A request: which executables to extract, and how.
pub struct Extract<'a> {
    /// The program that the executables are in.
    pub program: Program,
    /// The executables to extract.
    pub executables: &'a [Executable],
    /// The kinds of files to write.
    pub kinds: &'a [As],
    /// Generates code that is not in the program.
    pub generator: &'a dyn ObjectGenerator,
    /// The inputs for benchmarks.
    pub inputs: &'a Inputs,
    /// The program that says what is expected, if not this one with what its sources compute.
    pub reference: Option<&'a [u8]>,
    /// The file of `hal-run --record` that replaces a run.
    pub record: Option<&'a Input>,
    /// The folders that are searched for weight archives.
    pub weights_path: &'a [PathBuf],
    /// The folders that are searched for objects that the program names.
    pub object_path: &'a [PathBuf],
    /// Whether a missing property of an executable is a remark instead of an error.
    pub lenient: bool,
}

impl Extract<'_> {
    /// Returns the result; if errors are tolerated, turns an error into a remark and returns a default.
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
