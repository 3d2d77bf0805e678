//! An AMD GPU target. LLVM generates the code; Halyard does not run it yet.
mod dtypes;

use crate::{
    chips::{Chips, FEATURE_WORDS},
    device::{Device, Kind, refuse_files},
    dtypes::DtypeTable,
    gpu_code::{GpuCode, GpuFile, GpuKernel},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Session};
use std::fmt;

/// The chips that code can be generated for, by LLVM's names ("User Guide for AMDGPU Backend", processors with an HSA runtime).
pub(crate) const CHIPS: Chips = Chips {
    kind: "hip",
    all: &[
        "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1031", "gfx1032", "gfx1100",
        "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201",
    ],
    usual: "gfx90a",
    device: "an AMD GPU",
    example: "gfx942",
    attr: "#rocdl.target",
    usual_in_attr: "gfx900",
    normal: str::to_owned,
};

/// The kind of AMD GPU targets.
pub(crate) const KIND: Kind = Kind {
    name: "hip",
    forms: &[("hip:CHIP", "an AMD GPU; its code can be generated, but not run yet [hip:gfx90a]")],
    names: |rest| CHIPS.names(rest),
    aliases: &["rocm", "rocdl", "amd", "amdgpu", "amdgcn"],
    is_chip: |word| CHIPS.find(word).is_some(),
    feature_words: FEATURE_WORDS,
    attr: CHIPS.attr,
    dialect: Some("rocdl"),
    architectures: &["amdgcn", "r600"],
    files: None,
};

/// An AMD GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HipTarget {
    /// The chip, e.g. `gfx90a`.
    pub chip: &'static str,
}

impl HipTarget {
    /// The lanes of a wavefront: 64 up to gfx9 (GCN, CDNA), 32 from gfx10 on (RDNA).
    pub fn wavefront(self) -> u32 {
        if self.chip.len() == "gfx9xx".len() { 64 } else { 32 }
    }

    /// Parses `#rocdl.target<chip = "…">`.
    pub(crate) fn of_attr(attr: Attr) -> Option<Self> {
        CHIPS.of_attr(attr).map(|chip| Self { chip })
    }
}

impl Device for HipTarget {
    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn attr(&self, session: &Session) -> Attr {
        Attr::parse(session.raw(), &format!("#rocdl.target<chip = {:?}>", self.chip)).expect("a plain name")
    }

    /// Returns a name such as `hip_gfx90a`.
    fn variant_name(&self) -> String {
        format!("hip_{}", self.chip)
    }

    fn dtypes(&self) -> Option<DtypeTable> {
        Some(dtypes::TABLE)
    }

    fn fit(&self, files: &[GpuFile<'_>], _kernels: &[GpuKernel], _constants: &[(String, i64)]) -> Result<GpuCode> {
        refuse_files(self, files)
    }
}

impl fmt::Display for HipTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hip:{}", self.chip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_goes_through_an_attribute() {
        let session = Session::new();
        for &chip in CHIPS.all {
            let target = HipTarget { chip };
            assert_eq!(HipTarget::of_attr(target.attr(&session)), Some(target), "{chip}");
        }
        assert_eq!(CHIPS.find("gfx1"), None);
    }

    #[test]
    fn wavefronts() {
        let lanes = |chip| HipTarget { chip }.wavefront();
        assert_eq!(["gfx906", "gfx90a", "gfx1030", "gfx1201"].map(lanes), [64, 64, 32, 32]);
    }
}
