//! Renames symbols of an object, so that variants of one kernel can live in one file.
use crate::objects::{LinkObject, inspect};
use halyard_diag::{Error, Result};
use std::collections::BTreeMap;

/// ELF-64, little-endian: where fields are (System V ABI, "Object Files").
const SECTION_HEADERS: usize = 0x28;
const SECTION_HEADER_SIZE: usize = 0x3a;
const SECTION_COUNT: usize = 0x3c;
const TYPE: usize = 0x04;
const OFFSET: usize = 0x18;
const SIZE: usize = 0x20;
const LINK: usize = 0x28;
const SYMBOL_SIZE: usize = 24;
const SYMBOL_TABLE: u32 = 2;

/// The object with symbols renamed, whether it defines or needs them. Everything else stays as it is: the new names go
/// into a copy of the string table at the end.
pub(crate) fn rename(object: LinkObject, names: &BTreeMap<String, String>) -> Result<LinkObject> {
    if !object.defined.keys().chain(&object.undefined).any(|n| names.contains_key(n)) {
        return Ok(object);
    }
    let bytes = renamed(&object.bytes, names)
        .ok_or_else(|| Error::input(format!("{}: its symbols cannot be renamed: it is not a plain 64-bit little-endian ELF object", object.owner)).code("bad-object"))?;
    inspect(bytes, object.file.clone(), object.owner.clone())
}

fn renamed(elf: &[u8], names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    if elf.get(4..6)? != [2, 1] {
        return None;
    }
    let mut out = elf.to_vec();
    let headers = word(elf, SECTION_HEADERS)?;
    let header_size = half(elf, SECTION_HEADER_SIZE)?;
    for i in 0..half(elf, SECTION_COUNT)? {
        let header = headers.checked_add(i * header_size)?;
        if u32_at(elf, header + TYPE)? != SYMBOL_TABLE {
            continue;
        }
        let strings_header = headers.checked_add(u32_at(elf, header + LINK)? as usize * header_size)?;
        let (start, size) = (word(elf, strings_header + OFFSET)?, word(elf, strings_header + SIZE)?);
        let mut strings = elf.get(start..start.checked_add(size)?)?.to_vec();
        let (symbols, bytes) = (word(elf, header + OFFSET)?, word(elf, header + SIZE)?);
        for symbol in (symbols..symbols.checked_add(bytes)?).step_by(SYMBOL_SIZE) {
            let at = u32_at(elf, symbol)? as usize;
            let name = strings.get(at..)?.split(|&b| b == 0).next()?;
            if let Some(new) = std::str::from_utf8(name).ok().and_then(|n| names.get(n)) {
                out[symbol..symbol + 4].copy_from_slice(&u32::try_from(strings.len()).ok()?.to_le_bytes());
                strings.extend_from_slice(new.as_bytes());
                strings.push(0);
            }
        }
        let (offset, size) = (out.len() as u64, strings.len() as u64);
        out.extend_from_slice(&strings);
        out[strings_header + OFFSET..][..8].copy_from_slice(&offset.to_le_bytes());
        out[strings_header + SIZE..][..8].copy_from_slice(&size.to_le_bytes());
    }
    Some(out)
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?).into())
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?)).ok()
}
