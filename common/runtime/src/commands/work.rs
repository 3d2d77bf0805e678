//! The work of a dispatch.
use serde::{Deserialize, Serialize};

/// A number times constants of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTerm {
    /// The constant factor.
    pub factor: i64,
    /// The positions of the constants that are factors.
    pub constants: Vec<u32>,
}

/// The operations and bytes of a dispatch, as sums of terms: sizes that are not in the program are constants of the call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelWork {
    /// The number of arithmetic operations; a product and its sum are two. `None` if unknown.
    pub operations: Option<Vec<WorkTerm>>,
    /// The type of most operations: `f32`, `f64`, `i8`; `None` for other types.
    pub kind: Option<String>,
    /// The bytes that any kernel must read and write, each counted once; `None` if unknown.
    pub bytes: Option<Vec<WorkTerm>>,
}

impl KernelWork {
    /// The operations of a dispatch with these constants, if known.
    pub fn operations_of(&self, constants: &[i64]) -> Option<u64> {
        value(self.operations.as_ref()?, constants)
    }

    /// The bytes of a dispatch with these constants, if known.
    pub fn bytes_of(&self, constants: &[i64]) -> Option<u64> {
        value(self.bytes.as_ref()?, constants)
    }

    /// The operations of every dispatch, where they do not depend on constants.
    pub fn fixed_operations(&self) -> Option<u64> {
        self.operations_of(&[])
    }
}

/// The sum; `None` if a constant is missing or a number becomes too large.
fn value(terms: &[WorkTerm], constants: &[i64]) -> Option<u64> {
    let term = |t: &WorkTerm| {
        t.constants.iter().try_fold(t.factor, |product, &c| product.checked_mul(*constants.get(c as usize)?))
    };
    let sum = terms.iter().try_fold(0i64, |sum, t| sum.checked_add(term(t)?))?;
    u64::try_from(sum).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_from_the_call() {
        let term = |factor, constants: &[u32]| WorkTerm { factor, constants: constants.into() };
        let work = KernelWork {
            operations: Some(vec![term(128, &[0, 1]), term(4, &[])]),
            kind: Some("f32".into()),
            bytes: Some(vec![term(8, &[])]),
        };
        assert_eq!((work.operations_of(&[2, 3]), work.bytes_of(&[2, 3])), (Some(772), Some(8)));
        assert_eq!(
            (work.fixed_operations(), work.operations_of(&[2]), work.operations_of(&[i64::MAX, 3])),
            (None, None, None)
        );
        assert_eq!(work.operations_of(&[-2, 3]), None);
    }
}
