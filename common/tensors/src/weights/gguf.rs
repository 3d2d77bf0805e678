//! Reads GGUF, the format of llama.cpp: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.
use super::{Entry, Stored, blocks::Block};
use halyard_diag::{Error, Result};
use safetensors::Dtype;

const MAGIC: &[u8; 4] = b"GGUF";
/// The metadata key for the alignment of the data, and its default.
const ALIGNMENT: (&str, u64) = ("general.alignment", 32);
/// The most dimensions of a ggml tensor.
const MAX_DIMS: u32 = 4;

/// Whether bytes are in this format, possibly damaged.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The tensors of a file: their names, and where they are. Errors: a damaged file, with the byte where it is; another
/// version.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Vec<(String, Entry)>> {
    let mut r = Reader { bytes, at: MAGIC.len() };
    let mut tensors = Vec::new();
    r.file(&mut tensors).map_err(|what| {
        let d = Error::input(format!("the GGUF file is damaged at byte {}: {what}", r.at))
            .in_file(name)
            .code("bad-weights");
        d.hint("is it complete? compare its size with that of its source")
    })?;
    Ok(tensors)
}

type Read<T> = Result<T, String>;

/// The header's entry for a tensor.
struct Info {
    name: String,
    /// The position of the entry, for messages.
    at: usize,
    shape: Vec<u64>,
    kind: u32,
    offset: u64,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn file(&mut self, tensors: &mut Vec<(String, Entry)>) -> Read<()> {
        let version = self.u32()?;
        match version {
            2 | 3 => {}
            1 => return Err("version 1 is no longer read; convert it by llama.cpp".into()),
            _ if matches!(version.swap_bytes(), 1..=3) => {
                return Err("it is for machines of the other byte order".into());
            }
            _ => return Err(format!("it has version {version}, 2 and 3 are known")),
        }
        let (count, pairs) = (self.u64()?, self.u64()?);
        let mut alignment = ALIGNMENT.1;
        for _ in 0..pairs {
            let key = self.string()?;
            let kind = self.u32()?;
            if key == ALIGNMENT.0 && kind == 4 {
                alignment = self.u32()?.into();
                if !alignment.is_power_of_two() {
                    return Err(format!("the data are aligned to {alignment}, which is no power of two"));
                }
                continue;
            }
            self.skip(kind, 0)?;
        }
        let mut infos = Vec::new();
        for _ in 0..count {
            infos.push(self.info()?);
        }
        let data = (self.at as u64).next_multiple_of(alignment);
        for info in infos {
            self.at = info.at;
            let entry = self.place(&info, data)?;
            tensors.push((info.name, entry));
        }
        Ok(())
    }

    fn info(&mut self) -> Read<Info> {
        let (at, name) = (self.at, self.string()?);
        let rank = self.u32()?;
        if rank > MAX_DIMS {
            return Err(format!("tensor `{name}` has {rank} dimensions, {MAX_DIMS} are the most"));
        }
        let mut shape = (0..rank).map(|_| self.u64()).collect::<Read<Vec<u64>>>()?;
        // The dimension that lies side by side comes first in the file.
        shape.reverse();
        Ok(Info { name, at, shape, kind: self.u32()?, offset: self.u64()? })
    }

    fn place(&self, info: &Info, data: u64) -> Read<Entry> {
        let Info { name, kind, offset, .. } = info;
        let stored = stored(*kind);
        let too_large = || format!("tensor `{name}` is larger than any file");
        let count = info.shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d)).ok_or_else(too_large)?;
        let row = info.shape.last().copied().unwrap_or(1);
        let size = match &stored {
            Stored::Plain(dtype) => count.checked_mul(dtype.bitsize() as u64 / 8).ok_or_else(too_large)?,
            Stored::Blocks(block) if row % block.elements() as u64 != 0 => {
                return Err(format!(
                    "tensor `{name}` has rows of {row} elements, its blocks have {}",
                    block.elements()
                ));
            }
            Stored::Blocks(block) => {
                (count / block.elements() as u64).checked_mul(block.bytes() as u64).ok_or_else(too_large)?
            }
            // Nobody knows how long it is.
            Stored::Unknown(_) => 0,
        };
        let start = data.checked_add(*offset).ok_or_else(too_large)?;
        let end = start.checked_add(size).filter(|end| *end <= self.bytes.len() as u64).ok_or_else(|| {
            format!("tensor `{name}` has its data at {start}+{size}, the file has {} bytes", self.bytes.len())
        })?;
        let shape = info.shape.iter().map(|d| *d as usize).collect();
        Ok(Entry { stored, shape, range: start as usize..end as usize })
    }

    fn take(&mut self, count: u64) -> Read<&[u8]> {
        let rest = self.bytes.len() - self.at;
        let count = usize::try_from(count)
            .ok()
            .filter(|n| *n <= rest)
            .ok_or_else(|| format!("{count} bytes should follow, there are {rest}"))?;
        self.at += count;
        Ok(&self.bytes[self.at - count..self.at])
    }

    fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    fn string(&mut self) -> Read<String> {
        let length = self.u64()?;
        let text = self.take(length)?.to_vec();
        String::from_utf8(text).map_err(|_| "a name is not UTF-8".into())
    }

    /// Skips a value of the metadata.
    fn skip(&mut self, kind: u32, depth: usize) -> Read<()> {
        match kind {
            // Strings.
            8 => _ = self.string()?,
            // Arrays: the type of the elements, their number.
            9 => {
                let (of, count) = (self.u32()?, self.u64()?);
                if let Some(size) = size_of(of) {
                    self.take(count.checked_mul(size).ok_or("an array is larger than any file")?)?;
                    return Ok(());
                }
                if depth > 8 {
                    return Err("arrays are nested too deeply".into());
                }
                for _ in 0..count {
                    self.skip(of, depth + 1)?;
                }
            }
            _ => match size_of(kind) {
                Some(size) => _ = self.take(size)?,
                None => return Err(format!("a value of the unknown type {kind}")),
            },
        }
        Ok(())
    }
}

/// The size of a value of the metadata, unless it is a string or an array: unsigned and signed integers of 8, 16 and 32 bits,
/// a float, a bool, integers of 64 bits, a double.
fn size_of(kind: u32) -> Option<u64> {
    Some(match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => return None,
    })
}

/// Converts a `ggml_type`.
fn stored(kind: u32) -> Stored {
    match kind {
        0 => Stored::Plain(Dtype::F32),
        1 => Stored::Plain(Dtype::F16),
        24 => Stored::Plain(Dtype::I8),
        25 => Stored::Plain(Dtype::I16),
        26 => Stored::Plain(Dtype::I32),
        27 => Stored::Plain(Dtype::I64),
        28 => Stored::Plain(Dtype::F64),
        30 => Stored::Plain(Dtype::BF16),
        kind => Block::of_ggml(kind).map_or(Stored::Unknown(kind), Stored::Blocks),
    }
}
