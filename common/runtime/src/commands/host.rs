//! Host functions: functions of host libraries or the embedding application that a program calls.
use super::{Buffer, Operand};
use crate::DType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a host function's argument or result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostType {
    /// The element type.
    pub dtype: DType,
    /// The sizes of the dimensions; `None` is known at run time only.
    pub shape: Vec<Option<usize>>,
    /// Whether it is a scalar, which is passed as a tensor of rank 0.
    pub scalar: bool,
}

impl fmt::Display for HostType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scalar {
            return write!(f, "{}", self.dtype);
        }
        f.write_str("tensor<")?;
        self.shape.iter().try_for_each(|d| match d {
            Some(n) => write!(f, "{n}x"),
            None => f.write_str("?x"),
        })?;
        write!(f, "{}>", self.dtype)
    }
}

/// A host function as the program calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFunction {
    /// The name, as `module.function`.
    pub name: String,
    /// The version that its module must have, if the program says one.
    pub version: Option<u32>,
    /// The types of its arguments, in order.
    pub inputs: Vec<HostType>,
    /// The types of its results, in order.
    pub results: Vec<HostType>,
    /// The functions of the program that call it.
    pub called_by: Vec<String>,
}

impl HostFunction {
    /// `(tensor<?xi64>, f32) -> tensor<?x8xf32>`.
    pub fn signature(&self) -> String {
        let list = |types: &[HostType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match &*self.results {
            [one] => format!("({}) -> {one}", list(&self.inputs)),
            all => format!("({}) -> ({})", list(&self.inputs), list(all)),
        }
    }
}

/// A dense tensor that a host function reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostInput {
    /// Its bytes.
    pub buffer: Buffer,
    /// The sizes of its dimensions.
    pub dims: Vec<Operand>,
}

/// The destination of a host function's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostResult {
    /// Memory of a static shape, or a slot that gets what the function asks for.
    pub place: HostPlace,
    /// The sizes of its dimensions: numbers where the type is static, else registers, which the call sets.
    pub dims: Vec<Operand>,
}

/// See [`HostResult`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostPlace {
    /// The function writes to this buffer.
    Buffer(Buffer),
    /// The function allocates; what the slot held is released.
    Slot(u32),
}
