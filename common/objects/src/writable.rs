//! Finds static memory that code may write: kernels could keep state there, which they must not.
use object::{Object, ObjectSection, SectionFlags, elf, read::archive::ArchiveFile};

/// The sections of an object, or of the members of a static archive, that are writable while the program runs, with their sizes in
/// bytes; those that only the loader writes are not among them. Errors: neither can be read.
pub fn writable_sections(bytes: &[u8]) -> Result<Vec<(String, u64)>, String> {
    if crate::is_archive(bytes) {
        let archive = ArchiveFile::parse(bytes).map_err(|e| e.to_string())?;
        let mut found = Vec::new();
        for member in archive.members() {
            let data = member.and_then(|m| m.data(bytes)).map_err(|e| e.to_string())?;
            found.extend(of_object(data)?);
        }
        return Ok(found);
    }
    of_object(bytes)
}

fn of_object(bytes: &[u8]) -> Result<Vec<(String, u64)>, String> {
    let file = object::File::parse(bytes).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    for section in file.sections().filter(|s| s.size() > 0) {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        let name = section.name().unwrap_or_default();
        let writable = elf::SHF_ALLOC | elf::SHF_WRITE;
        if sh_flags & writable == writable && !name.starts_with(".data.rel.ro") {
            found.push((name.to_owned(), section.size()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{
        Architecture, BinaryFormat, Endianness,
        write::{Object as Writer, StandardSection},
    };

    #[test]
    fn constants_are_not_writable() {
        let mut writer = Writer::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        for kind in [StandardSection::ReadOnlyData, StandardSection::Text, StandardSection::ReadOnlyDataWithRel] {
            let section = writer.section_id(kind);
            writer.append_section_data(section, &[1; 24], 8);
        }
        assert_eq!(writable_sections(&writer.write().unwrap()), Ok(Vec::new()));
        let section = writer.section_id(StandardSection::Data);
        writer.append_section_data(section, &[1; 24], 8);
        let section = writer.section_id(StandardSection::UninitializedData);
        writer.append_section_bss(section, 100, 8);
        let found = writable_sections(&writer.write().unwrap()).unwrap();
        assert_eq!(found, [(".data".to_owned(), 24), (".bss".to_owned(), 100)]);
        assert!(writable_sections(b"nonsense").is_err());
    }
}
