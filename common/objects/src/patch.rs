//! Changes of symbols in an object; everything else stays as it is.
use crate::{ObjectFile, inspect};
use halyard_diag::{Error, Result};
use std::{collections::BTreeMap, ops::Range};

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
/// In a symbol: its binding in the upper half of a byte.
const INFO: usize = 4;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;

/// The object with symbols renamed, whether it defines or needs them, so that variants of one kernel can live in one
/// file. The new names go into a copy of the string table at the end.
pub fn rename(object: ObjectFile, names: &BTreeMap<String, String>) -> Result<ObjectFile> {
    if !object.defined.keys().chain(&object.undefined).any(|n| names.contains_key(n)) {
        return Ok(object);
    }
    let bytes = renamed(&object.bytes, names).ok_or_else(|| not_plain(&object))?;
    inspect(bytes, object.file.clone(), object.owner.clone())
}

/// The object with its definitions of some symbols weak: a definition in another object takes precedence.
pub fn weaken(object: ObjectFile, symbols: &[String]) -> Result<ObjectFile> {
    if !symbols.iter().any(|s| object.defined.contains_key(s)) {
        return Ok(object);
    }
    let bytes = weakened(&object.bytes, symbols).ok_or_else(|| not_plain(&object))?;
    inspect(bytes, object.file.clone(), object.owner.clone())
}

fn not_plain(object: &ObjectFile) -> Error {
    let message = "its symbols cannot be changed: it is not a plain 64-bit little-endian ELF object";
    Error::input(format!("{}: {message}", object.owner)).code("bad-object")
}

fn weakened(elf: &[u8], symbols: &[String]) -> Option<Vec<u8>> {
    let mut out = elf.to_vec();
    for (strings, table) in tables(elf)? {
        for symbol in table.step_by(SYMBOL_SIZE) {
            let name =
                elf.get(strings.start + u32_at(elf, symbol)? as usize..strings.end)?.split(|&b| b == 0).next()?;
            let info = *elf.get(symbol + INFO)?;
            if info >> 4 == GLOBAL && symbols.iter().any(|s| s.as_bytes() == name) {
                out[symbol + INFO] = WEAK << 4 | (info & 0xf);
            }
        }
    }
    Some(out)
}

fn renamed(elf: &[u8], names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let mut out = elf.to_vec();
    for (header, table) in headers(elf)? {
        let (start, size) = (word(elf, header + OFFSET)?, word(elf, header + SIZE)?);
        let mut strings = elf.get(start..start.checked_add(size)?)?.to_vec();
        for symbol in table.step_by(SYMBOL_SIZE) {
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
        out[header + OFFSET..][..8].copy_from_slice(&offset.to_le_bytes());
        out[header + SIZE..][..8].copy_from_slice(&size.to_le_bytes());
    }
    Some(out)
}

/// For each symbol table: the header of the section of its names, and the range of its symbols in the file.
fn headers(elf: &[u8]) -> Option<Vec<(usize, Range<usize>)>> {
    if elf.get(4..6)? != [2, 1] {
        return None;
    }
    let first = word(elf, SECTION_HEADERS)?;
    let size = half(elf, SECTION_HEADER_SIZE)?;
    let mut found = Vec::new();
    for i in 0..half(elf, SECTION_COUNT)? {
        let header = first.checked_add(i * size)?;
        if u32_at(elf, header + TYPE)? != SYMBOL_TABLE {
            continue;
        }
        let strings = first.checked_add(u32_at(elf, header + LINK)? as usize * size)?;
        let (symbols, bytes) = (word(elf, header + OFFSET)?, word(elf, header + SIZE)?);
        found.push((strings, symbols..symbols.checked_add(bytes)?));
    }
    Some(found)
}

/// The same with the range of the names.
fn tables(elf: &[u8]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let with_names = |(header, symbols): (usize, Range<usize>)| {
        let (start, size) = (word(elf, header + OFFSET)?, word(elf, header + SIZE)?);
        Some((start..start.checked_add(size)?, symbols))
    };
    headers(elf)?.into_iter().map(with_names).collect()
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
