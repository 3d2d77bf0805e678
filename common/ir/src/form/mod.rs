//! The exchange form: programs, executables, exports, entries, variants.
//!
//! The views read IR; they hold handles and nothing else, so that the IR stays the only truth. [`verify`] is what every
//! tool calls at its boundary.

mod executable;
mod fingerprint;
mod load;
mod program;
mod variant;
mod verify;

pub use executable::{Executable, Export};
pub use fingerprint::{Interface, fingerprint};
pub use load::{load_program, print, write};
pub use program::{Entry, Global, Parameter, Phase, Program};
pub use variant::{Object, ObjectData, Variant, VariantSpec};
pub use verify::verify;
