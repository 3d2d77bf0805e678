//! Kernels and their workgroup counts.
use super::{KernelCode, KernelWork, Operand, PackedBinding, ScalarInst, evaluate};
use crate::{DType, KernelIdentity};
use serde::{Deserialize, Serialize};

/// How a variant computes its workgroup count. Registers 0 to n-1 initially hold the n constants of the dispatch, with
/// load-time constants last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkgroupCount {
    /// The number of registers.
    pub registers: u32,
    /// The arithmetic.
    pub body: Vec<ScalarInst>,
    /// The counts in x, y and z.
    pub results: [Operand; 3],
}

impl WorkgroupCount {
    /// The count for given constants; `scratch` is memory to reuse. `None` if a count is negative or beyond 32 bits, or
    /// the arithmetic fails (a division by zero).
    pub fn compute(&self, constants: &[i64], scratch: &mut Vec<u64>) -> Option<[u32; 3]> {
        scratch.clear();
        scratch.extend(constants.iter().map(|&c| c as u64));
        scratch.resize(self.registers as usize, 0);
        for inst in &self.body {
            evaluate(inst, scratch).ok()?;
        }
        let mut counts = [0; 3];
        for (count, result) in counts.iter_mut().zip(self.results) {
            *count = u32::try_from(result.get(scratch)).ok()?;
        }
        Some(counts)
    }
}

/// A kernel lowered for one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelVariant {
    /// The name of the variant.
    pub name: String,
    /// Its machine code.
    pub code: KernelCode,
    /// The features that a device needs to run it: of a CPU by LLVM's names (`avx2`, `avx512f`, …), capabilities of
    /// SPIR-V (`Float16`, …), the least architecture of CUDA (`sm_80`).
    pub features: Vec<String>,
    /// The properties of the device that it takes as constants, after the others; see [`crate::property_names`].
    pub load_constants: Vec<String>,
    /// The bindings that it takes in other layouts than the model's.
    pub packed: Vec<PackedBinding>,
    /// A hash of its code: equal for equal bytes.
    pub digest: String,
    /// Computes the workgroup count from all constants.
    pub workgroups: WorkgroupCount,
}

impl KernelVariant {
    /// The layout in which it takes a binding; `None` is that of the model.
    pub fn layout(&self, binding: usize) -> Option<&str> {
        self.packed.iter().find(|p| p.binding as usize == binding).map(|p| &*p.layout)
    }
}

/// The tensor that a binding holds, for those who look at its elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BindingType {
    /// The type of its elements.
    pub dtype: DType,
    /// The sizes of its dimensions.
    pub dims: Vec<BindingSize>,
}

/// The size of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingSize {
    /// A static size.
    Fixed(u64),
    /// The value of the constant with this number.
    Constant(u32),
}

impl BindingType {
    /// The sizes in a dispatch with these constants; `None` if they say no sizes.
    pub fn shape(&self, constants: &[i64]) -> Option<Vec<usize>> {
        let size = |d: &BindingSize| match *d {
            BindingSize::Fixed(n) => usize::try_from(n).ok(),
            BindingSize::Constant(c) => usize::try_from(*constants.get(c as usize)?).ok(),
        };
        self.dims.iter().map(size).collect()
    }
}

/// A kernel, with its variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The executable's name.
    pub executable: String,
    /// The export's name.
    pub export: String,
    /// The content key and the origin.
    pub identity: KernelIdentity,
    /// The fingerprint of the interface that it was linked against.
    pub fingerprint: String,
    /// For each binding, whether the kernel writes it.
    pub bindings: Vec<bool>,
    /// For each binding, the type of its tensor, in the model's layout.
    pub types: Vec<BindingType>,
    /// The number of bindings, the last ones, that are results with their own memory, which is undefined before the
    /// dispatch. Other bindings that are written also hold an argument: a tied result.
    pub results: u32,
    /// The number of constants.
    pub constants: u32,
    /// The work of a dispatch, whatever its kernel.
    pub work: KernelWork,
    /// The bytes of all bindings, if static.
    pub bytes: Option<u64>,
    /// The variants, the best first.
    pub variants: Vec<KernelVariant>,
}
