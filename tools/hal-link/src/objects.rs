//! The machine code that goes into a linked program: which symbols it defines and needs.
use halyard_diag::{Error, Result};
use object::{Architecture, BinaryFormat, Object, ObjectKind, ObjectSymbol, read::archive::ArchiveFile};
use std::collections::{BTreeMap, BTreeSet};

/// An object to link.
#[derive(Debug, Clone)]
pub(crate) struct LinkObject {
    /// The file name that the linker sees, which it may repeat in messages.
    pub(crate) file: String,
    /// What people call it.
    pub(crate) owner: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) architecture: Architecture,
    /// Global symbols that it defines; weak ones are `false`.
    pub(crate) defined: BTreeMap<String, bool>,
    /// Symbols that it needs; weak references may stay unresolved.
    pub(crate) undefined: BTreeSet<String>,
}

/// Objects of static archives, taken as they are needed.
#[derive(Debug, Default)]
pub(crate) struct Library {
    members: Vec<LinkObject>,
}

/// Looks into an object. Errors: it is not a relocatable ELF object of a known architecture.
pub(crate) fn inspect(bytes: Vec<u8>, file: String, owner: String) -> Result<LinkObject> {
    let bad = |why: String| Error::input(format!("{owner}: {why}")).code("bad-object");
    if !bytes.starts_with(b"\x7fELF") {
        return Err(bad(format!("this is {}, not an ELF object", kind_of(&bytes))).hint("make one with `clang -c -O2 -fPIC`"));
    }
    let elf = object::File::parse(&*bytes).map_err(|e| bad(format!("the object is damaged: {}", e.to_string().to_lowercase())))?;
    if elf.kind() != ObjectKind::Relocatable || elf.format() != BinaryFormat::Elf {
        let what = match elf.kind() {
            ObjectKind::Dynamic => "a shared object",
            ObjectKind::Executable => "an executable",
            _ => "an ELF file of another kind",
        };
        return Err(bad(format!("this is {what}, not an object that can be linked")).hint("pass an object (.o) or a static archive (.a)"));
    }
    let (mut defined, mut undefined) = (BTreeMap::new(), BTreeSet::new());
    for symbol in elf.symbols().filter(|s| s.is_global()) {
        let Ok(name) = symbol.name().map(str::to_owned) else {
            return Err(bad("the object is damaged: a symbol has no name".into()));
        };
        if symbol.is_undefined() {
            if !symbol.is_weak() && !name.is_empty() {
                undefined.insert(name);
            }
        } else {
            defined.insert(name, !symbol.is_weak());
        }
    }
    let architecture = elf.architecture();
    Ok(LinkObject { file, owner, architecture, defined, undefined, bytes })
}

/// What bytes are, by their magic number.
fn kind_of(bytes: &[u8]) -> &'static str {
    match bytes {
        [] => "empty",
        [b'B', b'C', 0xc0, 0xde, ..] => "LLVM bitcode",
        [0xcf, 0xfa, 0xed, 0xfe, ..] => "a Mach-O object",
        [0x64, 0x86, ..] | [b'M', b'Z', ..] => "a COFF object",
        [0x03, 0x02, 0x23, 0x07, ..] => "a SPIR-V module",
        [b'M', b'L', 0xef, b'R', ..] => "MLIR bytecode",
        _ => "something else",
    }
}

impl Library {
    /// Adds the members of a static archive. Errors: a damaged archive, a member that is no object.
    pub(crate) fn add(&mut self, bytes: &[u8], file: &str, owner: &str) -> Result<()> {
        let bad = |why: String| Error::input(format!("{owner}: the archive is damaged: {why}")).code("bad-object");
        let archive = ArchiveFile::parse(bytes).map_err(|e| bad(e.to_string().to_lowercase()))?;
        for (i, member) in archive.members().enumerate() {
            let member = member.map_err(|e| bad(e.to_string().to_lowercase()))?;
            let data = member.data(bytes).map_err(|e| bad(e.to_string().to_lowercase()))?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            self.members.push(inspect(data.to_vec(), format!("{file}.{i}.o"), format!("{owner}, member `{name}`"))?);
        }
        Ok(())
    }

    /// Takes the members that define what `objects` need, and what those need, into `objects`.
    pub(crate) fn resolve(&mut self, objects: &mut Vec<LinkObject>) {
        loop {
            let defined: BTreeSet<&String> = objects.iter().flat_map(|o| o.defined.keys()).collect();
            let needed: BTreeSet<&String> = objects.iter().flat_map(|o| &o.undefined).filter(|n| !defined.contains(n)).collect();
            let Some(found) = self.members.iter().position(|m| m.defined.keys().any(|d| needed.contains(d))) else { return };
            let member = self.members.remove(found);
            objects.push(member);
        }
    }

    /// Takes the members that define a kernel.
    pub(crate) fn take_defining(&mut self, symbol: &str) -> Option<LinkObject> {
        let found = self.members.iter().position(|m| m.defined.contains_key(symbol))?;
        Some(self.members.remove(found))
    }
}

/// The name of an architecture as in triples.
pub(crate) fn architecture_name(architecture: Architecture) -> String {
    match architecture {
        Architecture::X86_64 => "x86_64".into(),
        Architecture::Aarch64 => "aarch64".into(),
        Architecture::I386 => "i386".into(),
        Architecture::Riscv64 => "riscv64".into(),
        Architecture::Arm => "arm".into(),
        Architecture::PowerPc64 => "powerpc64".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// Fails unless each symbol is defined once and each needed one is defined or given by the C library.
pub(crate) fn check_symbols(objects: &[LinkObject], provided: impl Fn(&str) -> bool) -> Result<()> {
    let mut definitions: BTreeMap<&str, &LinkObject> = BTreeMap::new();
    for object in objects {
        for (name, _) in object.defined.iter().filter(|(_, strong)| **strong) {
            if let Some(other) = definitions.insert(name, object) {
                return Err(Error::input(format!("symbol `{name}` is defined twice: by {} and by {}", other.owner, object.owner))
                    .code("duplicate-symbol")
                    .hint("make it `static`, or rename one of them"));
            }
        }
    }
    let defined: BTreeSet<&str> = objects.iter().flat_map(|o| o.defined.keys().map(String::as_str)).collect();
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for object in objects {
        for name in &object.undefined {
            if !defined.contains(name.as_str()) && !provided(name) {
                missing.entry(name).or_default().push(&object.owner);
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let mut diagnostics = Vec::new();
    for (name, users) in missing {
        diagnostics.push(
            halyard_diag::Diagnostic::error(format!("undefined symbol `{name}`, needed by {}", users.join(", ")))
                .code("undefined-symbol")
                .hint("pass the object or static archive that defines it to `hal-link`"),
        );
    }
    Err(Error::many(diagnostics))
}
