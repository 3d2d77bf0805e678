//! The requirements of element types on AMD GPUs: none, as LLVM's code generator supports these types on all listed
//! chips.
use crate::dtypes::{
    DtypeTable,
    Requirement::{self, Never, Nothing},
};

const EMULATED: Requirement = Never("AMD GPUs convert to and from it, and have no arithmetic");

pub(super) const TABLE: DtypeTable = DtypeTable(&[
    ("f32", Nothing, Nothing),
    ("i32", Nothing, Nothing),
    ("index", Nothing, Nothing),
    ("i1", Nothing, Nothing),
    ("i8", Nothing, Nothing),
    ("i16", Nothing, Nothing),
    ("i64", Nothing, Nothing),
    ("f16", Nothing, Nothing),
    ("bf16", Nothing, Nothing),
    ("f64", Nothing, Nothing),
    ("f8E4M3FN", Nothing, EMULATED),
    ("f8E5M2", Nothing, EMULATED),
    ("f8E4M3", Nothing, EMULATED),
    ("f8E3M4", Nothing, EMULATED),
    ("f8E4M3FNUZ", Nothing, EMULATED),
    ("f8E5M2FNUZ", Nothing, EMULATED),
    ("f8E4M3B11FNUZ", Nothing, EMULATED),
    ("f8E8M0FNU", Nothing, EMULATED),
]);
