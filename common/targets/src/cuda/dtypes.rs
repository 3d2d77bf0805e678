//! The NVIDIA chips that element types require. Source: "Data Types" and the "Target ISA Notes" of NVIDIA's PTX
//! manual.
use crate::dtypes::{
    DtypeTable,
    Requirement::{self, Never, Nothing, Property},
};

const EMULATED: Requirement = Never("PTX has conversions to and from it, no arithmetic");

pub(super) const TABLE: DtypeTable = DtypeTable(&[
    ("f32", Nothing, Nothing),
    ("i32", Nothing, Nothing),
    ("index", Nothing, Nothing),
    ("i1", Nothing, Nothing),
    ("i8", Nothing, Nothing),
    ("i16", Nothing, Nothing),
    ("i64", Nothing, Nothing),
    ("f16", Nothing, Property("sm_60")),
    ("bf16", Nothing, Property("sm_80")),
    ("f64", Nothing, Nothing),
    ("tf32", Nothing, Property("sm_80")),
    ("f8E4M3FN", Nothing, EMULATED),
    ("f8E5M2", Nothing, EMULATED),
    ("f8E4M3", Nothing, EMULATED),
    ("f8E3M4", Nothing, EMULATED),
    ("f8E4M3FNUZ", Nothing, EMULATED),
    ("f8E5M2FNUZ", Nothing, EMULATED),
    ("f8E4M3B11FNUZ", Nothing, EMULATED),
    ("f8E8M0FNU", Nothing, EMULATED),
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_name_chips() {
        let known = |name: &str| crate::CudaTarget::of_chip(name).is_some();
        for (dtype, stored, computed) in TABLE.0 {
            assert!([stored, computed].iter().all(|r| !matches!(r, Property(name) if !known(name))), "{dtype}");
        }
    }
}
