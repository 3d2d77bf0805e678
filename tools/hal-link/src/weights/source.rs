//! Files with weights: their headers, and where a constant's elements lie.
use crate::lower::TableEntry;
use bytes::Bytes;
use halyard_diag::{Error, Result};
use halyard_ir::form::Piece;
use halyard_runtime::{
    DType,
    commands::{Archive, ArchivePlace},
    dtype_name, header_range, samples,
};
use halyard_tensors::content_hash;
use std::{
    collections::BTreeMap,
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
};

/// A file with weights, mapped.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) map: Bytes,
    /// The tensors of a safetensors archive; `None` if only ranges of the file are used.
    tensors: Option<BTreeMap<String, Tensor>>,
}

/// The type, shape and range of a tensor.
type Tensor = (String, Vec<u64>, Range<usize>);

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("read", path, &e))?;
        halyard_cli::depend_on(path);
        let map = halyard_cli::map_file(&file).map_err(|e| Error::io("map", path, &e))?;
        Ok(Self { path: path.to_owned(), map, tensors: None })
    }

    /// Reads the header of a safetensors archive, once.
    pub(super) fn read_header(&mut self) -> Result<()> {
        if self.tensors.is_some() {
            return Ok(());
        }
        let shown = self.path.display();
        let bad = |why: String| {
            Error::input(format!("`{shown}` is not a valid safetensors file: {why}"))
                .code("bad-weight")
                .hint("import the model again")
        };
        let map = &self.map;
        let (_, metadata) = safetensors::SafeTensors::read_metadata(map).map_err(|e| bad(e.to_string()))?;
        let data = header_range(map).ok_or_else(|| bad("it has no header".into()))?.end;
        let mut tensors = BTreeMap::new();
        for (name, info) in metadata.tensors() {
            let range = data + info.data_offsets.0..data + info.data_offsets.1;
            if range.end > map.len() {
                return Err(bad(format!("tensor `{name}` lies beyond its end")));
            }
            tensors.insert(name, (dtype_name(info.dtype), info.shape.iter().map(|&d| d as u64).collect(), range));
        }
        self.tensors = Some(tensors);
        Ok(())
    }

    /// Returns the description of the file for the program.
    pub(super) fn describe(&self, place: ArchivePlace) -> Result<Archive> {
        let bytes = &self.map;
        let header = match &self.tensors {
            None => None,
            Some(_) => {
                let shown = self.path.display();
                let not = || Error::input(format!("`{shown}` is not a safetensors file")).code("bad-weight");
                Some(blake3::hash(&bytes[header_range(bytes).ok_or_else(not)?]).into())
            }
        };
        let samples = samples(bytes.len() as u64, [&bytes[..]]);
        Ok(Archive { place, bytes: bytes.len() as u64, header, samples, content: content_hash(bytes) })
    }

    /// Returns the range of a constant's elements.
    pub(super) fn range(&self, key: &str, piece: Option<Piece>, entry: &TableEntry<'_>) -> Result<Range<usize>> {
        match piece {
            None => self.tensor(key, entry.dtype, &entry.shape),
            Some(piece) => self.piece(piece, entry.dtype, &entry.shape),
        }
    }

    /// Returns a range of the file.
    fn piece(&self, piece: Piece, dtype: DType, shape: &[u64]) -> Result<Range<usize>> {
        let shown = self.path.display();
        if piece.size != self.map.len() as u64 {
            let message =
                format!("`{shown}` has {} bytes, it had {} when the model was imported", self.map.len(), piece.size);
            return Err(Error::input(message)
                .code("bad-weight")
                .hint("import the model again, or name the right folder with `--weights-path=FOLDER`"));
        }
        let bytes = shape.iter().try_fold(dtype.size() as u64, |n, d| n.checked_mul(*d));
        let end = bytes.and_then(|n| piece.offset.checked_add(n)).filter(|end| *end <= piece.size);
        let end = end.ok_or_else(|| {
            Error::input(format!("a weight at byte {} of `{shown}` lies beyond its end", piece.offset))
                .code("bad-weight")
        })?;
        Ok(piece.offset as usize..end as usize)
    }

    fn tensor(&self, key: &str, dtype: DType, shape: &[u64]) -> Result<Range<usize>> {
        let shown = self.path.display();
        let Some((found, dims, range)) = self.tensors.as_ref().and_then(|t| t.get(key)) else {
            return Err(Error::input(format!("`{shown}` has no tensor `{key}`"))
                .code("bad-weight")
                .hint("was it written by the same `hal-import`?"));
        };
        if *found != dtype.signless().name() || dims != shape {
            let text = |dims: &[u64]| dims.iter().map(|d| format!("{d}x")).collect::<String>();
            return Err(Error::input(format!(
                "tensor `{key}` of `{shown}` is `{}{found}`, the program expects `{}{dtype}`",
                text(dims),
                text(shape)
            ))
            .code("bad-weight"));
        }
        Ok(range.clone())
    }
}
