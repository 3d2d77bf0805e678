//! What a kind of device is to everything else: a folder each (`cpu`, `vulkan`, `cuda`, `hip`), with a [`Kind`] among [`KINDS`] and
//! a type that implements [`Device`].
use crate::{
    GpuCode, GpuFile, GpuKernel, Target, Use, cpu, cuda,
    dtypes::{DtypeTable, Requirement},
    hip, vulkan,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Session};
use halyard_objects::FileFormat;
use std::fmt;

/// All kinds of devices, in the order in which messages list them.
pub(crate) const KINDS: [&Kind; 4] = [&cpu::KIND, &vulkan::KIND, &cuda::KIND, &hip::KIND];

/// A kind of device: how its targets are written and recognised.
pub(crate) struct Kind {
    /// Its name, as `--target` and `--device` have it.
    pub name: &'static str,
    /// What `--target` takes, for messages.
    pub forms: &'static [&'static str],
    /// Other words that people use for it.
    pub aliases: &'static [&'static str],
    /// Reads what follows the name in an item of `--target`, and its features with their signs.
    pub parse: fn(&str, Vec<String>) -> Result<Target>,
    /// Whether a word is the name of one of its chips.
    pub is_chip: fn(&str) -> bool,
    /// Reads the target attribute of a variant; `None` if it is for another kind of device, or nobody here knows the chip.
    pub of_attr: fn(Attr) -> Option<Target>,
    /// How features of a device are said, for messages.
    pub feature_words: &'static str,
    /// For a GPU: the files of code that run on it.
    pub files: Option<Files>,
}

/// Files of code for a kind of GPU.
pub(crate) struct Files {
    /// The kinds of files.
    pub kinds: &'static [FileFormat],
    /// The devices that they run on, for messages: "Vulkan".
    pub devices: &'static str,
    /// What any other file is, for messages: "not a SPIR-V module".
    pub otherwise: &'static str,
    /// The tools that make them, for messages.
    pub made_by: &'static str,
    /// Sources that have to be compiled first, with a command that does it.
    pub sources: &'static [(FileFormat, &'static str)],
    /// The target that a file says itself. Errors: it cannot be read, or is for a chip that nobody here knows.
    pub target: fn(GpuFile<'_>) -> Result<Target>,
}

/// A device to generate code for. Its text is what `--target` takes.
pub(crate) trait Device: fmt::Display {
    /// Its kind.
    fn kind(&self) -> &'static Kind;

    /// Its short name for messages.
    fn short(&self) -> String {
        self.to_string()
    }

    /// The target attribute of variants, which upstream MLIR defines.
    fn attr(&self, session: &Session) -> Attr;

    /// The name of a variant for it.
    fn variant_name(&self) -> String;

    /// Whether objects for another one of its kind are of the same family.
    fn is_alike(&self, _other: &Target) -> bool {
        true
    }

    /// What element types need of it; `None` if it computes with all of them.
    fn dtypes(&self) -> Option<DtypeTable> {
        None
    }

    /// Errors: why it does not meet a requirement of an element type, and what to do about it.
    fn meets(&self, _requirement: Requirement) -> Result<(), (String, String)> {
        Ok(())
    }

    /// Errors: a feature that a kernel says it needs, and that no device of this kind can be said to have.
    fn check_feature(&self, name: &str) -> Result<(), Vec<&'static str>>;

    /// Whether a launch gives workgroups memory beyond what the code declares, and says how large they are where the code
    /// does not.
    fn launch_is_free(&self) -> bool {
        false
    }

    /// Checks that files hold kernels for it; see [`crate::fit_gpu`].
    fn fit(&self, files: &[GpuFile<'_>], _kernels: &[GpuKernel], _constants: &[(String, i64)]) -> Result<GpuCode> {
        let text = format!("{} is for a GPU, and the target is `{self}`", files[0].owner);
        Err(Error::input(text).code("wrong-kind"))
    }
}

/// The kind of GPU that files of a kind are for.
pub(crate) fn kind_of_file(file: FileFormat) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| kind.files.as_ref().is_some_and(|f| f.kinds.contains(&file)))
}

impl Target {
    /// Says what a type needs of a device of this target, by the names of `hal.features`: a capability of SPIR-V, or a
    /// chip; `None` if every device can do it. `dtype` is as MLIR prints it. Errors, each naming the type: it is not known
    /// on this kind of device, cannot be computed with there, or needs what the target forbids or lacks.
    pub fn require(&self, dtype: &str, what: Use) -> Result<Option<&'static str>> {
        let Some(table) = self.this().dtypes() else { return Ok(None) };
        let refused = |why: &str| {
            let way = if what == Use::Computed { "arithmetic in " } else { "" };
            Error::input(format!("{way}`{dtype}` is not possible on `{self}`: {why}")).code("unsupported-type")
        };
        match table.requirement(dtype, what) {
            None => Err(refused("it is not among the types of the device's language")),
            Some(Requirement::Nothing) => Ok(None),
            Some(Requirement::Never(why)) => {
                Err(refused(why).hint("convert to `f32` before arithmetic, and back after it"))
            }
            Some(requirement @ Requirement::Property(name)) => match self.this().meets(requirement) {
                Ok(()) => Ok(Some(name)),
                Err((why, hint)) => Err(refused(&why).hint(hint)),
            },
        }
    }
}
