//! The object that contains the host commands of a linked program, see `halyard_runtime::container`.
use halyard_runtime::container::{
    CHECKSUM_SECTION, CHECKSUM_SYMBOL, CONSTANTS_SECTION, MODULES_SECTION, PROGRAM_SECTION,
};
use object::{
    Architecture, BinaryFormat, Endianness, SectionFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope, elf,
    write::{Object, Symbol, SymbolSection},
};

/// The object, with the header's flags of another one (some architectures tell the float ABI there): host commands, constants and modules in sections that are read from the file, the checksum in one that is loaded.
pub(crate) fn image(
    architecture: Architecture,
    flags_of: Option<&[u8]>,
    host_program: &[u8],
    constants: &[u8],
    modules: &[u8],
) -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    if let Some(other) = flags_of.and_then(|bytes| object::File::parse(bytes).ok()) {
        object.flags = object::Object::flags(&other);
    }
    for (name, data) in [(PROGRAM_SECTION, host_program), (CONSTANTS_SECTION, constants), (MODULES_SECTION, modules)] {
        if !data.is_empty() {
            let section = object.add_section(Vec::new(), name.into(), SectionKind::Other);
            object.section_mut(section).flags = flags(0);
            object.append_section_data(section, data, 64);
        }
    }
    let section = object.add_section(Vec::new(), CHECKSUM_SECTION.into(), SectionKind::ReadOnlyData);
    object.section_mut(section).flags = flags(elf::SHF_ALLOC.0);
    // Must not be zeros: the linker may omit zeros from the file.
    let value = object.append_section_data(section, &[0xff; 32], 32);
    object.add_symbol(Symbol {
        name: CHECKSUM_SYMBOL.into(),
        value,
        size: 32,
        kind: SymbolKind::Data,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    });
    object.write().expect("a few sections can be written")
}

fn flags(sh_flags: u64) -> SectionFlags {
    SectionFlags::Elf { sh_type: elf::SHT_PROGBITS, sh_flags: elf::SectionFlags(sh_flags) }
}
