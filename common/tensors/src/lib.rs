//! Tensors on command lines and in files, for tools that run programs.
//!
//! - [`TensorArgument`]: the value of `--input=` and `--expect=`, see [`SYNTAX`].
//! - [`read`] and [`write`]: `.npy`, `.npz`, `.safetensors`, raw bytes.
//! - [`WeightFiles`]: weights by name, from `.safetensors` and `.gguf`.
//! - [`bind()`]: assigns arguments to the inputs (or outputs) of a function, by name or in order.
//! - [`print()`]: prints like numpy; [`compare()`]: compares like numpy's `isclose`.

mod archive;
mod argument;
mod bind;
mod compare;
mod fill;
mod literal;
mod named;
mod npy;
mod npz;
mod number;
mod output;
mod print;
mod read;
mod safetensors;
mod states;
mod strings;
mod weights;

pub use archive::{ArchiveTensor, Data, NewArchive, content_hash};
pub use argument::{SYNTAX, TensorArgument};
pub use bind::{bind, describe};
pub use compare::{Difference, Tolerance, compare, compare_by_scale};
pub use fill::random;
pub use literal::TensorType;
pub use named::Named;
pub use npy::write as npy_bytes;
pub use number::{Number, number};
pub use output::{Destination, Plan, write};
pub use print::{print, print_strings};
pub use read::{read, read_bytes};
pub use safetensors::archive_type;
pub use states::{bind_states, set_states, state_argument, states};
pub use strings::{bytes_of, texts};
pub use weights::{NameMap, Taken, WantedWeight, WeightFiles, read_weights};
