//! The requirements of element types on a GPU, for storage and for arithmetic: a table per kind of device.
//!
//! The tables are checked before code generation: upstream's conversions silently replace a type that a target lacks
//! (`f16` without `Float16` becomes the bytes of `f32`), and validators accept the result.

/// The use of values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// They are loaded and stored; arithmetic uses another type.
    Stored,
    /// Arithmetic is done in the type itself.
    Computed,
}

/// A requirement on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// Every device fulfils it.
    Nothing,
    /// A device must have something, by the name that `hal.features` has for it.
    Property(&'static str),
    /// No supported device fulfils it, for this reason.
    Never(&'static str),
}

/// Rows of a type's MLIR name, its requirement for storage, and its requirement for arithmetic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DtypeTable(pub &'static [(&'static str, Requirement, Requirement)]);

impl DtypeTable {
    /// Returns the requirement of a type; `None` if the device's language has no such type.
    pub(crate) fn requirement(self, dtype: &str, what: Use) -> Option<Requirement> {
        let (_, stored, computed) = self.0.iter().find(|row| row.0 == dtype)?;
        Some(if what == Use::Computed { *computed } else { *stored })
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
}
