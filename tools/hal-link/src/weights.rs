//! Weights: which archive a linked program refers to, and what goes into a new one.
use crate::{
    lower::{ConstantTable, TableData},
};
use bytes::Bytes;
use halyard_diag::{Error, Result};
use halyard_tensors::{ArchiveTensor, Data, NewArchive, archive_type, content_hash};
use halyard_runtime::{
    DType, dtype_name, header_range,
    schedule::{Archive, Constant, ConstantData},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
};

/// Constants of more bytes than this go to the archive.
const INLINE_LIMIT: usize = 16 << 10;

/// Where archives may be.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightSearch {
    /// In order.
    pub(crate) folders: Vec<PathBuf>,
}

impl WeightSearch {
    /// The file of that name. Errors: there is none.
    pub(crate) fn find(&self, archive: &str) -> Result<PathBuf> {
        let candidates = self.folders.iter().map(|f| f.join(archive));
        candidates.clone().find(|p| p.is_file()).ok_or_else(|| {
            let tried: Vec<_> = candidates.map(|p| format!("`{}`", p.display())).collect();
            Error::environment(format!("the weights `{archive}` cannot be found"))
                .code("missing-weights")
                .note(format!("looked for {}", tried.join(", ")))
                .hint("name their folder with `--weights-path=FOLDER`")
        })
    }
}

/// What constants become in the linked program.
#[derive(Debug, Default)]
pub(crate) struct Placed<'s> {
    pub(crate) constants: Vec<Constant>,
    pub(crate) archives: Vec<Archive>,
    /// The contents of `.hal.constants`.
    pub(crate) inline: Vec<u8>,
    /// The archive to write, if one is needed.
    pub(crate) new_archive: Option<NewArchive<'s>>,
}

struct Source {
    path: PathBuf,
    map: Bytes,
    tensors: BTreeMap<String, (String, Vec<u64>, Range<usize>)>,
}

/// Decides where each constant goes. An archive that lies in the output's folder already is referred to; everything else
/// that is large goes to a new archive beside the output.
pub(crate) fn place<'s>(table: &ConstantTable<'s>, output: &Path) -> Result<Placed<'s>> {
    let mut placed = Placed::default();
    let sources = open_sources(table)?;
    let folder = folder_of(output);
    let stays = |s: &Source| same_folder(&folder_of(&s.path), &folder);
    let kept: BTreeSet<&Path> = sources.values().filter(|s| stays(s)).map(|s| s.path.as_path()).collect();
    let name_of = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    for path in &kept {
        placed.archives.push(describe(name_of(path), &sources[*path].map)?);
    }
    let archive_index: BTreeMap<&Path, u32> = kept.iter().enumerate().map(|(i, p)| (*p, i as u32)).collect();
    let mut moved: Vec<ArchiveTensor<'s>> = Vec::new();
    let mut taken = BTreeSet::new();
    for entry in &table.entries {
        let data = match &entry.data {
            TableData::Splat(element) => ConstantData::Splat(element.clone()),
            TableData::Bytes { bytes, .. } if bytes.len() <= INLINE_LIMIT => {
                placed.inline.resize(placed.inline.len().next_multiple_of(64), 0);
                let offset = placed.inline.len() as u64;
                placed.inline.extend_from_slice(bytes);
                ConstantData::Inline(offset)
            }
            TableData::Bytes { bytes, hash, name } => {
                let key = free_name(if name.is_empty() { "constant" } else { name }, &mut taken);
                let data = Data::Held(bytes.clone());
                moved.push(ArchiveTensor { key: key.clone(), dtype: archive_type(entry.dtype), shape: entry.shape.clone(), data, hash: *hash });
                ConstantData::Archived { archive: kept.len() as u32, key }
            }
            TableData::Archived { path, key } => {
                let source = &sources[path];
                let range = source.tensor(key, entry.dtype, &entry.shape)?;
                match archive_index.get(source.path.as_path()) {
                    Some(&archive) => ConstantData::Archived { archive, key: key.clone() },
                    None => {
                        let key = free_name(key, &mut taken);
                        let hash = content_hash(&source.map[range.clone()]);
                        let data = Data::Shared(source.map.slice(range));
                        moved.push(ArchiveTensor { key: key.clone(), dtype: archive_type(entry.dtype), shape: entry.shape.clone(), data, hash });
                        ConstantData::Archived { archive: kept.len() as u32, key }
                    }
                }
            }
        };
        placed.constants.push(Constant { dtype: entry.dtype, shape: entry.shape.clone(), data });
    }
    if !moved.is_empty() {
        let mut path = output.with_extension("safetensors");
        if kept.iter().any(|k| name_of(k) == name_of(&path)) || path == output {
            // That file belongs to an input.
            path = output.with_file_name(format!("{}.safetensors", name_of(output)));
        }
        let name = name_of(&path);
        let archive = NewArchive::new(path, moved);
        let mut content = blake3::Hasher::new();
        for piece in archive.pieces() {
            halyard_cli::in_pieces(piece, |piece| {
                content.update(piece);
            });
        }
        let header = blake3::hash(archive.header()).into();
        placed.archives.push(Archive { name, bytes: archive.size(), header, content: content.finalize().into() });
        placed.new_archive = Some(archive);
    }
    Ok(placed)
}

fn describe(name: String, bytes: &[u8]) -> Result<Archive> {
    let header = header_range(bytes).ok_or_else(|| Error::input(format!("`{name}` is not a safetensors file")).code("bad-weight"))?;
    Ok(Archive { name, bytes: bytes.len() as u64, header: blake3::hash(&bytes[header]).into(), content: content_hash(bytes) })
}

fn free_name(wish: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = wish.to_owned();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        name = format!("{wish}.{number}");
        number += 1;
    }
    name
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn same_folder(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

fn open_sources(table: &ConstantTable<'_>) -> Result<BTreeMap<PathBuf, Source>> {
    let mut sources = BTreeMap::new();
    for entry in &table.entries {
        if let TableData::Archived { path, .. } = &entry.data
            && !sources.contains_key(path)
        {
            sources.insert(path.clone(), Source::open(path)?);
        }
    }
    Ok(sources)
}

impl Source {
    fn open(path: &Path) -> Result<Self> {
        let shown = path.display();
        let file = File::open(path).map_err(|e| Error::io("read", path, &e))?;
        halyard_cli::depend_on(path);
        let map = halyard_cli::map_file(&file).map_err(|e| Error::io("map", path, &e))?;
        let bad = |why: String| Error::input(format!("`{shown}` is not a valid safetensors file: {why}")).code("bad-weight").hint("import the model again");
        let (_, metadata) = safetensors::SafeTensors::read_metadata(&map).map_err(|e| bad(e.to_string()))?;
        let data = header_range(&map).ok_or_else(|| bad("it has no header".into()))?.end;
        let mut tensors = BTreeMap::new();
        for (name, info) in metadata.tensors() {
            let range = data + info.data_offsets.0..data + info.data_offsets.1;
            if range.end > map.len() {
                return Err(bad(format!("tensor `{name}` lies beyond its end")));
            }
            tensors.insert(name, (dtype_name(info.dtype), info.shape.iter().map(|&d| d as u64).collect(), range));
        }
        Ok(Self { path: path.to_owned(), map, tensors })
    }

    fn tensor(&self, key: &str, dtype: DType, shape: &[u64]) -> Result<Range<usize>> {
        let shown = self.path.display();
        let Some((found, dims, range)) = self.tensors.get(key) else {
            return Err(Error::input(format!("`{shown}` has no tensor `{key}`")).code("bad-weight").hint("was it written by the same `hal-import`?"));
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
