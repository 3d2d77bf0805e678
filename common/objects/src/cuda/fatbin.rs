//! Fatbins: code for several chips in one file, as CUDA's `fatbinary` writes it.
use super::{CudaCode, CudaKind, cubin, ptx};

const HEADER: usize = 16;
const PTX: u16 = 1;
const ELF: u16 = 2;
/// Flags of an entry whose code is compressed, by any method.
const COMPRESSED: u64 = 0xf000;

/// Reads a fatbin. Code that is compressed is not looked into: its chip is known. Errors: what is wrong with it.
pub(super) fn read(bytes: &[u8], owner: &str) -> Result<Vec<CudaCode>, String> {
    let end = || "it ends early".to_owned();
    let header = usize::from(u16_at(bytes, 6).ok_or_else(end)?);
    let size = usize::try_from(u64_at(bytes, 8).ok_or_else(end)?).map_err(|_| end())?;
    let all = header.checked_add(size).filter(|_| header >= HEADER).and_then(|last| bytes.get(header..last));
    let mut rest = all.ok_or_else(end)?;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let kind = u16_at(rest, 0).ok_or_else(end)?;
        let header = u32_at(rest, 4).ok_or_else(end)? as usize;
        let size = usize::try_from(u64_at(rest, 8).ok_or_else(end)?).map_err(|_| end())?;
        let capability = u32_at(rest, 28).ok_or_else(end)?;
        let flags = u64_at(rest, 40).ok_or_else(end)?;
        let last = header.checked_add(size).filter(|_| header >= 48).ok_or_else(end)?;
        let code = rest.get(header..last).ok_or_else(end)?;
        rest = &rest[last..];
        let open = flags & COMPRESSED == 0;
        let kind_of = match kind {
            PTX => CudaKind::Ptx,
            ELF => CudaKind::Cubin,
            // Others are no code: options, intermediate forms.
            _ => continue,
        };
        found.push(match kind_of {
            CudaKind::Ptx if open => {
                let text = String::from_utf8_lossy(code);
                ptx::read(text.trim_end_matches('\0'), owner)?
            }
            CudaKind::Cubin if open => cubin::read(code, owner)?,
            kind => CudaCode {
                owner: owner.to_owned(),
                kind,
                capability,
                letter: None,
                kernels: Vec::new(),
                undefined: Vec::new(),
                dynamic_shared: false,
            },
        });
    }
    if found.is_empty() { Err("it holds no code".into()) } else { Ok(found) }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32_at(bytes, at)?) | u64::from(u32_at(bytes, at + 4)?) << 32)
}
