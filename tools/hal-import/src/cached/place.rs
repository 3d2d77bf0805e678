//! Where the weights of an imported program lie: in the model, in a file beside it, or in the entry.
use super::key::Known;
use crate::ImportRequest;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// An entry is not kept if it is larger, in bytes.
pub(super) const LARGEST: usize = 32 << 20;

/// Where bytes lie.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Place {
    /// In the model.
    Model { offset: usize, length: usize },
    /// In a file of [`Known::files`].
    File { file: usize, offset: usize, length: usize },
    /// In the entry.
    Held { offset: usize, length: usize },
}

impl Place {
    /// The bytes; `held` are those of the entry. `None`: there are not so many.
    pub(super) fn bytes(&self, what: &ImportRequest<'_>, known: &Known, held: &Bytes) -> Option<Bytes> {
        let (of, offset, length) = match *self {
            Self::Model { offset, length } => (&what.bytes, offset, length),
            Self::File { file, offset, length } => (&known.files.get(file)?.1, offset, length),
            Self::Held { offset, length } => (held, offset, length),
        };
        let end = offset.checked_add(length).filter(|end| *end <= of.len())?;
        Some(of.slice(offset..end))
    }
}

/// Collects the bytes that lie in no file.
pub(super) struct Held<'a> {
    pub(super) what: &'a ImportRequest<'a>,
    pub(super) known: &'a Known,
    pub(super) bytes: Vec<u8>,
}

impl Held<'_> {
    /// Where bytes lie; those that lie nowhere are added to the entry. Errors: they are too many.
    pub(super) fn place(&mut self, bytes: &[u8]) -> std::result::Result<Place, String> {
        let length = bytes.len();
        let model = self.what.bytes.as_ptr_range();
        let own = bytes.as_ptr_range();
        if model.start <= own.start && own.end <= model.end && length > 0 {
            return Ok(Place::Model { offset: own.start.addr() - model.start.addr(), length });
        }
        if let Some(origin) = halyard_cli::origin(bytes)
            && let Some(file) = self.known.files.iter().position(|(path, _)| *path == origin.path)
        {
            return Ok(Place::File { file, offset: origin.offset as usize, length });
        }
        let offset = self.bytes.len();
        if offset + length > LARGEST {
            return Err(format!("more than {LARGEST} bytes of its weights are computed, or copied from MLIR"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(Place::Held { offset, length })
    }
}
