//! Diagnostics: the messages of all tools, and how they are rendered.
//!
//! A [`Diagnostic`] is one message with a place, notes and hints. An [`Error`] holds diagnostics and an [`ErrorKind`],
//! which determines the exit code. [`render()`] draws errors for people (with excerpts and carets), for editors
//! (`file:line:col: error: …`) and for programs (JSON lines).
//!
//! Wording: lowercase, no full stop, names in backticks. The message says what failed, where, and with which value; a
//! hint says what to do next. There is one primary message, with labels and notes.

mod codes;
mod content;
mod diagnostic;
mod error;
mod nearest;
mod presence;
mod quote;
mod render;
mod shorten;
mod source;
mod still;
mod template;
mod wire;

pub use codes::CODES;
pub use content::{looks_like, what_to_do};
pub use diagnostic::{Diagnostic, Label, Severity};
pub use error::{Error, ErrorKind, Result};
pub use nearest::{either, few, nearest};
pub use presence::{may_be_file, may_be_folder, may_exist, read_error, says_absent, try_is_file};
pub use quote::quote;
pub use render::{DiagnosticFormat, diagnostic as render_diagnostic, render};
pub use source::{Source, Span};
pub use still::still;
pub use template::Template;
pub use wire::WireError;
