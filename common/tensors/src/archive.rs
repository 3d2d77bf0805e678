//! Writes safetensors archives whose tensors can be used directly from the mapped file.
//!
//! Format: <https://github.com/huggingface/safetensors#format>: the length of the header, the header (JSON, padded
//! with spaces), the tensors without gaps. A kernel's buffers are aligned to 64 bytes. So the header is padded to a
//! multiple of 64, and tensors whose size is a multiple of 64 come first. Only the few others are copied when they are
//! loaded.
use bytes::Bytes;
use halyard_diag::{Error, Result, says_absent};
use halyard_runtime::ALIGNMENT;
use safetensors::Dtype;
use std::{
    borrow::Cow,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// The elements of a tensor, in place until they are written: large weights are never copied.
#[derive(Debug, Clone)]
pub enum Data<'s> {
    /// Borrowed or computed bytes.
    Held(Cow<'s, [u8]>),
    /// A range of a mapped file, or of a buffer.
    Shared(Bytes),
}

impl Data<'_> {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Held(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// The start of the header of an archive that Halyard wrote.
const MARK: &str = "{\"__metadata__\":{\"halyard.content\":\"";

/// A tensor to write.
#[derive(Debug)]
pub struct ArchiveTensor<'s> {
    /// The name in the archive.
    pub key: String,
    /// The element type.
    pub dtype: Dtype,
    /// The shape.
    pub shape: Vec<u64>,
    /// The elements, row-major and little-endian.
    pub data: Data<'s>,
    /// Their BLAKE3 hash; see [`content_hash`].
    pub hash: [u8; 32],
}

/// An archive to write.
#[derive(Debug)]
pub struct NewArchive<'s> {
    /// The path to write.
    pub path: PathBuf,
    header: Vec<u8>,
    tensors: Vec<ArchiveTensor<'s>>,
}

impl<'s> NewArchive<'s> {
    /// An archive of tensors with different keys. Their order does not matter.
    pub fn new(path: PathBuf, mut tensors: Vec<ArchiveTensor<'s>>) -> Self {
        let order = |t: &ArchiveTensor<'_>| (!t.data.bytes().len().is_multiple_of(ALIGNMENT), t.key.clone());
        tensors.sort_by_cached_key(order);
        let mut content = blake3::Hasher::new();
        for t in &tensors {
            content.update(&t.hash);
        }
        // Programs check the header of their archive when they are loaded: this entry makes it unique.
        let mut header = format!("{MARK}{}\"}}", content.finalize().to_hex());
        let mut offset = 0;
        for t in &tensors {
            let end = offset + t.data.bytes().len();
            let shape: Vec<_> = t.shape.iter().map(u64::to_string).collect();
            let key = serde_json::to_string(&t.key).expect("strings serialise");
            header += &format!(
                ",{key}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{offset},{end}]}}",
                t.dtype,
                shape.join(",")
            );
            offset = end;
        }
        header.push('}');
        while !(header.len() + 8).is_multiple_of(ALIGNMENT) {
            header.push(' ');
        }
        let header = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        Self { path, header, tensors }
    }

    /// Whether writing an archive to this path would destroy a file: an input, or a file that Halyard did not write. Fails if
    /// it cannot be read.
    pub fn would_destroy(path: &Path) -> Result<bool> {
        let same = |p: &PathBuf| p.canonicalize().ok().zip(path.canonicalize().ok()).is_some_and(|(a, b)| a == b);
        if halyard_cli::files_read().iter().any(same) {
            return Ok(true);
        }
        let fail = |e: std::io::Error| Error::io("read", path, &e);
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(e) if says_absent(&e) => return Ok(false),
            Err(e) => return Err(fail(e)),
        };
        // Other than regular files, such as pipes, are written to, not replaced.
        if !file.metadata().map_err(fail)?.is_file() {
            return Ok(false);
        }
        let mut start = Vec::new();
        file.by_ref().take(64).read_to_end(&mut start).map_err(fail)?;
        Ok(!start.get(8..).is_some_and(|rest| rest.starts_with(MARK.as_bytes())))
    }

    /// The tensors, in the order of the file.
    pub fn tensors(&self) -> &[ArchiveTensor<'s>] {
        &self.tensors
    }

    /// Returns the length word and the JSON.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The contents of the file, piece by piece.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&*self.header).chain(self.tensors.iter().map(|t| t.data.bytes()))
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.pieces().map(|p| p.len() as u64).sum()
    }

    /// Whether a file already has these contents.
    pub fn is_at(&self, path: &Path) -> bool {
        let Ok(mut file) = File::open(path) else { return false };
        if !file.metadata().is_ok_and(|m| m.len() == self.size()) {
            return false;
        }
        let mut found = Vec::new();
        let mut read = |wanted: &[u8]| {
            found.resize(wanted.len(), 0);
            if file.read_exact(&mut found).is_ok() && found == wanted { Ok(()) } else { Err(()) }
        };
        self.pieces().all(|piece| halyard_cli::try_in_pieces(piece, &mut read).is_ok())
    }
}

/// The BLAKE3 hash of the elements of a tensor.
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    halyard_cli::in_pieces(bytes, |piece| {
        hasher.update(piece);
    });
    hasher.finalize().into()
}

#[cfg(test)]
mod tests;
