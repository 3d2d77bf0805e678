//! Constants and weights in memory.
mod archive;
mod mapped;
mod streamed;

use crate::{
    ALIGNMENT, AlignedBytes,
    commands::{ConstantData, HostProgram},
};
pub(crate) use archive::ArchiveSource;
use archive::OpenArchive;
pub use archive::{dtype_name, header_range};
use halyard_diag::{Error, Result};
use mapped::Mapped;
use std::collections::BTreeMap;

/// The weights and constants of a program, in memory.
#[derive(Debug)]
pub(crate) struct Constants {
    /// The address and size of each constant. They point into memory that the other fields own.
    spans: Vec<(usize, usize)>,
    _owned: Vec<AlignedBytes>,
    /// The name and the bytes of each archive.
    archives: Vec<(String, Mapped)>,
}

impl Constants {
    /// Returns the bytes of a constant.
    pub(crate) fn bytes(&self, index: u32) -> &[u8] {
        let (address, bytes) = self.spans[index as usize];
        // SAFETY: spans lie in memory that this owns and that is not written.
        unsafe { std::slice::from_raw_parts(address as *const u8, bytes) }
    }

    /// Returns the bytes of all constants.
    pub(crate) fn all(&self) -> Vec<&[u8]> {
        (0..self.spans.len() as u32).map(|i| self.bytes(i)).collect()
    }

    /// Reads every archive in full. Errors: its contents are not those that the program was linked with.
    pub(crate) fn verify(&self, host_program: &HostProgram) -> Result<()> {
        let each = host_program.archives.iter().zip(&self.archives);
        each.into_iter().try_for_each(|(archive, (path, mapped))| archive::verify(archive, mapped, path))
    }

    /// Finds all constants: `inline` is a copy of the section of the program, archives lie beside it or at its end. Constants
    /// that are not `used` are empty: forms of weights for other variants than those that were chosen.
    pub(crate) fn load(
        (host_program, used): (&HostProgram, &[bool]),
        inline: AlignedBytes,
        program: &ArchiveSource<'_>,
    ) -> Result<Self> {
        let mut archives = Vec::new();
        for archive in &host_program.archives {
            archives.push(OpenArchive::open(archive, program)?);
        }
        let mut owned = Vec::new();
        let splats = expand_splats((host_program, used))?;
        let mut spans = Vec::new();
        for (constant, used) in host_program.constants.iter().zip(used) {
            if !used {
                spans.push((ALIGNMENT, 0));
                continue;
            }
            let count = usize::try_from(constant.byte_count().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
            let bytes: &[u8] = match &constant.data {
                ConstantData::Splat(element) => {
                    // Constants are only read, so that all of one value share memory.
                    spans.push((splats[element].as_ptr() as usize, count));
                    continue;
                }
                ConstantData::Inline(offset) => {
                    let start = usize::try_from(*offset).unwrap_or(usize::MAX);
                    start.checked_add(count).and_then(|end| inline.get(start..end)).ok_or_else(|| {
                        Error::input("the host program is damaged: a constant lies outside its section")
                            .code("damaged-program")
                    })?
                }
                ConstantData::Archived { archive, key } => archives[*archive as usize].tensor(key, constant, count)?,
                ConstantData::Piece { archive, offset } => archives[*archive as usize].piece(*offset, count)?,
            };
            if (bytes.as_ptr() as usize).is_multiple_of(ALIGNMENT) {
                spans.push((bytes.as_ptr() as usize, count));
            } else {
                let copy = AlignedBytes::copy_of(bytes);
                spans.push((copy.as_ptr() as usize, count));
                owned.push(copy);
            }
        }
        owned.push(inline);
        owned.extend(splats.into_values());
        let archives: Vec<_> = archives.into_iter().map(OpenArchive::close).collect();
        owned.extend(streamed::into_large_pages(host_program, &archives, &mut spans));
        Ok(Self { spans, _owned: owned, archives })
    }
}

/// Expands each repeated element to the size of the largest constant that uses it.
fn expand_splats((host_program, used): (&HostProgram, &[bool])) -> Result<BTreeMap<Vec<u8>, AlignedBytes>> {
    let mut sizes: BTreeMap<&Vec<u8>, u64> = BTreeMap::new();
    for constant in host_program.constants.iter().zip(used).filter(|(_, used)| **used).map(|(c, _)| c) {
        if let ConstantData::Splat(element) = &constant.data {
            let size = sizes.entry(element).or_default();
            *size = (*size).max(constant.byte_count().unwrap_or(u64::MAX));
        }
    }
    let mut splats = BTreeMap::new();
    for (element, size) in sizes {
        let memory = usize::try_from(size).ok().and_then(AlignedBytes::try_zeroed);
        let mut bytes = memory.ok_or_else(|| {
            Error::environment(format!("cannot allocate {size} bytes for a constant")).code("out-of-memory")
        })?;
        // Fresh memory is zero, and takes no room until it is touched.
        if element.iter().any(|&b| b != 0) {
            bytes.chunks_exact_mut(element.len()).for_each(|e| e.copy_from_slice(element));
        }
        splats.insert(element.clone(), bytes);
    }
    Ok(splats)
}
