//! Renames the symbols of an object, so that equal executables are compiled once.
use halyard_diag::{Error, Result};
use halyard_objects::PACKED_WEIGHTS_SECTION;
use object::{
    build::elf::{Builder, SectionData},
    elf::{SHF_EXCLUDE, SHT_PROGBITS, SHT_STRTAB},
};

/// The object with some symbols renamed: each old name, its new one. All objects go through here, renamed or not, so that
/// one does not show whether another executable is the same. `packed` says which weights its kernels take packed, by the new names.
pub(crate) fn rename(bytes: &[u8], names: &[(String, String)], packed: Vec<u8>) -> Result<Vec<u8>> {
    let bug = |e: object::build::Error| Error::input(format!("the object that LLVM made cannot be rewritten: {e}"));
    let mut builder = Builder::read(bytes).map_err(bug)?;
    for symbol in &mut builder.symbols {
        // All at once: an old name of one may be the new one of another.
        if let Some((_, new)) = names.iter().find(|(old, _)| old.as_bytes() == symbol.name.as_slice()) {
            symbol.name = new.clone().into_bytes().into();
        }
    }
    // LLVM keeps the names of sections and of symbols in one table; here they have one each.
    if !builder.sections.iter().any(|s| matches!(s.data, SectionData::SectionString)) {
        let names = builder.sections.add();
        names.name = b".shstrtab"[..].into();
        names.sh_type = SHT_STRTAB;
        names.sh_addralign = 1;
        names.data = SectionData::SectionString;
    }
    // What is said already is said of the old names.
    for section in builder.sections.iter_mut().filter(|s| s.name.as_slice() == PACKED_WEIGHTS_SECTION.as_bytes()) {
        section.delete = true;
    }
    if !packed.is_empty() {
        let section = builder.sections.add();
        section.name = PACKED_WEIGHTS_SECTION.as_bytes().into();
        section.sh_type = SHT_PROGBITS;
        // For tools, not for programs.
        section.sh_flags = SHF_EXCLUDE;
        section.sh_addralign = 1;
        section.data = SectionData::Data(packed.into());
    }
    let mut renamed = Vec::with_capacity(bytes.len() + 256);
    builder.write(&mut renamed).map_err(bug)?;
    Ok(renamed)
}
