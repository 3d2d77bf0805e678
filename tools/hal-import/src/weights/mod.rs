//! Keeps weights out of the text: large constants become globals whose data are in a safetensors archive beside the
//! program, in resources at its end, or in the model's files. [`bind()`] loads weights that a model lacks from files.
mod archive;
mod bind;
mod collect;
mod place;

pub(crate) use archive::dtype_of;
pub use archive::{Weight, archive};
pub use bind::bind;
pub use collect::collect;
pub(crate) use collect::{INLINE_BYTES, LEAST_BYTES, LEAST_MATRIX};
pub(crate) use place::free_name;
pub use place::{archive_name, embed, externalize, refer};
