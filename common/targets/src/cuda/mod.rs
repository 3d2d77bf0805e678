//! An NVIDIA GPU target.
mod dtypes;
mod files;
mod parse;

use crate::{
    chips::{Chips, FEATURE_WORDS},
    device::{Device, Files, Kind, LaunchSetting},
    dtypes::{DtypeTable, Requirement},
    gpu_code::{GpuCode, GpuFile, GpuKernel},
};
pub(crate) use files::of_file;
use halyard_diag::Error;
use halyard_ir::{Attr, Session};
use halyard_objects::{CudaCode, CudaKind, FileFormat};
pub(crate) use parse::parse;
use std::fmt;

/// The kind of NVIDIA GPU targets.
pub(crate) const KIND: Kind = Kind {
    name: "cuda",
    forms: &[("cuda:CHIP", "an NVIDIA GPU [cuda:sm_80]")],
    names: |rest| CHIPS.names(rest),
    aliases: &["nvptx", "nvptx64", "nvidia", "ptx", "gpu", "metal"],
    is_chip: |word| CHIPS.find(word).is_some(),
    feature_words: FEATURE_WORDS,
    attr: CHIPS.attr,
    dialect: Some("nvvm"),
    architectures: &["nvptx", "nvptx64"],
    files: Some(Files {
        kinds: &[FileFormat::Ptx, FileFormat::Cubin, FileFormat::Fatbin],
        devices: "NVIDIA GPUs",
        otherwise: "neither PTX nor a cubin",
        made_by: "`nvcc -ptx` and `clang -x cuda --cuda-device-only -S` make PTX",
        sources: &[(
            FileFormat::CSource,
            "`nvcc -ptx FILE`, or `clang -x cuda --cuda-device-only -nocudainc -nocudalib -S FILE`",
        )],
        names: &["PTX", "cubin"],
        settings: &[LaunchSetting::WorkgroupSize, LaunchSetting::SharedMemory],
        text: None,
        rename: files::rename,
    }),
};

impl Device for CudaTarget {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn attr(&self, session: &Session) -> Attr {
        Attr::parse(session.raw(), &format!("#nvvm.target<chip = {:?}>", self.chip)).expect("a plain name")
    }

    /// Returns a name such as `cuda_sm_90`.
    fn variant_name(&self) -> String {
        format!("cuda_{}", self.chip)
    }

    fn dtypes(&self) -> Option<DtypeTable> {
        Some(dtypes::TABLE)
    }

    fn meets(&self, requirement: Requirement) -> Result<(), (String, String)> {
        let Requirement::Property(chip) = requirement else { return Ok(()) };
        let least = CudaTarget::of_chip(chip).expect("the table names known chips");
        if self.capability() >= least.capability() {
            return Ok(());
        }
        Err((format!("it needs `{chip}` or newer"), format!("ask for a newer chip: `--target=cuda:{chip}`")))
    }

    fn launch_is_free(&self) -> bool {
        true
    }

    fn fit(
        &self,
        files: &[GpuFile<'_>],
        kernels: &[GpuKernel],
        constants: &[(String, i64)],
    ) -> halyard_diag::Result<GpuCode> {
        if let Some((name, _)) = constants.first() {
            let text = format!("specialisation constant `{name}` is given for `{self}`; only SPIR-V has them");
            return Err(Error::usage(text).code("unknown-constant"));
        }
        files::fit(files, *self, kernels)
    }
}

/// The chips that code can be generated for. LLVM takes any name and ends the process, or generates code for the oldest
/// chip, on one that it does not know; so the list is our own. Letters as in NVIDIA's manual of PTX: code for `a` runs
/// on that chip alone, code for `f` on its family.
pub(crate) const CHIPS: Chips = Chips {
    kind: "cuda",
    all: &[
        "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90",
        "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f",
        "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f",
    ],
    usual: "sm_80",
    device: "an NVIDIA GPU",
    example: "sm_90",
    attr: "#nvvm.target",
    usual_in_attr: "sm_75",
    normal: parse::normal,
};

/// An NVIDIA GPU, by its compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaTarget {
    /// The chip, one of [`CHIPS`], e.g. `sm_90`.
    pub chip: &'static str,
}

impl Default for CudaTarget {
    fn default() -> Self {
        Self { chip: CHIPS.usual }
    }
}

impl CudaTarget {
    /// The target of a chip; `None` if it is not among [`CHIPS`].
    pub fn of_chip(chip: &str) -> Option<Self> {
        CHIPS.find(chip).map(|chip| Self { chip })
    }

    /// The compute capability as in the chip's name: 90 is 9.0, 120 is 12.0.
    pub fn capability(self) -> u32 {
        self.chip.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic).parse().expect("chips have a number")
    }

    /// The letter of the chip's name: `a` (this chip alone), `f` (its family).
    pub fn letter(self) -> Option<char> {
        self.chip.chars().last().filter(char::is_ascii_alphabetic)
    }

    /// The chip of a compute capability and letter; the oldest one that is known if it is older than that.
    pub(crate) fn at_least(capability: u32, letter: Option<char>) -> Option<Self> {
        let oldest = Self { chip: CHIPS.all[0] };
        if capability < oldest.capability() {
            return Some(oldest);
        }
        Self::of_chip(&format!("sm_{capability}{}", letter.map(String::from).unwrap_or_default()))
    }

    /// Whether code runs on this chip. PTX must be for this chip or an older one; with a letter, for the same chip or
    /// family. Machine code must also have the same major version.
    pub fn runs_code(self, code: &CudaCode) -> bool {
        let (own, is) = (self.capability(), code.capability);
        match (code.letter, code.kind) {
            (Some('a'), _) => own == is && self.letter() == Some('a'),
            (Some(_), _) => own / 10 == is / 10 && own >= is && self.letter().is_some(),
            (None, CudaKind::Cubin) => own / 10 == is / 10 && own >= is,
            (None, CudaKind::Ptx) => own >= is,
        }
    }

    /// Reads the target attribute of a variant; `None` if it is not that of an NVIDIA GPU of [`CHIPS`].
    pub fn of_attr(attr: Attr) -> Option<Self> {
        CHIPS.of_attr(attr).map(|chip| Self { chip })
    }
}

impl fmt::Display for CudaTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{}", self.chip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_goes_through_an_attribute() {
        let session = Session::new();
        for chip in CHIPS.all {
            let target = CudaTarget::of_chip(chip).unwrap();
            assert_eq!(CudaTarget::of_attr(target.attr(&session)), Some(target), "{chip}");
        }
        assert_eq!(CudaTarget::of_chip("sm_999"), None);
        assert_eq!(CudaTarget::of_chip("sm_90").unwrap().variant_name(), "cuda_sm_90");
    }

    #[test]
    fn code_runs_on_newer_chips_unless_a_letter_says_otherwise() {
        let runs = |on, code, kind| {
            let is = CudaTarget::of_chip(code).unwrap();
            let code = CudaCode {
                owner: String::new(),
                kind,
                capability: is.capability(),
                letter: is.letter(),
                kernels: Vec::new(),
                undefined: Vec::new(),
                dynamic_shared: false,
            };
            CudaTarget::of_chip(on).unwrap().runs_code(&code)
        };
        let ptx = |on, code| runs(on, code, CudaKind::Ptx);
        assert!(ptx("sm_90", "sm_80") && ptx("sm_90a", "sm_90") && ptx("sm_103f", "sm_100f"));
        assert!(!ptx("sm_80", "sm_90") && !ptx("sm_100a", "sm_90a"));
        assert!(!ptx("sm_90", "sm_90a") && !ptx("sm_120f", "sm_100f"));
        assert!(runs("sm_86", "sm_80", CudaKind::Cubin) && !runs("sm_90", "sm_80", CudaKind::Cubin));
    }
}
