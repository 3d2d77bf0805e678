//! Keeps weights out of the text: large constants become globals, whose data stand in a safetensors archive beside the
//! program, or in resources at its end.
mod archive;
mod collect;
mod place;

pub use archive::{Weight, archive};
pub use collect::collect;
pub use place::{archive_name, embed, externalize};
