//! Constants and weights in memory.
mod streamed;

use crate::{
    ALIGNMENT, AlignedBytes,
    commands::{Archive, Constant, ConstantData, HostProgram},
    samples,
};
use halyard_diag::{Error, Result};
use memmap2::Mmap;
use std::{collections::BTreeMap, fs::File, ops::Range, path::Path, time::SystemTime};

/// The weights and constants of a program, in memory.
#[derive(Debug)]
pub(crate) struct Constants {
    /// The address and size of each constant. They point into memory that the other fields own.
    spans: Vec<(usize, usize)>,
    _owned: Vec<AlignedBytes>,
    archives: Vec<Mmap>,
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
        host_program.archives.iter().zip(&self.archives).try_for_each(|(archive, map)| verify(archive, map))
    }

    /// Finds all constants: `inline` is a copy of the section of the program; archives lie in
    /// `folder`, and are read in full if they were written after the program was `linked`. Constants that are not `used` are
    /// empty: forms of weights for other variants than those that were chosen.
    pub(crate) fn load(
        (host_program, used): (&HostProgram, &[bool]),
        inline: AlignedBytes,
        path: &Path,
    ) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let linked = std::fs::metadata(path).and_then(|m| m.modified()).ok();
        let mut archives = Vec::new();
        for archive in &host_program.archives {
            archives.push(OpenArchive::open(archive, folder, linked)?);
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
        let archives: Vec<Mmap> = archives.into_iter().map(|a| a.map).collect();
        owned.extend(streamed::into_large_pages(host_program, &archives, &mut spans));
        Ok(Self { spans, _owned: owned, archives })
    }
}

/// Compares all of an archive with what the program was linked with.
fn verify(archive: &Archive, map: &Mmap) -> Result<()> {
    /// Bytes that are read at a time; their pages are returned to the system afterwards.
    const PIECE: usize = 8 << 20;
    let mut hasher = blake3::Hasher::new();
    for (i, piece) in map.chunks(PIECE).enumerate() {
        hasher.update(piece);
        // SAFETY: pages of a file that is mapped to be read only come back when they are read again. Where the system does
        // not take them, nothing is lost.
        let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, i * PIECE, piece.len()) };
    }
    if *hasher.finalize().as_bytes() == archive.content {
        return Ok(());
    }
    Err(Error::input(format!("the weights in `{}` are not those that the program was linked with", archive.name))
        .code("wrong-weights")
        .hint("link the program again, or put the file back"))
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

struct OpenArchive {
    path: String,
    map: Mmap,
    tensors: BTreeMap<String, (String, Vec<u64>, Range<usize>)>,
}

impl OpenArchive {
    fn open(archive: &Archive, folder: &Path, linked: Option<SystemTime>) -> Result<Self> {
        let path = folder.join(&archive.name);
        let shown = path.display().to_string();
        let file = File::open(&path).map_err(|e| {
            Error::io("read the weights", &path, &e)
                .code("missing-weights")
                .hint("keep the archive in the folder of the program")
        })?;
        // SAFETY: the map is read only; a file that others change while it is mapped is beyond what we can check.
        let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io("map the weights", &path, &e))?;
        let other = |why: String| {
            Error::input(format!("`{shown}` is not the weight archive that the program was linked with: {why}"))
                .code("wrong-weights")
                .hint("link the program again, or put its archive back")
        };
        if map.len() as u64 != archive.bytes {
            return Err(other(format!("it has {} bytes instead of {}", map.len(), archive.bytes)));
        }
        if samples(archive.bytes, [&map[..]]) != archive.samples {
            return Err(other("its contents differ".into()));
        }
        // A file that was there before the program is the one that the linker read; one that was written after that is read in full.
        let written = file.metadata().and_then(|m| m.modified()).ok();
        let untouched = written.zip(linked).is_some_and(|(written, linked)| written <= linked);
        let Some(expected) = archive.header else {
            if !untouched {
                verify(archive, &map)?;
            }
            return Ok(Self { path: shown, map, tensors: BTreeMap::new() });
        };
        let header = header_range(&map).ok_or_else(|| other("it has no header".into()))?;
        if *blake3::hash(&map[..header.end]).as_bytes() != expected {
            return Err(other("its header differs".into()));
        }
        if !untouched {
            verify(archive, &map)?;
        }
        let (_, metadata) = safetensors::SafeTensors::read_metadata(&map).map_err(|e| other(e.to_string()))?;
        let tensors = metadata
            .tensors()
            .into_iter()
            .map(|(name, info)| {
                let (start, end) = info.data_offsets;
                let shape = info.shape.iter().map(|&d| d as u64).collect();
                (name, (dtype_name(info.dtype), shape, header.end + start..header.end + end))
            })
            .collect();
        Ok(Self { path: shown, map, tensors })
    }

    fn piece(&self, offset: u64, count: usize) -> Result<&[u8]> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let outside = || {
            Error::input(format!("a weight lies outside of `{}`", self.path))
                .code("wrong-weights")
                .hint("link the program again")
        };
        start.checked_add(count).and_then(|end| self.map.get(start..end)).ok_or_else(outside)
    }

    fn tensor(&self, key: &str, constant: &Constant, count: usize) -> Result<&[u8]> {
        let other = |why: String| {
            Error::input(format!("weight `{key}` in `{}` {why}", self.path))
                .code("wrong-weights")
                .hint("link the program again")
        };
        let (dtype, shape, range) = self.tensors.get(key).ok_or_else(|| other("does not exist".into()))?;
        if *dtype != constant.dtype.signless().name() || *shape != constant.shape || range.len() != count {
            return Err(other(format!(
                "has type `{dtype}` and shape {shape:?}, the program expects `{}` and {:?}",
                constant.dtype, constant.shape
            )));
        }
        self.map.get(range.clone()).ok_or_else(|| other("lies outside the file".into()))
    }
}

/// The bytes of the header of a safetensors file: the length word and the JSON.
pub fn header_range(file: &[u8]) -> Option<Range<usize>> {
    let length = u64::from_le_bytes(file.get(..8)?.try_into().ok()?);
    let end = usize::try_from(length).ok()?.checked_add(8)?;
    (end <= file.len()).then_some(0..end)
}

/// The name of the element type that a safetensors type is loaded as: integers are signless.
pub fn dtype_name(dtype: safetensors::Dtype) -> String {
    use safetensors::Dtype as D;
    match dtype {
        D::BOOL => "i1",
        D::U8 | D::I8 => "i8",
        D::U16 | D::I16 => "i16",
        D::U32 | D::I32 => "i32",
        D::U64 | D::I64 => "i64",
        D::F16 => "f16",
        D::BF16 => "bf16",
        D::F32 => "f32",
        D::F64 => "f64",
        _ => "unsupported",
    }
    .to_owned()
}
