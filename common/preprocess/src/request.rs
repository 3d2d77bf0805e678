//! The input of one call of a command.
use halyard_diag::Span;

/// One call to be made.
#[derive(Debug)]
pub(crate) struct Request {
    /// The name of the item in messages: ``executable `@e` ``.
    pub(crate) name: String,
    /// The name of the folder for its files.
    pub(crate) file: String,
    /// The suffix of its input and output there.
    pub(crate) suffix: &'static str,
    /// The suffix of its output, if that is something else.
    pub(crate) replies: Option<&'static str>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) env: Vec<(&'static str, String)>,
    /// The place of what the tool works on.
    pub(crate) span: Option<Span>,
}
