//! Changes symbols in an object and leaves everything else unchanged.
use crate::{LOAD_CONSTANTS_SECTION, ObjectFile, PACKED_WEIGHTS_SECTION, inspect};
use halyard_diag::{Error, Result};
use object::{Object, ObjectSection};
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
/// The offset of a symbol's info byte, whose upper half is its binding.
const INFO: usize = 4;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;

/// The object with symbols renamed, whether it defines or needs them, so that variants of one kernel can live in one
/// file. What sections say of kernels, they say of the new names. New names and sections go to the end of the file.
pub fn rename(object: ObjectFile, names: &BTreeMap<String, String>) -> Result<ObjectFile> {
    if !object.defined.keys().chain(&object.undefined).any(|n| names.contains_key(n)) {
        return Ok(object);
    }
    let bytes = renamed(&object.bytes, names).and_then(|bytes| with_notes_renamed(bytes, names));
    let bytes = bytes.ok_or_else(|| not_plain(&object))?;
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

/// The object whose sections of strings `kernel=…` ([`LOAD_CONSTANTS_SECTION`], [`PACKED_WEIGHTS_SECTION`]) have the new names.
fn with_notes_renamed(elf: Vec<u8>, names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let mut notes: Vec<(usize, Vec<u8>)> = Vec::new();
    for section in object::File::parse(&*elf).ok()?.sections() {
        if !matches!(section.name(), Ok(LOAD_CONSTANTS_SECTION | PACKED_WEIGHTS_SECTION)) {
            continue;
        }
        let mut text = Vec::new();
        for note in section.data().ok()?.split(|&b| b == 0).filter(|note| !note.is_empty()) {
            let end = note.iter().position(|&b| b == b'=').unwrap_or(note.len());
            let new = std::str::from_utf8(&note[..end]).ok().and_then(|kernel| names.get(kernel));
            text.extend_from_slice(new.map_or(&note[..end], String::as_bytes));
            text.extend_from_slice(&note[end..]);
            text.push(0);
        }
        notes.push((section.index().0, text));
    }
    let (first, size) = (word(&elf, SECTION_HEADERS)?, half(&elf, SECTION_HEADER_SIZE)?);
    let mut out = elf;
    for (index, text) in notes {
        let header = first.checked_add(index.checked_mul(size)?)?;
        let offset = out.len() as u64;
        out.get_mut(header + OFFSET..)?.get_mut(..8)?.copy_from_slice(&offset.to_le_bytes());
        out.get_mut(header + SIZE..)?.get_mut(..8)?.copy_from_slice(&(text.len() as u64).to_le_bytes());
        out.extend_from_slice(&text);
    }
    Some(out)
}

/// Returns for each symbol table the header of its string section, and the range of its symbols in the file.
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

#[cfg(test)]
mod tests {
    use super::*;
    use object::{
        Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
        write::{Object as NewObject, StandardSection, Symbol, SymbolSection},
    };

    #[test]
    fn notes_of_kernels_have_their_new_names() {
        let mut new = NewObject::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let text = new.section_id(StandardSection::Text);
        let value = new.append_section_data(text, &[0xc3], 1);
        for name in ["conv", "other"] {
            new.add_symbol(Symbol {
                name: name.into(),
                value,
                size: 1,
                kind: SymbolKind::Text,
                scope: SymbolScope::Dynamic,
                weak: false,
                section: SymbolSection::Section(text),
                flags: SymbolFlags::None,
            });
        }
        for (section, notes) in [
            (PACKED_WEIGHTS_SECTION, &b"conv=1:winograd2\0other=0:winograd4\0"[..]),
            (LOAD_CONSTANTS_SECTION, b"\0conv=device.threads\0"),
        ] {
            let section = new.add_section(Vec::new(), section.into(), SectionKind::ReadOnlyData);
            new.append_section_data(section, notes, 1);
        }
        let object = inspect(new.write().unwrap(), "o".into(), "`o`".into()).unwrap();
        let names = BTreeMap::from([("conv".to_owned(), "a_longer_name".to_owned())]);
        let renamed = rename(object.clone(), &names).unwrap();
        assert_eq!(renamed.packed_weights["a_longer_name"], object.packed_weights["conv"]);
        assert_eq!(renamed.packed_weights["other"], object.packed_weights["other"]);
        assert_eq!(renamed.packed_weights.len(), 2);
        assert_eq!(renamed.load_constants["a_longer_name"], ["device.threads"]);
        renamed.check_packed_weights().unwrap();
        renamed.check_load_constants().unwrap();
    }
}
