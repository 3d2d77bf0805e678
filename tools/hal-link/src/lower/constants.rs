//! The constants of a program, deduplicated.
use super::values::dtype_of;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{Attr, Op, Session, WeightLayout, dense_data, form::Piece};
use halyard_runtime::DType;
use halyard_tensors::content_hash;
use std::{borrow::Cow, collections::BTreeMap, path::PathBuf};

/// The storage of a constant's elements before linking.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TableData<'s> {
    /// One element, repeated.
    Splat(Vec<u8>),
    /// Bytes in the program. The name is used if they move to the archive.
    Bytes {
        /// The elements; those of large constants are where the session has them.
        bytes: Cow<'s, [u8]>,
        /// The BLAKE3 hash.
        hash: [u8; 32],
        /// A descriptive name; empty if there is none.
        name: String,
    },
    /// Another constant, packed.
    Packed {
        /// The number of the constant when it was packed.
        constant: u32,
        /// The constant to pack.
        model: Box<TableEntry<'s>>,
        /// The shape in which it is packed: that of the model, or another one of as many elements.
        shape: Vec<u64>,
        /// The layout.
        layout: WeightLayout,
    },
    /// In an archive.
    Archived {
        /// The file.
        path: PathBuf,
        /// The tensor's name in it.
        key: String,
        /// The range in a file of any format.
        piece: Option<Piece>,
    },
}

/// A constant before linking.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableEntry<'s> {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<u64>,
    pub(crate) data: TableData<'s>,
}

/// The identity of a constant: type, shape, and the content or its hash.
type Identity = (DType, Vec<u64>, Vec<u8>);

/// All constants.
#[derive(Debug, Default)]
pub(crate) struct ConstantTable<'s> {
    pub(crate) entries: Vec<TableEntry<'s>>,
    known: BTreeMap<Identity, u32>,
    /// MLIR keeps an attribute once, so that looking at large elements once is enough.
    attributes: BTreeMap<(usize, usize), u32>,
}

impl<'s> ConstantTable<'s> {
    /// Adds the value of an `arith.constant` or a global. Errors: elements that cannot be read.
    pub(crate) fn add(&mut self, session: &'s Session, op: Op, value: Attr) -> Result<u32> {
        let ty = value.value_type();
        let key = (value.0.ptr as usize, ty.0.ptr as usize);
        if let Some(&index) = self.attributes.get(&key) {
            return Ok(index);
        }
        let fail = |message: String| -> Error {
            let mut d = Diagnostic::error(message).code("unsupported");
            if let Some(span) = session.span(op) {
                d = d.at(span);
            }
            d.into()
        };
        let shape = if ty.is_tensor() && ty.is_ranked_tensor() {
            ty.shape()
        } else {
            return Err(fail(format!("a constant of type `{ty}` is not supported")));
        };
        let (Some(dtype), Some((bytes, splat))) = (dtype_of(ty.element()), dense_data(session, value)) else {
            let hint = if value.is_resource() {
                "is its resource missing?"
            } else {
                "use dense elements or an external parameter"
            };
            return Err(fail(format!("the elements of a constant of type `{ty}` cannot be read")).hint(hint));
        };
        let shape: Vec<u64> = shape.into_iter().map(|d| d.unwrap_or(0) as u64).collect();
        let data = if splat {
            TableData::Splat(bytes.into_owned())
        } else {
            TableData::Bytes { hash: content_hash(&bytes), bytes, name: op.symbol().unwrap_or_default() }
        };
        let index = self.insert(TableEntry { dtype, shape, data });
        self.attributes.insert(key, index);
        Ok(index)
    }

    /// Adds a constant, unless it is known.
    pub(crate) fn insert(&mut self, entry: TableEntry<'s>) -> u32 {
        let content = match &entry.data {
            TableData::Splat(element) => [b"splat ", &element[..]].concat(),
            TableData::Bytes { hash, .. } => hash.to_vec(),
            TableData::Packed { constant, layout, shape, .. } => {
                format!("packed {constant} {} {shape:?}", layout.name()).into_bytes()
            }
            TableData::Archived { path, key, piece: None } => format!("archived {} {key}", path.display()).into_bytes(),
            TableData::Archived { path, piece: Some(piece), .. } => {
                format!("piece {} {}", path.display(), piece.offset).into_bytes()
            }
        };
        let identity = (entry.dtype, entry.shape.clone(), content);
        let next = self.entries.len() as u32;
        let index = *self.known.entry(identity).or_insert(next);
        if index == next {
            self.entries.push(entry);
        }
        index
    }
}
