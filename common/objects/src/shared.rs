//! Shared objects.
use crate::{FileFormat, architecture_name};
use halyard_diag::{Error, Result};
use object::{Object, ObjectSymbol, SymbolKind, elf, read::elf::ElfFile64};
use std::collections::{BTreeMap, BTreeSet};

/// The properties of a shared object.
#[derive(Debug, Clone)]
pub struct SharedObject {
    /// The name of its architecture as in triples.
    pub architecture: String,
    /// The name that it is loaded by, if it says so.
    pub soname: Option<String>,
    /// The symbols that it exports, and whether each is a function.
    pub defined: BTreeMap<String, bool>,
    /// The symbols that it imports.
    pub undefined: BTreeSet<String>,
    /// The libraries that it depends on (`DT_NEEDED`).
    pub needed: Vec<String>,
    /// Whether it is an executable program, not a library.
    pub is_program: bool,
}

/// Inspects a shared object. Fails if it is something else, or damaged.
pub fn inspect_shared(bytes: &[u8], owner: &str) -> Result<SharedObject> {
    let bad = |why: String| Error::input(format!("{owner}: {why}")).code("bad-object");
    let damaged = |e: object::Error| bad(format!("the shared object is damaged: {}", e.to_string().to_lowercase()));
    if FileFormat::of(bytes) != FileFormat::Shared {
        return Err(bad(format!("this is {}, not a shared object", FileFormat::describe(bytes))));
    }
    let file = object::File::parse(bytes).map_err(damaged)?;
    let (mut defined, mut undefined) = (BTreeMap::new(), BTreeSet::new());
    for symbol in file.dynamic_symbols() {
        let name = symbol.name().map_err(damaged)?.to_owned();
        if name.is_empty() {
            continue;
        }
        if !symbol.is_undefined() {
            defined.insert(name, symbol.kind() == SymbolKind::Text);
        } else if !symbol.is_weak() {
            undefined.insert(name);
        }
    }
    let mut shared = SharedObject {
        architecture: architecture_name(&file),
        soname: None,
        defined,
        undefined,
        needed: Vec::new(),
        is_program: false,
    };
    dynamic(bytes, &mut shared).map_err(damaged)?;
    Ok(shared)
}

/// Reads the dynamic section. Programs are linked for 64 bits only; the architecture of other files has been reported
/// before.
fn dynamic(bytes: &[u8], shared: &mut SharedObject) -> Result<(), object::Error> {
    let Ok(file) = ElfFile64::<object::Endianness>::parse(bytes) else { return Ok(()) };
    let table = file.elf_dynamic_table()?;
    for entry in &table {
        let text = || table.string(entry).ok().map(|s| String::from_utf8_lossy(s).into_owned());
        match entry.tag {
            elf::DT_SONAME => shared.soname = text(),
            elf::DT_NEEDED => shared.needed.extend(text()),
            elf::DT_FLAGS_1 => shared.is_program |= entry.val & elf::DF_1_PIE.0 != 0,
            _ => {}
        }
    }
    Ok(())
}
