//! Packs weights, several at once.
use super::{elements, source::Source};
use crate::lower::{ConstantTable, TableData};
use bytes::Bytes;
use halyard_cli::Spill;
use halyard_diag::{Error, Result};
use halyard_exec::parallel_map;
use halyard_tensors::content_hash;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The bytes of a packed weight, and their hash.
pub(super) type Packed = (Bytes, [u8; 32]);

/// The packed constants of a table, in its order; `None` for the others. Many of them lie in a file, and not in memory. Errors: a
/// weight that its file does not have.
pub(super) fn pack(
    table: &ConstantTable<'_>,
    sources: &BTreeMap<PathBuf, Source>,
) -> Result<impl Iterator<Item = Option<Packed>>> {
    let spill = Spill::default();
    let packed = parallel_map(None, &table.entries, |_, entry| {
        let TableData::Packed { model, layout, shape, .. } = &entry.data else { return Ok(None) };
        let elements = elements(model, sources)?;
        let bytes = layout.pack(shape, model.dtype.signless().name(), &elements);
        halyard_cli::give_back(&elements);
        let hash = content_hash(&bytes);
        Ok(Some((spill.keep(bytes), hash)))
    });
    let packed = packed.into_iter().collect::<Result<Vec<_>>>()?;
    let bytes = spill.finish().map_err(|e| Error::io("map", Path::new("packed weights"), &e))?;
    Ok(packed.into_iter().map(move |packed| packed.map(|(kept, hash)| (bytes(kept), hash))))
}
