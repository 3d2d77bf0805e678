//! The interface of a kind of device. Each kind has a folder with a [`Kind`] and a type
//! that implements [`Device`]; [`crate::target`] collects them.
use crate::{
    dtypes::{DtypeTable, Requirement},
    gpu_code::{GpuCode, GpuFile, GpuKernel},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Session};
use halyard_objects::FileFormat;
use std::fmt;

/// Makes an error about `--target`.
pub(crate) fn usage(message: String) -> Error {
    Error::usage(message).code("bad-target")
}

/// A kind of device: how its targets are written and recognised.
pub(crate) struct Kind {
    /// Its name, as `--target` and `--device` have it.
    pub name: &'static str,
    /// The forms that `--target` accepts, and what each means.
    pub forms: &'static [(&'static str, &'static str)],
    /// The names of chips and features, for what follows the name of the kind and a colon. Errors: it names nothing.
    pub names: fn(&str) -> Result<Vec<NameList>>,
    /// Other words that people use for it.
    pub aliases: &'static [&'static str],
    /// Whether a word is the name of one of its chips.
    pub is_chip: fn(&str) -> bool,
    /// How to specify features of a device, for messages.
    pub feature_words: &'static str,
    /// The target attribute of its variants.
    pub attr: &'static str,
    /// The dialect of code that is for it alone, if there is one.
    pub dialect: Option<&'static str>,
    /// The architectures of LLVM's triples that are of such devices.
    pub architectures: &'static [&'static str],
    /// For a GPU, the code files that run on it.
    pub files: Option<Files>,
}

/// Names that `--target` accepts.
pub(crate) struct NameList {
    /// What they name.
    pub title: String,
    /// Each, with a sign where a device has it or not.
    pub names: Vec<String>,
}

/// The code files of a kind of GPU.
pub(crate) struct Files {
    /// The kinds of files.
    pub kinds: &'static [FileFormat],
    /// The devices that they run on, for messages: "Vulkan".
    pub devices: &'static str,
    /// The error for any other file: "not a SPIR-V module".
    pub otherwise: &'static str,
    /// The tools that make them, for messages.
    pub made_by: &'static str,
    /// Sources that have to be compiled first, with a command that does it.
    pub sources: &'static [(FileFormat, &'static str)],
    /// The names of the kinds of files, for messages.
    pub names: &'static [&'static str],
    /// The launch parameters that may be set for their kernels.
    pub settings: &'static [LaunchSetting],
    /// The form of such files that is text, where they are not text themselves.
    pub text: Option<TextForm>,
    /// Renames kernels in a file, all at once: each old name and its new one. Fails if the file is damaged. Returns
    /// `None` if its kind of file cannot be changed.
    pub rename: fn(FileFormat, Vec<u8>, &str, &[(String, String)]) -> Result<Option<Vec<u8>>>,
}

/// Code for a GPU as text that is not the file which runs.
pub(crate) struct TextForm {
    /// The kind of the text file.
    pub kind: FileFormat,
    /// The kind that it is assembled to.
    pub becomes: FileFormat,
    /// The suffix of files of text.
    pub suffix: &'static str,
    /// Makes what runs of text: the name of the file, what messages call it, its contents. Errors: what the assembler says.
    pub assemble: fn(&str, &str, &[u8]) -> Result<Vec<u8>>,
    /// Makes text of what runs; the string is what messages call it. Errors: it is damaged.
    pub disassemble: fn(&[u8], &str) -> Result<String>,
}

/// Something that may be said of how kernels in files run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchSetting {
    /// The threads of a workgroup.
    WorkgroupSize,
    /// Shared memory beyond what the code declares.
    SharedMemory,
    /// Specialisation constants of the code.
    SpecConstant,
}

/// Refuses files for a device that only runs code which `hal-translate` generates.
pub(crate) fn refuse_files(device: &dyn Device, files: &[GpuFile<'_>]) -> Result<GpuCode> {
    let text = format!("{}: objects for `{device}` cannot be given; `hal-translate` generates them", files[0].owner);
    Err(Error::input(text).code("unsupported-target"))
}

/// A device to generate code for. Its text is what `--target` takes.
pub(crate) trait Device: fmt::Display {
    /// Returns the kind of device.
    fn kind(&self) -> &'static Kind;

    /// Returns a short name for messages.
    fn short(&self) -> String {
        self.to_string()
    }

    /// The target attribute of variants, which upstream MLIR defines.
    fn attr(&self, session: &Session) -> Attr;

    /// Returns the name of a variant for this target.
    fn variant_name(&self) -> String;

    /// Returns the property that its objects share with those for other targets of the kind: the architecture of a
    /// CPU.
    fn family(&self) -> &str {
        self.kind().name
    }

    /// Returns the requirements of element types; `None` if it computes with all of them.
    fn dtypes(&self) -> Option<DtypeTable> {
        None
    }

    /// Errors: why it does not meet a requirement of an element type, and what to do about it.
    fn meets(&self, _requirement: Requirement) -> Result<(), (String, String)> {
        Ok(())
    }

    /// Errors: a feature that a kernel says it needs, and that no device of this kind can be said to have.
    fn check_feature(&self, _name: &str) -> Result<(), Vec<&'static str>> {
        Err(Vec::new())
    }

    /// Whether a launch may add memory to what the code declares, and may choose the workgroup size if the code does
    /// not.
    fn launch_is_free(&self) -> bool {
        false
    }

    /// Checks that files hold kernels for it; see [`crate::fit_gpu`].
    fn fit(&self, files: &[GpuFile<'_>], _kernels: &[GpuKernel], _constants: &[(String, i64)]) -> Result<GpuCode> {
        let text = format!("{} is for a GPU, and the target is `{self}`", files[0].owner);
        Err(Error::input(text).code("wrong-kind"))
    }
}
