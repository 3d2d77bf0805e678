//! Packs weights, several at once.
use super::{elements, source::Source};
use crate::lower::{ConstantTable, TableData};
use halyard_diag::Result;
use halyard_exec::parallel_map;
use halyard_tensors::content_hash;
use std::{collections::BTreeMap, path::PathBuf};

/// The bytes of a packed weight, and their hash.
pub(super) type Packed = (Vec<u8>, [u8; 32]);

/// The packed constants of a table, in its order; `None` for the others. Errors: a weight that its file does not have.
pub(super) fn pack(
    table: &ConstantTable<'_>,
    sources: &BTreeMap<PathBuf, Source>,
) -> Result<impl Iterator<Item = Option<Packed>>> {
    let packed = parallel_map(None, &table.entries, |_, entry| {
        let TableData::Packed { model, layout, shape, .. } = &entry.data else { return Ok(None) };
        let bytes = layout.pack(shape, model.dtype.signless().name(), &elements(model, sources)?);
        let hash = content_hash(&bytes);
        Ok(Some((bytes, hash)))
    });
    Ok(packed.into_iter().collect::<Result<Vec<_>>>()?.into_iter())
}
