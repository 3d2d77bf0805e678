//! Weights by name, from safetensors and GGUF files.
mod blocks;
mod convert;
mod gguf;
mod map;
mod open;
#[cfg(test)]
mod tests;

pub use map::NameMap;

use blocks::Block;
use bytes::Bytes;
use halyard_diag::{Error, Result, nearest};
use open::File;
use safetensors::Dtype;
use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The encoding of a tensor's elements in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    /// Consecutive elements.
    Plain(Dtype),
    /// In blocks with scales.
    Blocks(Block),
    /// An unknown format of ggml.
    Unknown(u32),
}

impl std::fmt::Display for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain(dtype) => f.write_str(&dtype.to_string().to_lowercase()),
            Self::Blocks(block) => f.write_str(block.name()),
            Self::Unknown(kind) => write!(f, "ggml{kind}"),
        }
    }
}

/// A tensor of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    stored: Stored,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// A weight that a model expects: its name, type and shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedWeight {
    /// The element type; integers and bits of small floats may be of either sign.
    pub dtype: Dtype,
    /// The sizes of its dimensions; `None` for unknown ones.
    pub shape: Vec<Option<usize>>,
}

/// A weight that the model uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The shape.
    pub shape: Vec<usize>,
    /// The elements, of the type that was wanted. Those that are used as they are lie in their file, see
    /// [`halyard_cli::origin`].
    pub bytes: Bytes,
}

/// Open files, and which of their tensors were taken.
#[derive(Debug)]
pub struct WeightFiles {
    files: Vec<File>,
    /// The file and the place in it, by name.
    by_name: HashMap<String, (usize, usize)>,
    maps: Vec<NameMap>,
    taken: Mutex<BTreeSet<String>>,
}

impl WeightFiles {
    /// Opens files. Errors: one that is missing, damaged or of another kind; two tensors of one name.
    pub fn open(paths: &[PathBuf], maps: &[NameMap]) -> Result<Self> {
        let mut files = Vec::new();
        for path in paths {
            files.extend(open::open(path)?);
        }
        let mut by_name = HashMap::new();
        for (f, file) in files.iter().enumerate() {
            for (t, (name, _)) in file.tensors.iter().enumerate() {
                if let Some((other, _)) = by_name.insert(name.clone(), (f, t)) {
                    let (a, b) = (files[other].path.display(), file.path.display());
                    return Err(Error::input(format!("two weights are named `{name}`: one in `{a}`, one in `{b}`"))
                        .code("bad-weights"));
                }
            }
        }
        Ok(Self { files, by_name, maps: maps.to_vec(), taken: Mutex::default() })
    }

    /// The files that have weights, with their contents.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &Bytes)> {
        self.files.iter().map(|file| (&*file.path, &file.bytes))
    }

    /// What the model's names are mapped by.
    pub fn maps(&self) -> &[NameMap] {
        &self.maps
    }

    /// Returns the name in the files of a weight of the model.
    fn name_in_files(&self, name: &str) -> String {
        self.maps.iter().find_map(|m| m.apply(name)).unwrap_or_else(|| name.to_owned())
    }

    /// Whether the files have a weight of the model.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(&self.name_in_files(name))
    }

    /// A weight of the model. Errors: there is none of that name (with the nearest names), or it does not fit.
    pub fn take(&self, name: &str, wanted: &WantedWeight) -> Result<Taken> {
        let named = self.name_in_files(name);
        let Some(&(f, t)) = self.by_name.get(&named) else { return Err(self.missing(name, &named)) };
        let file = &self.files[f];
        let (_, entry) = &file.tensors[t];
        let data = file.bytes.slice(entry.range.clone());
        let taken = convert::convert(entry, data, wanted).map_err(|why| {
            let text = |shape: &mut dyn Iterator<Item = String>| shape.map(|s| s + "x").collect::<String>();
            let has = text(&mut entry.shape.iter().map(usize::to_string));
            let expected = text(&mut wanted.shape.iter().map(|s| s.map_or_else(|| "?".into(), |s| s.to_string())));
            let dtype = wanted.dtype.to_string().to_lowercase();
            let message = format!(
                "weight `{named}` is `{has}{}`, the model expects `{expected}{dtype}` for `{name}`",
                entry.stored
            );
            let error = Error::input(message).in_file(file.path.display().to_string()).code("wrong-weight");
            if why.is_empty() { error } else { error.note(why) }
        })?;
        self.taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(named);
        Ok(taken)
    }

    fn missing(&self, name: &str, named: &str) -> Error {
        let mut message = format!("no weights file has `{named}`");
        if named != name {
            message += &format!(", which is what `--weights-map` makes of `{name}`");
        }
        let near = nearest(named, self.by_name.keys().map(String::as_str));
        let error = Error::input(message).code("missing-weight");
        let error = match &near[..] {
            [] => error,
            near => error.note(format!("the nearest names are {}", list(near.iter().copied()))),
        };
        error.hint("`--weights-map=PATTERN=REPLACEMENT` maps the model's names to those in the files")
    }

    /// Returns the number of unused tensors, some of their names, and the number of all tensors.
    pub fn unused(&self) -> (usize, String, usize) {
        let taken = self.taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let unused: Vec<&str> = self
            .files
            .iter()
            .flat_map(|f| &f.tensors)
            .map(|(name, _)| name.as_str())
            .filter(|n| !taken.contains(*n))
            .collect();
        (unused.len(), list(unused.iter().take(4).copied()), self.by_name.len())
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// Reads a weights file; for tests of the reader. Gives the number of its tensors, each of which was decoded.
#[doc(hidden)]
pub fn read_weights(bytes: &[u8]) -> Result<usize> {
    if bytes.is_empty() || open::parts(bytes, "weights")?.is_some() {
        return Ok(0);
    }
    let tensors = open::read(bytes, "weights")?;
    let bytes = Bytes::copy_from_slice(bytes);
    for (_, entry) in &tensors {
        let wanted = WantedWeight { dtype: Dtype::F32, shape: entry.shape.iter().map(|s| Some(*s)).collect() };
        // A damaged file must be refused, and nothing else may happen.
        let _ = convert::convert(entry, bytes.slice(entry.range.clone()), &wanted);
    }
    Ok(tensors.len())
}
