//! Object files: their kind, detected from their content, their architecture, and the symbols that they define and
//! need.
//!
//! - [`FileFormat`] is detected from the first bytes, never from the name.
//! - [`inspect`] reads a relocatable ELF object, [`Library`] the members of static archives, [`inspect_shared`] a shared
//!   object. Damaged files are refused.
//! - [`declared`] returns the parameters of functions that debug information declares.
//! - [`clib`] lists the functions of the C library that kernels may use.
//!
//! This crate uses neither LLVM nor MLIR.

mod abi;
mod architecture;
mod archive;
pub mod clib;
mod cuda;
mod debug;
mod detect;
mod kind;
mod load_constants;
mod object;
mod packed_weights;
mod patch;
mod shared;
mod spirv;
mod text;
mod writable;

pub use abi::{
    AbiBinding, AbiConstant, CodeArgument, CodeFactor, CodeNumber, Half, KernelAbi, NumberKind, PUSH_CONSTANT_BYTES,
    PushConstants,
};
pub use architecture::{architecture_name, architecture_of_triple};
pub use archive::{Library, is_archive};
pub use cuda::{
    CudaCode, CudaFitted, CudaKernel, CudaKind, CudaLaunch, CudaParameter, fit_cuda, inspect_cuda, rename_ptx,
};
pub use debug::{CNumber, CParameter, DeclaredFunction, declared};
pub use kind::FileFormat;
pub use load_constants::{LOAD_CONSTANTS_SECTION, LoadConstants, parse_load_constants};
pub use object::{ObjectFile, Symbol, SymbolUse, inspect, packed_weights_of};
pub use packed_weights::{PACKED_WEIGHTS_SECTION, PackedWeights, packed_weights_section, parse_packed_weights};
pub use patch::{rename, weaken};
pub use shared::{SharedObject, inspect_shared};
pub use spirv::{
    Access, Elements, Fitted, LocalSize, PushConstantBlock, Pushed, Resource, Scalar, SpecConstant, SpirvBinding,
    SpirvEntry, SpirvModule, disassemble_spirv, finish_spirv, fit_spirv, inspect_spirv, merge_spirv,
};
pub use writable::writable_sections;
