//! The capabilities that element types require of a Vulkan device. Source: "Capability" of the SPIR-V specification.
use crate::dtypes::{
    DtypeTable,
    Requirement::{self, Never, Nothing, Property},
};

const NO_TYPE: Requirement = Never("SPIR-V 1.3 has no such type");
const BYTE: Requirement = Property("StorageBuffer8BitAccess");
const HALF: Requirement = Property("StorageBuffer16BitAccess");

pub(super) const TABLE: DtypeTable = DtypeTable(&[
    ("f32", Nothing, Nothing),
    ("i32", Nothing, Nothing),
    // 32 bits in SPIR-V; in buffers it is 64 bits everywhere.
    ("index", Property("Int64"), Nothing),
    // A byte in buffers.
    ("i1", BYTE, Nothing),
    ("i8", BYTE, Property("Int8")),
    ("i16", HALF, Property("Int16")),
    ("i64", Property("Int64"), Property("Int64")),
    ("f16", HALF, Property("Float16")),
    ("bf16", HALF, NO_TYPE),
    ("f64", Property("Float64"), Property("Float64")),
    ("tf32", Nothing, NO_TYPE),
    ("f8E4M3FN", BYTE, NO_TYPE),
    ("f8E5M2", BYTE, NO_TYPE),
    ("f8E4M3", BYTE, NO_TYPE),
    ("f8E3M4", BYTE, NO_TYPE),
    ("f8E4M3FNUZ", BYTE, NO_TYPE),
    ("f8E5M2FNUZ", BYTE, NO_TYPE),
    ("f8E4M3B11FNUZ", BYTE, NO_TYPE),
    ("f8E8M0FNU", BYTE, NO_TYPE),
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_name_capabilities() {
        let known = |name: &str| crate::vulkan::CAPABILITIES.iter().any(|c| c.name == name);
        for (dtype, stored, computed) in TABLE.0 {
            assert!([stored, computed].iter().all(|r| !matches!(r, Property(name) if !known(name))), "{dtype}");
        }
    }
}
