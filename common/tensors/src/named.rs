//! A tensor with its name in an archive.
use crate::strings;
use halyard_runtime::Tensor;

/// A tensor and, if it came from an archive, its name there.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The name in the archive.
    pub name: Option<String>,
    /// The tensor; of strings, where each ends.
    pub tensor: Tensor,
    /// The tensor; for strings, the bytes of all of them.
    pub bytes: Option<Tensor>,
}

impl Named {
    /// Returns the type for messages.
    pub(crate) fn type_text(&self) -> String {
        match self.bytes {
            Some(_) => self.tensor.shape().iter().map(|d| format!("{d}x")).collect::<String>() + strings::ELEMENT,
            None => self.tensor.type_text(),
        }
    }
}
