//! An AMD GPU target. LLVM generates the code; Halyard does not run it yet.
mod dtypes;
mod parse;

use crate::{
    chips::Chips,
    device::{Device, Kind},
    dtypes::DtypeTable,
    gpu_code::{GpuCode, GpuFile, GpuKernel},
};
use halyard_diag::Error;
use halyard_ir::{Attr, Session};
pub(crate) use parse::parse;
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
    normal: str::to_owned,
};

/// The kind of AMD GPU targets.
pub(crate) const KIND: Kind = Kind {
    name: "hip",
    forms: &[("hip:CHIP", "an AMD GPU; its code can be generated, but not run yet [hip:gfx90a]")],
    names: |rest| CHIPS.names(rest),
    aliases: &["rocm", "rocdl", "amd", "amdgpu", "amdgcn"],
    is_chip: |word| CHIPS.find(word).is_some(),
    feature_words: "what a device must have is said by the chip of the target",
    attr: "#rocdl.target",
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
    /// The target of a chip; `None` if code cannot be generated for it.
    pub(crate) fn of_chip(chip: &str) -> Option<Self> {
        CHIPS.find(chip).map(|chip| Self { chip })
    }

    /// The lanes of a wavefront: 64 up to gfx9 (GCN, CDNA), 32 from gfx10 on (RDNA).
    pub fn wavefront(self) -> u32 {
        if self.chip.len() == "gfx9xx".len() { 64 } else { 32 }
    }

    /// Parses `#rocdl.target<chip = "…">`.
    pub(crate) fn of_attr(attr: Attr) -> Option<Self> {
        let text = attr.to_string();
        let inside = text.strip_prefix("#rocdl.target")?;
        match inside.split_once("chip = \"") {
            Some((_, rest)) => Self::of_chip(rest.split('"').next()?),
            // MLIR leaves its own default out.
            None => Self::of_chip("gfx900"),
        }
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

    /// Refuses all features: the chip determines what a device must have.
    fn check_feature(&self, _name: &str) -> Result<(), Vec<&'static str>> {
        Err(Vec::new())
    }

    fn fit(
        &self,
        files: &[GpuFile<'_>],
        _kernels: &[GpuKernel],
        _constants: &[(String, i64)],
    ) -> halyard_diag::Result<GpuCode> {
        let text = format!("{}: objects for `{self}` cannot be given; `hal-translate` generates them", files[0].owner);
        Err(Error::input(text).code("unsupported-target"))
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
        for chip in CHIPS.all {
            let target = HipTarget::of_chip(chip).unwrap();
            assert_eq!(HipTarget::of_attr(target.attr(&session)), Some(target), "{chip}");
        }
        assert_eq!(HipTarget::of_chip("gfx1"), None);
    }

    #[test]
    fn wavefronts() {
        let lanes = |chip| HipTarget::of_chip(chip).unwrap().wavefront();
        assert_eq!(["gfx906", "gfx90a", "gfx1030", "gfx1201"].map(lanes), [64, 64, 32, 32]);
    }
}
