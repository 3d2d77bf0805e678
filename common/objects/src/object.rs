//! Relocatable objects.
use crate::{FileFormat, LoadConstants, PACKED_WEIGHTS_SECTION, PackedWeights, architecture_name};
use halyard_diag::{Error, Result, either, nearest};
use object::{
    Architecture, BinaryFormat, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionKind, SymbolFlags, SymbolKind, elf,
};
use std::collections::{BTreeMap, BTreeSet};

/// An object to link.
#[derive(Debug, Clone)]
pub struct ObjectFile {
    /// The file name that the linker sees, which it may repeat in messages.
    pub file: String,
    /// The name in messages: the file, or the executable and variant that it is of.
    pub owner: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The name of its architecture as in triples.
    pub architecture: String,
    /// The global symbols that it defines.
    pub defined: BTreeMap<String, Symbol>,
    /// Symbols that it needs; weak references may stay unresolved.
    pub undefined: BTreeSet<String>,
    /// Functions that only it sees: `static` in C.
    pub local: BTreeSet<String>,
    /// The load-time constants that its kernels use, as their source declares (`HAL_LOAD_CONSTANTS`).
    pub load_constants: LoadConstants,
    /// The weights that its kernels take packed.
    pub packed_weights: PackedWeights,
    /// A relocation that prevents it from becoming part of a shared object, if there is one.
    pub absolute: Option<String>,
}

/// A global symbol that is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// Whether it names code or data.
    pub names: SymbolUse,
    /// Whether a strong definition elsewhere takes precedence.
    pub weak: bool,
    /// Whether it is invisible outside the file that it is linked into.
    pub hidden: bool,
    /// Whether a resolver function chooses its address at load time (`ifunc`).
    pub indirect: bool,
}

/// Whether a symbol names code or data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolUse {
    /// A function.
    Function,
    /// A data object.
    Data,
}

impl ObjectFile {
    /// Fails if it names load-time constants of a function that it does not define.
    pub fn check_load_constants(&self) -> Result<()> {
        let defines = |name: &str| self.defined.get(name).is_some_and(|s| s.names == SymbolUse::Function);
        let Some(missing) = self.load_constants.keys().find(|name| !defines(name)) else { return Ok(()) };
        let message =
            format!("{}: `HAL_LOAD_CONSTANTS` names `{missing}`, a function that it does not define", self.owner);
        let error = Error::input(message).code("bad-object");
        let near = nearest(missing, self.functions());
        Err(if near.is_empty() { error } else { error.hint(format!("did you mean {}?", either(&near))) })
    }
}

/// Inspects an object. `file` and `owner` are as in [`ObjectFile`]. Fails if it is not a relocatable ELF object, or if
/// it is damaged.
pub fn inspect(bytes: Vec<u8>, file: String, owner: String) -> Result<ObjectFile> {
    let bad = |why: String| Error::input(format!("{owner}: {why}")).code("bad-object");
    let damaged = |e: object::Error| bad(format!("the object is damaged: {}", e.to_string().to_lowercase()));
    if FileFormat::of(&bytes) != FileFormat::Object {
        return Err(refuse(&bytes, &owner));
    }
    let elf = object::File::parse(&*bytes).map_err(damaged)?;
    if elf.kind() != ObjectKind::Relocatable || elf.format() != BinaryFormat::Elf {
        return Err(bad("the object is damaged: its header is of another kind of file".into()));
    }
    let mut code = BTreeSet::new();
    for section in elf.sections() {
        section.data().map_err(damaged)?;
        if section.name().map_err(damaged)?.starts_with(".gnu.lto_") && !has_code(&elf) {
            return Err(bad("the object holds code of GCC's link-time optimiser, not machine code".into())
                .hint("compile it without `-flto`"));
        }
        if section.kind() == SectionKind::Text {
            code.insert(section.index().0);
        }
    }
    let (mut defined, mut undefined, mut local) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for symbol in elf.symbols() {
        let name = symbol.name().map_err(damaged)?.to_owned();
        // Hand-written assembly often does not say that a label is a function.
        let in_code = symbol.section_index().is_some_and(|s| code.contains(&s.0));
        let named = match symbol.kind() {
            SymbolKind::Text => SymbolUse::Function,
            SymbolKind::Unknown | SymbolKind::Label if in_code => SymbolUse::Function,
            _ => SymbolUse::Data,
        };
        if name.is_empty() || matches!(symbol.kind(), SymbolKind::Section | SymbolKind::File) {
            continue;
        }
        if !symbol.is_global() {
            if named == SymbolUse::Function && !symbol.is_undefined() {
                local.insert(name);
            }
        } else if symbol.is_undefined() {
            if !symbol.is_weak() {
                undefined.insert(name);
            }
        } else {
            let (hidden, indirect) = match symbol.flags() {
                SymbolFlags::Elf { st_other, st_info, .. } => {
                    let visible = [elf::STV_DEFAULT, elf::STV_PROTECTED].contains(&st_other.visibility());
                    (!visible, st_info.st_type() == elf::STT_GNU_IFUNC)
                }
                _ => (false, false),
            };
            defined.insert(name, Symbol { names: named, weak: symbol.is_weak(), hidden, indirect });
        }
    }
    let absolute = check_relocations(&elf).map_err(|why| bad(format!("the object is damaged: {why}")))?;
    let load_constants = crate::load_constants::read(&elf).map_err(bad)?;
    let packed_weights = crate::packed_weights::read(&elf).map_err(bad)?;
    let architecture = architecture_name(&elf);
    Ok(ObjectFile {
        file,
        owner,
        architecture,
        defined,
        undefined,
        local,
        load_constants,
        packed_weights,
        absolute,
        bytes,
    })
}

/// The weights that a kernel takes packed, as the object that defines it says; empty if none says any.
pub fn packed_weights_of(objects: &[ObjectFile], kernel: &str) -> Vec<(usize, String)> {
    let defining = |weak: bool| objects.iter().find(|o| o.defined.get(kernel).is_some_and(|s| s.weak == weak));
    let definer = defining(false).or_else(|| defining(true));
    definer.and_then(|o| o.packed_weights.get(kernel)).cloned().unwrap_or_default()
}

impl ObjectFile {
    /// Fails if it names packed weights of a function that it does not define.
    pub fn check_packed_weights(&self) -> Result<()> {
        match self.packed_weights.keys().find(|name| !self.defined.contains_key(*name)) {
            None => Ok(()),
            Some(missing) => {
                let message = format!(
                    "{}: `{PACKED_WEIGHTS_SECTION}` names `{missing}`, a function that it does not define",
                    self.owner
                );
                Err(Error::input(message).code("bad-object"))
            }
        }
    }

    /// The functions that it defines for all to see, in order.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.defined.iter().filter(|(_, s)| s.names == SymbolUse::Function && !s.hidden).map(|(name, _)| name.as_str())
    }
}

/// Makes the error for a file that is not an object, with its kind and a hint.
fn refuse(bytes: &[u8], owner: &str) -> Error {
    let kind = FileFormat::of(bytes);
    let error =
        Error::input(format!("{owner}: this is {}, not an ELF object", FileFormat::describe(bytes))).code("bad-object");
    match kind {
        FileFormat::Shared | FileFormat::Executable => error.hint("pass an object (.o) or a static archive (.a)"),
        FileFormat::ThinArchive => error.hint("create a regular archive: `llvm-ar rc`, not `llvm-ar rc --thin`"),
        _ => error.hint("make one with `clang -c -O2 -fPIC`"),
    }
}

fn has_code(elf: &object::File<'_>) -> bool {
    elf.sections().any(|s| s.kind() == SectionKind::Text && s.size() > 0)
}

/// The first relocation that a shared object cannot have, if any. Errors: one that points nowhere.
fn check_relocations(elf: &object::File<'_>) -> Result<Option<String>, String> {
    let absolute = |r: elf::RelocationType| match (elf.architecture(), r) {
        (Architecture::X86_64, elf::R_X86_64_32) => Some("R_X86_64_32"),
        (Architecture::X86_64, elf::R_X86_64_32S) => Some("R_X86_64_32S"),
        (Architecture::Aarch64, elf::R_AARCH64_MOVW_UABS_G3) => Some("R_AARCH64_MOVW_UABS_G3"),
        (Architecture::Riscv64, elf::R_RISCV_HI20) => Some("R_RISCV_HI20"),
        _ => None,
    };
    // Whole addresses are filled in when the program is loaded, which must not change what is only read.
    let whole = |r: elf::RelocationType| match (elf.architecture(), r) {
        (Architecture::X86_64, elf::R_X86_64_64) => Some("R_X86_64_64"),
        (Architecture::Aarch64, elf::R_AARCH64_ABS64) => Some("R_AARCH64_ABS64"),
        (Architecture::Riscv64, elf::R_RISCV_64) => Some("R_RISCV_64"),
        _ => None,
    };
    let mut found = None;
    for section in elf.sections() {
        let loaded = matches!(section.kind(), SectionKind::Text | SectionKind::Data | SectionKind::ReadOnlyData);
        let writable = match section.flags() {
            object::SectionFlags::Elf { sh_flags, .. } => sh_flags.contains(elf::SHF_WRITE),
            _ => true,
        };
        for (offset, relocation) in section.relocations() {
            if offset >= section.size() && section.size() > 0 {
                return Err(format!("a relocation of section {} lies outside of it", section.index().0));
            }
            if let RelocationTarget::Symbol(symbol) = relocation.target()
                && elf.symbol_by_index(symbol).is_err()
            {
                return Err(format!("a relocation of section {} names no symbol", section.index().0));
            }
            if let (true, None, RelocationFlags::Elf { r_type }) = (loaded, &found, relocation.flags()) {
                found = absolute(r_type).or_else(|| whole(r_type).filter(|_| !writable)).map(str::to_owned);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
