//! What element types require of an OpenCL device. Source: "OpenCL SPIR-V Environment Specification", required and optional
//! capabilities.
use crate::dtypes::{
    DtypeTable,
    Requirement::{self, Never, Nothing, Property},
};

/// The capabilities that a device may lack.
pub(super) const OPTIONAL: [&str; 2] = ["Float16", "Float64"];

const NO_TYPE: Requirement = Never("SPIR-V 1.2 has no such type");

pub(super) const TABLE: DtypeTable = DtypeTable(&[
    ("f32", Nothing, Nothing),
    ("i32", Nothing, Nothing),
    ("index", Nothing, Nothing),
    ("i1", Nothing, Nothing),
    ("i8", Nothing, Nothing),
    ("i16", Nothing, Nothing),
    ("i64", Nothing, Nothing),
    ("f16", Property(OPTIONAL[0]), Property(OPTIONAL[0])),
    ("f64", Property(OPTIONAL[1]), Property(OPTIONAL[1])),
    ("bf16", NO_TYPE, NO_TYPE),
    ("f8E4M3FN", NO_TYPE, NO_TYPE),
    ("f8E5M2", NO_TYPE, NO_TYPE),
    ("f8E4M3", NO_TYPE, NO_TYPE),
    ("f8E3M4", NO_TYPE, NO_TYPE),
    ("f8E4M3FNUZ", NO_TYPE, NO_TYPE),
    ("f8E5M2FNUZ", NO_TYPE, NO_TYPE),
    ("f8E4M3B11FNUZ", NO_TYPE, NO_TYPE),
    ("f8E8M0FNU", NO_TYPE, NO_TYPE),
]);
