//! Opens weights files: safetensors, GGUF, and indices of safetensors in parts.
use super::{Entry, Stored, gguf};
use bytes::Bytes;
use halyard_diag::{Error, Result, looks_like, what_to_do};
use halyard_runtime::header_range;
use safetensors::SafeTensors;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

/// An open file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) bytes: Bytes,
    pub(super) tensors: Vec<(String, Entry)>,
}

/// Opens a file, and all those that it names if it is an index. Errors: one that cannot be read, is of another kind, or
/// damaged.
pub(super) fn open(path: &Path) -> Result<Vec<File>> {
    let bytes =
        halyard_cli::map_weights(path).map_err(|e| Error::io("read the weights", path, &e).code("missing-weights"))?;
    let name = path.display().to_string();
    if bytes.is_empty() {
        return Err(Error::input("the weights file is empty").in_file(name).code("bad-weights"));
    }
    if let Some(parts) = parts(&bytes, &name)? {
        let folder = path.parent().unwrap_or("".as_ref());
        let mut files = Vec::new();
        for part in parts {
            let path = folder.join(part);
            let file = open(&path)?;
            // An index that names an index could name itself.
            let [file] = <[File; 1]>::try_from(file)
                .map_err(|_| bad(&name, format!("it names `{}`, which is an index itself", path.display())))?;
            files.push(file);
        }
        return Ok(files);
    }
    let tensors = read(&bytes, &name)?;
    Ok(vec![File { path: path.to_owned(), bytes, tensors }])
}

fn bad(name: &str, what: String) -> Error {
    Error::input(what).in_file(name).code("bad-weights")
}

/// The tensors of a file. Errors: another kind of file, a damaged one.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Vec<(String, Entry)>> {
    if gguf::looks_like(bytes) {
        return gguf::read(bytes, name);
    }
    if bytes.get(8) == Some(&b'{') {
        return read_archive(bytes, name);
    }
    let kind = looks_like(bytes).map_or_else(String::new, |kind| format!("; it looks like {kind}"));
    // Hints on binary files say how to make a program of them, not weights.
    let is_text = bytes.iter().take(64).all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
    let hint = what_to_do(bytes).filter(|_| is_text);
    Err(bad(name, format!("this is neither a safetensors nor a GGUF file{kind}")).hint(
        hint.unwrap_or("from PyTorch: `safetensors.torch.save_file(model.state_dict(), \"weights.safetensors\")`"),
    ))
}

fn read_archive(bytes: &[u8], name: &str) -> Result<Vec<(String, Entry)>> {
    let damaged = |at: usize, what: String| {
        bad(name, format!("the safetensors file is damaged at byte {at}: {what}"))
            .hint("is it complete? compare its size with that of its source")
    };
    let header = header_range(bytes).ok_or_else(|| {
        let length = bytes.first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        damaged(0, format!("a header of {length} bytes should follow, there are {}", bytes.len() - 8))
    })?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| damaged(8, e.to_string()))?;
    let mut tensors = Vec::new();
    for (key, info) in metadata.tensors() {
        let range = header.end + info.data_offsets.0..header.end + info.data_offsets.1;
        if range.end > bytes.len() {
            return Err(damaged(
                bytes.len(),
                format!("tensor `{key}` has its data at {}+{}", range.start, range.len()),
            ));
        }
        tensors.push((key, Entry { stored: Stored::Plain(info.dtype), shape: info.shape.clone(), range }));
    }
    tensors.sort_by_key(|(_, e)| e.range.start);
    Ok(tensors)
}

/// The files that an index names (`model.safetensors.index.json`); `None` if it is no index.
pub(super) fn parts(bytes: &[u8], name: &str) -> Result<Option<BTreeSet<String>>> {
    // A safetensors file of 123 bytes of header would start with a brace, too, and have zeros behind it.
    if bytes[0] != b'{' || bytes.get(1..8).is_some_and(|b| b.contains(&0)) {
        return Ok(None);
    }
    let json: Value =
        serde_json::from_slice(bytes).map_err(|e| bad(name, format!("the index is not valid JSON: {e}")))?;
    let Some(map) = json.get("weight_map").and_then(Value::as_object) else {
        return Err(bad(name, "this JSON file is no index of weights: it has no `weight_map`".into()));
    };
    let mut parts = BTreeSet::new();
    for (tensor, part) in map {
        let part = part.as_str().unwrap_or_default();
        if !matches!(Path::new(part).components().collect::<Vec<_>>()[..], [Component::Normal(_)]) {
            return Err(bad(name, format!("tensor `{tensor}` lies in `{part}`, which is no file beside the index")));
        }
        parts.insert(part.to_owned());
    }
    Ok(Some(parts))
}
