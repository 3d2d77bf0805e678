//! What each element type needs of a GPU, to be held in a buffer and to be computed with.
//!
//! This table stands before code generation: upstream's conversions take a type that a target lacks for another one in
//! silence (`f16` without `Float16` becomes the bytes of `f32`), and validators see nothing wrong with the result.
//! Sources: "Capability" of the SPIR-V specification; "Data Types" and the "Target ISA Notes" of NVIDIA's PTX manual.
use crate::{CudaTarget, Target, VulkanTarget};
use halyard_diag::{Error, Result};

/// How values of a type are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// They are read from buffers and written to them; arithmetic is done in another type.
    Stored,
    /// Arithmetic is done in the type itself.
    Computed,
}

/// What something needs of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Every device can do it.
    Nothing,
    /// For Vulkan: a capability of SPIR-V.
    Capability(&'static str),
    /// For CUDA: this chip, or a newer one.
    Chip(&'static str),
    /// No device that code is generated for can do it: why.
    Never(&'static str),
}
use Need::{Capability, Chip, Never, Nothing};

/// A row: the type as MLIR names it; what Vulkan needs to hold it and to compute with it; the same for CUDA.
struct Row(&'static str, [Need; 2], [Need; 2]);

const NO_TYPE: Need = Never("SPIR-V 1.3 has no such type");
const EMULATED: Need = Never("PTX has conversions to and from it, no arithmetic");
const BYTE: Need = Capability("StorageBuffer8BitAccess");
const HALF: Need = Capability("StorageBuffer16BitAccess");

const TABLE: &[Row] = &[
    Row("f32", [Nothing, Nothing], [Nothing, Nothing]),
    Row("i32", [Nothing, Nothing], [Nothing, Nothing]),
    // 32 bits in SPIR-V; in buffers it is 64 bits everywhere.
    Row("index", [Capability("Int64"), Nothing], [Nothing, Nothing]),
    // A byte in buffers.
    Row("i1", [BYTE, Nothing], [Nothing, Nothing]),
    Row("i8", [BYTE, Capability("Int8")], [Nothing, Nothing]),
    Row("i16", [HALF, Capability("Int16")], [Nothing, Nothing]),
    Row("i64", [Capability("Int64"), Capability("Int64")], [Nothing, Nothing]),
    Row("f16", [HALF, Capability("Float16")], [Nothing, Chip("sm_60")]),
    Row("bf16", [HALF, NO_TYPE], [Nothing, Chip("sm_80")]),
    Row("f64", [Capability("Float64"), Capability("Float64")], [Nothing, Nothing]),
    Row("tf32", [Nothing, NO_TYPE], [Nothing, Chip("sm_80")]),
    Row("f8E4M3FN", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E5M2", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E4M3", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E3M4", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E4M3FNUZ", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E5M2FNUZ", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E4M3B11FNUZ", [BYTE, NO_TYPE], [Nothing, EMULATED]),
    Row("f8E8M0FNU", [BYTE, NO_TYPE], [Nothing, EMULATED]),
];

impl Target {
    /// Says what a type needs of a device of this target, by the names of `hal.features`: a capability of SPIR-V, or a
    /// chip; `None` if every device can do it. `dtype` is as MLIR prints it. Errors, each naming the type: it is not known
    /// on this kind of device, cannot be computed with there, or needs what the target forbids or lacks.
    pub fn require(&self, dtype: &str, what: Use) -> Result<Option<&'static str>> {
        let column = usize::from(what == Use::Computed);
        let row = || TABLE.iter().find(|row| row.0 == dtype);
        let need = match self {
            Self::Cpu(_) => return Ok(None),
            Self::Vulkan(_) => row().map(|row| row.1[column]),
            Self::Cuda(_) => row().map(|row| row.2[column]),
        };
        let refused = |why: &str| {
            let way = if what == Use::Computed { "arithmetic in " } else { "" };
            Error::input(format!("{way}`{dtype}` is not possible on `{self}`: {why}")).code("unsupported-type")
        };
        match (need, self) {
            (Some(Nothing), _) => Ok(None),
            (None, _) => Err(refused("it is not among the types of the device's language")),
            (Some(Never(why)), _) => Err(refused(why).hint("convert to `f32` before arithmetic, and back after it")),
            (Some(Capability(name)), Self::Vulkan(vulkan)) => {
                vulkan.check(name).map_err(|why| refused(&why).hint(format!("leave `-{name}` out of `--target`")))
            }
            (Some(Chip(chip)), Self::Cuda(cuda)) => cuda
                .check(chip)
                .map_err(|why| refused(&why).hint(format!("ask for a newer chip: `--target=cuda:{chip}`"))),
            (Some(Capability(_) | Chip(_)), _) => unreachable!("the columns are of one kind each"),
        }
    }
}

impl VulkanTarget {
    fn check(&self, capability: &'static str) -> Result<Option<&'static str>, String> {
        if self.allows(capability) {
            Ok(Some(capability))
        } else {
            Err(format!("it needs the capability `{capability}`, which the target does not allow"))
        }
    }
}

impl CudaTarget {
    fn check(self, chip: &'static str) -> Result<Option<&'static str>, String> {
        let least = CudaTarget::of_chip(chip).expect("the table names known chips");
        if self.capability() >= least.capability() {
            Ok(Some(chip))
        } else {
            Err(format!("it needs `{chip}` or newer"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_targets;

    fn ask(target: &str, dtype: &str, what: Use) -> String {
        let target = parse_targets(&[target.to_owned()]).unwrap().remove(0);
        match target.require(dtype, what) {
            Ok(need) => need.unwrap_or("nothing").to_owned(),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn what_types_need() {
        assert_eq!(ask("vulkan", "f32", Use::Computed), "nothing");
        assert_eq!(ask("vulkan", "f16", Use::Computed), "Float16");
        assert_eq!(ask("vulkan", "f16", Use::Stored), "StorageBuffer16BitAccess");
        assert_eq!(ask("vulkan", "i8", Use::Stored), "StorageBuffer8BitAccess");
        assert_eq!(ask("vulkan", "f64", Use::Computed), "Float64");
        assert_eq!(ask("cuda:sm_90", "bf16", Use::Computed), "sm_80");
        assert_eq!(ask("cuda:sm_70", "bf16", Use::Stored), "nothing");
        assert_eq!(ask("cpu", "f8E4M3FN", Use::Computed), "nothing");
    }

    #[test]
    fn what_a_target_lacks_is_refused_by_name() {
        assert_eq!(
            ask("vulkan,-Float16", "f16", Use::Computed),
            "arithmetic in `f16` is not possible on `vulkan,-Float16`: it needs the capability `Float16`, which the target does not allow"
        );
        assert_eq!(
            ask("vulkan", "bf16", Use::Computed),
            "arithmetic in `bf16` is not possible on `vulkan`: SPIR-V 1.3 has no such type"
        );
        assert_eq!(
            ask("cuda:sm_75", "bf16", Use::Computed),
            "arithmetic in `bf16` is not possible on `cuda:sm_75`: it needs `sm_80` or newer"
        );
        assert_eq!(
            ask("cuda", "f8E5M2", Use::Computed),
            "arithmetic in `f8E5M2` is not possible on `cuda:sm_80`: PTX has conversions to and from it, no arithmetic"
        );
        assert_eq!(
            ask("vulkan", "i4", Use::Stored),
            "`i4` is not possible on `vulkan`: it is not among the types of the device's language"
        );
    }

    #[test]
    fn all_rows_name_what_targets_know() {
        for Row(dtype, vulkan, cuda) in TABLE {
            for need in vulkan {
                let known = |name: &&str| crate::CAPABILITIES.iter().any(|c| c.name == *name);
                assert!(!matches!(need, Chip(_)) && !matches!(need, Capability(name) if !known(name)), "{dtype}");
            }
            for need in cuda {
                let known = |name: &&str| CudaTarget::of_chip(name).is_some();
                assert!(!matches!(need, Capability(_)) && !matches!(need, Chip(name) if !known(name)), "{dtype}");
            }
        }
    }
}
