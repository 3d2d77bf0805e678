//! Finds the archives of a program and reads their headers.
use super::mapped::Mapped;
use crate::{
    commands::{Archive, ArchivePlace, Constant},
    samples,
};
use halyard_diag::{Error, Result, may_exist};
use memmap2::Mmap;
use std::{
    collections::BTreeMap,
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

/// The program that archives belong to.
pub(crate) struct ArchiveSource<'a> {
    /// The path that it was loaded from.
    pub(crate) path: &'a Path,
    /// Its file, and where the archive at its end starts.
    pub(crate) file: &'a Arc<Mmap>,
    pub(crate) embedded: usize,
    /// When it was written, if the system knows.
    pub(crate) linked: Option<SystemTime>,
}

/// An archive that is the one that the program was linked with.
pub(super) struct OpenArchive {
    path: String,
    pub(super) mapped: Mapped,
    tensors: BTreeMap<String, (String, Vec<u64>, Range<usize>)>,
}

impl OpenArchive {
    /// Maps an archive and compares it with what the program was linked with: in full if it was written later than the
    /// program, or is a part of its file. Errors: it is missing, or another one.
    pub(super) fn open(archive: &Archive, of: &ArchiveSource<'_>) -> Result<Self> {
        match &archive.place {
            ArchivePlace::Embedded => {
                let mapped = Mapped::new(of.file.clone(), of.embedded);
                Self::check(archive, mapped, of.path, false)
            }
            ArchivePlace::Named(name) => {
                let paths: Vec<PathBuf> = folders(of.path).iter().map(|folder| folder.join(name)).collect();
                Self::open_file(archive, paths.iter().find(|p| may_exist(p)).unwrap_or(&paths[0]), of)
            }
            ArchivePlace::Own => {
                let usual = of.path.with_extension("safetensors");
                let missing = match Self::open_file(archive, &usual, of) {
                    Ok(found) => return Ok(found),
                    Err(missing) => missing,
                };
                let others = folders(of.path).into_iter().flat_map(|folder| alike(archive, &folder));
                let found =
                    others.filter(|path| *path != usual).find_map(|path| Self::open_file(archive, &path, of).ok());
                found.ok_or(missing)
            }
        }
    }

    fn open_file(archive: &Archive, path: &Path, of: &ArchiveSource<'_>) -> Result<Self> {
        let file = File::open(path).map_err(|e| {
            Error::io("read the weights", path, &e)
                .code("missing-weights")
                .hint("keep the archive in the folder of the program")
        })?;
        // SAFETY: the map is read only; a file that others change while it is mapped is beyond what we can check.
        let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io("map the weights", path, &e))?;
        // A file that was there before the program is the one that the linker read.
        let written = file.metadata().and_then(|m| m.modified()).ok();
        let untouched = written.zip(of.linked).is_some_and(|(written, linked)| written <= linked);
        Self::check(archive, Mapped::new(Arc::new(map), 0), path, untouched)
    }

    fn check(archive: &Archive, mapped: Mapped, path: &Path, untouched: bool) -> Result<Self> {
        let shown = path.display().to_string();
        let other = |why: String| {
            let message = match archive.place {
                ArchivePlace::Embedded => {
                    format!("the weights in `{shown}` are not those that the program was linked with: {why}")
                }
                _ => format!("`{shown}` is not the weight archive that the program was linked with: {why}"),
            };
            Error::input(message).code("wrong-weights").hint("link the program again, or put its archive back")
        };
        if mapped.len() as u64 != archive.bytes {
            return Err(other(format!("it has {} bytes instead of {}", mapped.len(), archive.bytes)));
        }
        if samples(archive.bytes, [&mapped[..]]) != archive.samples {
            return Err(other("its contents differ".into()));
        }
        let mut open = Self { path: shown.clone(), mapped, tensors: BTreeMap::new() };
        let header = match archive.header {
            None => None,
            Some(expected) => {
                let header = header_range(&open.mapped).ok_or_else(|| other("it has no header".into()))?;
                if *blake3::hash(&open.mapped[..header.end]).as_bytes() != expected {
                    return Err(other("its header differs".into()));
                }
                Some(header)
            }
        };
        if !untouched {
            open.verify(archive)?;
        }
        if let Some(header) = header {
            let (_, metadata) =
                safetensors::SafeTensors::read_metadata(&open.mapped).map_err(|e| other(e.to_string()))?;
            let tensor = |(name, info): (String, &safetensors::tensor::TensorInfo)| {
                let (start, end) = info.data_offsets;
                let shape = info.shape.iter().map(|&d| d as u64).collect();
                (name, (dtype_name(info.dtype), shape, header.end + start..header.end + end))
            };
            open.tensors = metadata.tensors().into_iter().map(tensor).collect();
        }
        Ok(open)
    }

    /// Compares all of an archive with what the program was linked with. Errors: it is another one.
    fn verify(&self, archive: &Archive) -> Result<()> {
        verify(archive, &self.mapped, &self.path)
    }

    pub(super) fn piece(&self, offset: u64, count: usize) -> Result<&[u8]> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let outside = || {
            Error::input(format!("a weight lies outside of `{}`", self.path))
                .code("wrong-weights")
                .hint("link the program again")
        };
        start.checked_add(count).and_then(|end| self.mapped.get(start..end)).ok_or_else(outside)
    }

    pub(super) fn tensor(&self, key: &str, constant: &Constant, count: usize) -> Result<&[u8]> {
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
        self.mapped.get(range.clone()).ok_or_else(|| other("lies outside the file".into()))
    }

    /// What is needed to compare it once more.
    pub(super) fn close(self) -> (String, Mapped) {
        (self.path, self.mapped)
    }
}

/// Compares all bytes of an archive with what the program was linked with. Errors: they differ.
pub(super) fn verify(archive: &Archive, mapped: &Mapped, path: &str) -> Result<()> {
    /// Bytes that are read at a time; their pages are returned to the system afterwards.
    const PIECE: usize = 8 << 20;
    let mut hasher = blake3::Hasher::new();
    for piece in mapped.chunks(PIECE) {
        hasher.update(piece);
        mapped.release(piece);
    }
    if *hasher.finalize().as_bytes() == archive.content {
        return Ok(());
    }
    Err(Error::input(format!("the weights in `{path}` are not those that the program was linked with"))
        .code("wrong-weights")
        .hint("link the program again, or put the file back"))
}

/// The folder of a program, and where that is a symbolic link, the folder of the file.
fn folders(program: &Path) -> Vec<PathBuf> {
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
    let mut folders = vec![folder(program)];
    if let Ok(real) = program.canonicalize().map(|real| folder(&real))
        && !folders[0].canonicalize().is_ok_and(|given| given == real)
    {
        folders.push(real);
    }
    folders
}

/// The safetensors files of a folder with the size and the header of an archive, in order of their names.
fn alike(archive: &Archive, folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let fits = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "safetensors")
            && std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == archive.bytes)
    };
    let mut paths: Vec<PathBuf> = entries.filter(fits).collect();
    paths.sort();
    paths
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
