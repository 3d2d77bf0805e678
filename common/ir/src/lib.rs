//! The only access to MLIR; reads, verifies and builds the exchange form.
//!
//! - [`Session`]: an MLIR context with its diagnostics bridged to [`halyard_diag`]; parses text and bytecode, runs pass
//!   pipelines, prints.
//! - [`Op`], [`Value`], [`Block`], [`Region`], [`Type`], [`Attr`]: copyable handles for code that rewrites IR.
//! - [`form`]: programs, executables, exports, entries, variants: reads, builds and verifies them. The names of
//!   `hal.*` attributes are in [`names`] and nowhere else.
//!
//! The handles are thin wrappers of the C API: melior's graph types bind every handle to a lifetime and a mutability,
//! which does not suit a rewrite that holds many places of one module at once. Context, registry and pass manager are
//! melior's.

mod byte_functions;
mod damaged;
mod depth;
mod dialects;
mod elements;
mod filtering;
pub mod form;
mod handles;
pub mod lines;
mod memory;
mod misspelt;
pub mod names;
mod natives;
mod pass_manager;
mod passes;
mod places;
mod plugins;
mod session;
mod structural_key;
mod structure_hash;
mod transform;
mod weight_layout;

pub use byte_functions::{ByteFunction, ByteFunctions, is_byte};
pub use elements::{dense_bytes, dense_data, resource};
pub use filtering::Filtering;
pub use handles::{
    Affine, AffineKind, Attr, Block, Bound, Builder, DYNAMIC, EXTREMES, ForallLoop, INTEGER_DIVISIONS, Loc, Op, Region,
    Structured, Type, Value, is_contraction, is_convolution,
};
pub use memory::exit_without_memory;
pub use natives::{PDL_NATIVES, PdlNative};
pub use passes::{Passes, PipelineOptions, is_pass, list_passes};
pub use places::{line_of, node_of, origins_of};
pub use plugins::{PluginKind, load_plugin, load_plugins, plugin_words};
pub use session::{MARK, Module, Session, is_bytecode};
pub use structural_key::StructuralKey;
pub use transform::{Mark, Tags};
pub use weight_layout::WeightLayout;
