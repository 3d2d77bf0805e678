//! Functions that kernels import from kernel libraries: each is a jump through a pointer that the loader fills in.
use crate::objects::{LinkObject, inspect};
use halyard_diag::{Error, Result};
use halyard_ir::names::PLUGIN_PREFIX;
use halyard_runtime::{commands::KernelImport, container::import_symbol};
use object::{
    Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope, elf,
    write::{Object, Relocation, Symbol, SymbolId, SymbolSection},
};
use std::collections::{BTreeMap, BTreeSet};

/// The functions that variants import, by name, with their executables.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// The imports that are needed: an object may define what another one imports, and a variant may be left out.
pub(crate) fn needed(imports: &Imports, objects: &[LinkObject]) -> Vec<KernelImport> {
    let missing = |name: &str| {
        objects.iter().any(|o| o.undefined.contains(name)) && !objects.iter().any(|o| o.defined.contains_key(name))
    };
    let wanted = |name: &str| symbols(name).iter().any(|symbol| missing(symbol));
    imports
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, users)| KernelImport { name: name.clone(), needed_by: users.iter().cloned().collect() })
        .collect()
}

/// The names by which objects call an import.
pub(crate) fn symbols(import: &str) -> [String; 2] {
    [import.to_owned(), format!("{PLUGIN_PREFIX}{import}")]
}

/// An object that defines the imported functions; `defined` says what others define. Errors: an architecture without the code for it.
pub(crate) fn object(
    architecture: Architecture,
    imports: &[KernelImport],
    flags_of: Option<&[u8]>,
    defined: impl Fn(&str) -> bool,
) -> Result<LinkObject> {
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    if let Some(other) = flags_of.and_then(|bytes| object::File::parse(bytes).ok()) {
        object.flags = object::Object::flags(&other);
    }
    let text = object.add_section(Vec::new(), b".text".to_vec(), SectionKind::Text);
    let data = object.add_section(Vec::new(), b".data".to_vec(), SectionKind::Data);
    for import in imports {
        let symbol = |name: String, value, size, kind, scope, section| Symbol {
            name: name.into_bytes(),
            value,
            size,
            kind,
            scope,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        };
        let at = object.append_section_data(data, &[0; 8], 8);
        let name = import_symbol(&import.name);
        // The jump refers to a local name: the exported one could be another library's, as far as the linker knows.
        let local =
            object.add_symbol(symbol(format!("{name}.local"), at, 8, SymbolKind::Data, SymbolScope::Compilation, data));
        object.add_symbol(symbol(name, at, 8, SymbolKind::Data, SymbolScope::Dynamic, data));
        let (code, relocations) = jump(architecture, local).ok_or_else(|| {
            let message = format!("functions of plugins cannot be called on `{architecture:?}`").to_lowercase();
            Error::input(message).code("unsupported").hint("link the function into the program: `hal.objects`")
        })?;
        let at = object.append_section_data(text, &code, 16);
        let size = code.len() as u64;
        for called in symbols(&import.name).into_iter().filter(|s| !defined(s)) {
            object.add_symbol(symbol(called, at, size, SymbolKind::Text, SymbolScope::Linkage, text));
        }
        for mut relocation in relocations {
            relocation.offset += at;
            object.add_relocation(text, relocation).map_err(|e| Error::tool(e.to_string()))?;
        }
    }
    let bytes =
        object.write().map_err(|e| Error::tool(format!("the calls into kernel libraries cannot be written: {e}")))?;
    inspect(bytes, "imports.o".into(), "the functions of plugins".into())
}

/// A jump through a pointer, with the relocations that fill in where the pointer is.
fn jump(architecture: Architecture, pointer: SymbolId) -> Option<(Vec<u8>, Vec<Relocation>)> {
    let relocation = |offset, addend, r_type| Relocation {
        offset,
        symbol: pointer,
        addend,
        flags: object::write::RelocationFlags::Elf { r_type },
    };
    match architecture {
        // jmp *pointer(%rip)
        Architecture::X86_64 => Some((vec![0xff, 0x25, 0, 0, 0, 0], vec![relocation(2, -4, elf::R_X86_64_PC32)])),
        // adrp x16, pointer; ldr x16, [x16, :lo12:pointer]; br x16
        Architecture::Aarch64 => Some((
            [0x9000_0010u32, 0xf940_0210, 0xd61f_0200].into_iter().flat_map(u32::to_le_bytes).collect(),
            vec![
                relocation(0, 0, elf::R_AARCH64_ADR_PREL_PG_HI21),
                relocation(4, 0, elf::R_AARCH64_LDST64_ABS_LO12_NC),
            ],
        )),
        _ => None,
    }
}
