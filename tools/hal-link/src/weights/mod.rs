//! Places weights: which archives a linked program refers to, and the contents of a new one.
mod packed;
mod source;

use crate::lower::{ConstantTable, TableData, TableEntry};
use halyard_cli::folder_of;
use halyard_diag::{Error, Result, may_be_file, says_absent};
use halyard_ir::form::Piece;
use halyard_runtime::{
    ALIGNMENT,
    commands::{Archive, ArchivePlace, Constant, ConstantData},
    samples,
};
use halyard_tensors::{ArchiveTensor, Data, NewArchive, archive_type, content_hash};
use source::Source;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    path::{Path, PathBuf},
};

/// Constants of more bytes than this go to the archive.
const INLINE_LIMIT: usize = 16 << 10;

/// The folders that are searched for archives.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightSearch {
    /// The folders in order.
    pub(crate) folders: Vec<PathBuf>,
}

impl WeightSearch {
    /// The file of that name. Errors: there is none.
    pub(crate) fn find(&self, archive: &str) -> Result<PathBuf> {
        let candidates = self.folders.iter().map(|f| f.join(archive));
        candidates.clone().find(|p| may_be_file(p)).ok_or_else(|| {
            let tried: Vec<_> = candidates.map(|p| format!("`{}`", p.display())).collect();
            Error::environment(format!("the weights `{archive}` cannot be found"))
                .code("missing-weights")
                .note(format!("looked for {}", tried.join(", ")))
                .hint("name their folder with `--weights-path=FOLDER`")
        })
    }
}

/// Where the weights of a linked program lie.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightsHome {
    /// In files beside it: those that lie there already, and a new archive for the others.
    #[default]
    Beside,
    /// In their files, with links beside the program to those that lie elsewhere.
    External,
    /// At the end of its file.
    Embedded,
}

/// The placement of constants in the linked program.
#[derive(Debug, Default)]
pub(crate) struct Placed<'s> {
    pub(crate) constants: Vec<Constant>,
    pub(crate) archives: Vec<Archive>,
    /// The contents of `.hal.constants`.
    pub(crate) inline: Vec<u8>,
    /// The archive to write, if one is needed.
    pub(crate) new_archive: Option<NewArchive<'s>>,
    /// Files that are to be found beside the output, and lie elsewhere: the links, and what they lead to.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
}

/// Decides where each constant goes. Data in a file of the output's folder is referenced, unless kernels could not use
/// it in place or it is to be embedded; other large data goes to a new archive beside the output, or at its end. With
/// [`WeightsHome::External`], data in a file of any folder is referenced.
pub(crate) fn place<'s>(table: &ConstantTable<'s>, output: &Path, home: WeightsHome) -> Result<Placed<'s>> {
    let mut placed = Placed::default();
    let sources = open_sources(table)?;
    let folder = folder_of(output);
    let beside = |s: &Source| same_folder(folder_of(&s.path), folder);
    let stays = |s: &Source, piece: Option<Piece>| match home {
        WeightsHome::External => true,
        WeightsHome::Beside => beside(s) && piece.is_none_or(|p| p.offset.is_multiple_of(ALIGNMENT as u64)),
        WeightsHome::Embedded => false,
    };
    let mut kept = BTreeSet::new();
    for entry in &table.entries {
        if let TableData::Archived { path, piece, .. } = &entry.data {
            kept.extend(stays(&sources[path], *piece).then_some(path.as_path()));
        }
    }
    let name_of = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    for path in &kept {
        let source = &sources[*path];
        if !beside(source) {
            placed
                .links
                .push((folder.join(name_of(path)), path.canonicalize().map_err(|e| Error::io("find", path, &e))?));
        }
        let place = ArchivePlace::Named(name_of(path));
        if placed.archives.iter().any(|a| a.place == place) {
            let name = name_of(path);
            let message = format!("two files with weights are named `{name}`, and both are to lie beside the program");
            return Err(Error::input(message)
                .code("bad-weight")
                .hint("rename one of them, or leave out `--external-weights`"));
        }
        placed.archives.push(source.describe(place)?);
    }
    let archive_index: BTreeMap<&Path, u32> = kept.iter().enumerate().map(|(i, p)| (*p, i as u32)).collect();
    let mut packed = packed::pack(table, &sources)?;
    let mut moved: Vec<ArchiveTensor<'s>> = Vec::new();
    let mut taken = BTreeSet::new();
    for entry in &table.entries {
        let packed = packed.next().flatten();
        let mut hold = |data: Data<'s>, hash: [u8; 32], name: &str| {
            let bytes = data.bytes();
            if bytes.len() <= INLINE_LIMIT {
                placed.inline.resize(placed.inline.len().next_multiple_of(64), 0);
                let offset = placed.inline.len() as u64;
                placed.inline.extend_from_slice(bytes);
                return ConstantData::Inline(offset);
            }
            let key = free_name(name, &mut taken);
            let (dtype, shape) = (archive_type(entry.dtype), entry.shape.clone());
            moved.push(ArchiveTensor { key: key.clone(), dtype, shape, data, hash });
            ConstantData::Archived { archive: kept.len() as u32, key }
        };
        let data = match &entry.data {
            TableData::Splat(element) => ConstantData::Splat(element.clone()),
            TableData::Bytes { bytes, hash, name } => hold(Data::Held(bytes.clone()), *hash, or_constant(name)),
            TableData::Packed { model, layout, .. } => {
                let (bytes, hash) = packed.expect("it was packed");
                let name = format!("{}.{}", or_constant(name_of_data(&model.data)), layout.name());
                hold(Data::Shared(bytes), hash, &name)
            }
            TableData::Archived { path, key, piece } => {
                let source = &sources[path];
                let range = source.range(key, *piece, entry)?;
                match archive_index.get(source.path.as_path()).filter(|_| stays(source, *piece)) {
                    Some(&archive) => match piece {
                        None => ConstantData::Archived { archive, key: key.clone() },
                        Some(piece) => ConstantData::Piece { archive, offset: piece.offset },
                    },
                    None => {
                        let key = free_name(key, &mut taken);
                        let hash = content_hash(&source.map[range.clone()]);
                        let data = Data::Shared(source.map.slice(range));
                        moved.push(ArchiveTensor {
                            key: key.clone(),
                            dtype: archive_type(entry.dtype),
                            shape: entry.shape.clone(),
                            data,
                            hash,
                        });
                        ConstantData::Archived { archive: kept.len() as u32, key }
                    }
                }
            }
        };
        placed.constants.push(Constant { dtype: entry.dtype, shape: entry.shape.clone(), data });
    }
    if !moved.is_empty() {
        let mut path = output.with_extension("safetensors");
        let mut numbers = 0;
        while kept.iter().any(|k| name_of(k) == name_of(&path)) || path == output || NewArchive::would_destroy(&path)? {
            // That file belongs to an input, or was not written by Halyard.
            numbers += 1;
            let more = if numbers > 1 { format!(".{numbers}") } else { String::new() };
            path = output.with_file_name(format!("{}{more}.safetensors", name_of(output)));
        }
        let place = if home == WeightsHome::Embedded { ArchivePlace::Embedded } else { ArchivePlace::Own };
        let archive = NewArchive::new(path, moved);
        let mut content = blake3::Hasher::new();
        for piece in archive.pieces() {
            halyard_cli::in_pieces(piece, |piece| {
                content.update(piece);
            });
        }
        let header = Some(blake3::hash(archive.header()).into());
        let samples = samples(archive.size(), archive.pieces());
        placed.archives.push(Archive {
            place,
            bytes: archive.size(),
            header,
            samples,
            content: content.finalize().into(),
        });
        placed.new_archive = Some(archive);
    }
    Ok(placed)
}

/// The elements of a constant before linking.
fn elements<'t>(entry: &'t TableEntry<'_>, sources: &'t BTreeMap<PathBuf, Source>) -> Result<Cow<'t, [u8]>> {
    Ok(match &entry.data {
        TableData::Splat(element) => Cow::Owned(element.repeat(entry.shape.iter().product::<u64>() as usize)),
        TableData::Bytes { bytes, .. } => Cow::Borrowed(bytes),
        TableData::Archived { path, key, piece } => {
            let source = &sources[path];
            Cow::Borrowed(&source.map[source.range(key, *piece, entry)?])
        }
        TableData::Packed { .. } => unreachable!("weights of the model are packed"),
    })
}

/// Returns the name of a constant in an archive; empty if it has none.
fn name_of_data<'t>(data: &'t TableData<'_>) -> &'t str {
    match data {
        TableData::Bytes { name, .. } => name,
        TableData::Archived { key, .. } => key,
        TableData::Splat(_) | TableData::Packed { .. } => "",
    }
}

fn or_constant(name: &str) -> &str {
    if name.is_empty() { "constant" } else { name }
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

fn same_folder(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

fn open_sources(table: &ConstantTable<'_>) -> Result<BTreeMap<PathBuf, Source>> {
    let mut sources = BTreeMap::new();
    for entry in &table.entries {
        let data = if let TableData::Packed { model, .. } = &entry.data { &model.data } else { &entry.data };
        if let TableData::Archived { path, piece, .. } = data {
            let source = match sources.entry(path.clone()) {
                Entry::Occupied(source) => source.into_mut(),
                Entry::Vacant(place) => place.insert(Source::open(path)?),
            };
            if piece.is_none() {
                source.read_header()?;
            }
        }
    }
    Ok(sources)
}

/// Makes symbolic links to files with weights, and replaces existing links. Fails if another file has the name of one.
pub(crate) fn link_files(links: &[(PathBuf, PathBuf)]) -> Result<()> {
    for (link, target) in links {
        let fail = |e: std::io::Error| Error::io("link", link, &e);
        match std::fs::symlink_metadata(link) {
            Ok(there) if there.file_type().is_symlink() => std::fs::remove_file(link).map_err(fail)?,
            Ok(_) => {
                let message = format!("`{}` is in the way of a link to `{}`", link.display(), target.display());
                return Err(Error::environment(message)
                    .code("file-in-the-way")
                    .hint("move it away, or link the program in another folder"));
            }
            Err(e) if says_absent(&e) => {}
            Err(e) => return Err(fail(e)),
        }
        std::os::unix::fs::symlink(target, link).map_err(fail)?;
    }
    Ok(())
}
