//! The data of a host program: constants, states, archives.
use crate::{DType, TensorSpec};
use serde::{Deserialize, Serialize};

/// The location of a constant's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstantData {
    /// One element, repeated.
    Splat(Vec<u8>),
    /// In the section `.hal.constants`, at this offset, a multiple of 64.
    Inline(u64),
    /// In a weight archive.
    Archived {
        /// An index in [`super::HostProgram::archives`].
        archive: u32,
        /// The tensor's name in it.
        key: String,
    },
    /// In a file of any format.
    Piece {
        /// An index in [`super::HostProgram::archives`].
        archive: u32,
        /// The offset in bytes.
        offset: u64,
    },
}

/// A constant tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// The element type.
    pub dtype: DType,
    /// The shape.
    pub shape: Vec<u64>,
    /// The value.
    pub data: ConstantData,
}

impl Constant {
    /// The bytes that it takes when expanded; `None` if more than fit the address space.
    pub fn byte_count(&self) -> Option<u64> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape
            .iter()
            .try_fold(self.dtype.size() as u64, |n, &d| n.checked_mul(d))
            .filter(|&n| i64::try_from(n).is_ok())
    }
}

/// A state of the program: a mutable global, of which each instance has its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its name and type; sizes that are any change from call to call.
    pub spec: TensorSpec,
    /// The value before the first call.
    pub initial: Initial,
}

/// The initial value of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initial {
    /// Zeros, with these dimensions.
    Zeros(Vec<u64>),
    /// A constant, an index in [`super::HostProgram::constants`].
    Constant(u32),
}

/// Where the loader finds an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArchivePlace {
    /// In a file of this name, beside the program.
    Named(String),
    /// In the file that was written with the program: beside it and named like it, or else any of that content. So the
    /// program does not depend on its own name.
    Own,
    /// At the end of the program's file, behind the shared object; see [`crate::container`].
    Embedded,
}

/// A file with weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// Where it is.
    pub place: ArchivePlace,
    /// Its size in bytes.
    pub bytes: u64,
    /// The BLAKE3 hash of its header (the length word and the JSON) if it is a safetensors file whose tensors are known by their
    /// names; `None` if only pieces of it are used.
    pub header: Option<[u8; 32]>,
    /// A hash of some places of it, see [`crate::samples`].
    pub samples: [u8; 32],
    /// The BLAKE3 hash of the whole file, for a full check.
    pub content: [u8; 32],
}
