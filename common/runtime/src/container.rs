//! The file of a linked program: a shared object with sections of ours and a checksum, and behind it, from the next page on, the
//! weights if they are embedded: a safetensors archive, of which the host program holds a hash.
use halyard_diag::{Error, Result};
use object::{Architecture, Object, ObjectKind, ObjectSection, ObjectSymbol, read::elf::FileHeader};
use std::{collections::BTreeSet, ops::Range};

/// The section of the host commands; see [`crate::commands::encode`].
pub const PROGRAM_SECTION: &str = ".hal.program";
/// The section of small constants, each at a multiple of 64.
pub const CONSTANTS_SECTION: &str = ".hal.constants";
/// The section of the modules for devices other than the CPU, each at a multiple of 64.
pub const MODULES_SECTION: &str = ".hal.modules";
/// The section of the checksum: 32 bytes.
pub const CHECKSUM_SECTION: &str = ".hal.checksum";

/// Embedded weights start at the first multiple of this behind the shared object.
pub const EMBEDDED_ALIGNMENT: usize = 4096;

/// The symbol of the checksum, by which a loaded image is compared with its file.
pub const CHECKSUM_SYMBOL: &str = "hal_checksum";

/// The symbol of the pointer through which kernels call a function of a plugin; 0 until the program is loaded.
pub fn import_symbol(name: &str) -> String {
    format!("hal.import.{name}")
}

/// The layout of a linked program's file.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) program: Range<usize>,
    pub(crate) constants: Range<usize>,
    pub(crate) modules: Range<usize>,
    pub(crate) checksum: Range<usize>,
    /// The weights behind the shared object; empty if there are none.
    pub(crate) embedded: Range<usize>,
    /// The exported symbols.
    pub(crate) symbols: BTreeSet<String>,
    /// The architecture that it is for, as Rust names it.
    pub(crate) machine: &'static str,
}

/// The size of a shared object: the linker writes its section headers last. `None` if it is beyond what an address can be.
fn object_size(elf: &object::File<'_>) -> Option<usize> {
    fn end<H: FileHeader>(header: &H, endian: H::Endian) -> Option<usize> {
        let headers = u64::from(header.e_shentsize(endian)) * u64::from(header.e_shnum(endian));
        usize::try_from(header.e_shoff(endian).into().checked_add(headers)?).ok()
    }
    match elf {
        object::File::Elf32(file) => end(file.elf_header(), file.endian()),
        object::File::Elf64(file) => end(file.elf_header(), file.endian()),
        _ => None,
    }
}

/// The BLAKE3 hash of a file with the checksum's own bytes taken as zero.
fn checksum(file: &[u8], hole: &Range<usize>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&file[..hole.start]);
    hasher.update(&vec![0; hole.len()]);
    hasher.update(&file[hole.end..]);
    hasher.finalize().into()
}

fn section(elf: &object::File<'_>, name: &str) -> Option<Range<usize>> {
    let (offset, size) = elf.section_by_name(name)?.file_range()?;
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    Some(start..end)
}

/// Whether a file is MLIR, as bytecode or, as far as its start tells, as text.
fn is_mlir(file: &[u8]) -> bool {
    let start = &file[..file.len().min(4096)];
    let words = ["builtin.module", "func.func", "module {", "module @", "module attributes"];
    let has = |word: &str| start.windows(word.len()).any(|w| w == word.as_bytes());
    file.starts_with(b"ML\xefR") || !start.contains(&0) && words.into_iter().any(has)
}

fn parse(file: &[u8]) -> Result<object::File<'_>> {
    let not = |why: &str| {
        Error::input(format!("this is not a linked program: {why}"))
            .code("not-linked")
            .hint("make one with `hal-link` or `hal-compile`")
    };
    if is_mlir(file) {
        return Err(not("it is MLIR"));
    }
    if !file.starts_with(b"\x7fELF") {
        let error = match halyard_diag::looks_like(file) {
            Some(kind) => not(&format!("it looks like {kind}")),
            None => not("it is not an ELF file"),
        };
        return Err(match halyard_diag::what_to_do(file) {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }
    let damaged = |why: String| {
        Error::input(format!("the file is damaged: {why}"))
            .code("damaged-program")
            .hint("link it again, or copy it again")
    };
    let elf = object::File::parse(file).map_err(|e| damaged(e.to_string().to_lowercase()))?;
    if elf.kind() != ObjectKind::Dynamic {
        return Err(not("it is an ELF file, but not a shared object"));
    }
    Ok(elf)
}

/// Writes the checksum into a freshly linked file. Embedded weights are not covered by it.
pub fn seal(file: &mut [u8]) -> Result<()> {
    let elf = parse(file)?;
    let size = object_size(&elf).filter(|&size| size <= file.len());
    let size = size.ok_or_else(|| Error::tool("the linker wrote no section headers").code("bad-link"))?;
    let hole = section(&elf, CHECKSUM_SECTION).filter(|r| r.len() == 32 && r.end <= size);
    let hole = hole.ok_or_else(|| Error::tool("the linker dropped the checksum section").code("bad-link"))?;
    let sum = checksum(&file[..size], &hole);
    file[hole].copy_from_slice(&sum);
    Ok(())
}

/// An architecture as Rust names that of this machine.
pub(crate) fn architecture_name(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::X86_64 => "x86_64",
        Architecture::Aarch64 => "aarch64",
        Architecture::Riscv64 => "riscv64",
        Architecture::Arm => "arm",
        Architecture::PowerPc64 => "powerpc64",
        _ => "another architecture",
    }
}

/// Fails if a program is for another machine.
pub(crate) fn check_machine(container: &Container) -> Result<()> {
    let here = std::env::consts::ARCH;
    match container.machine {
        made_for if made_for == here => Ok(()),
        made_for => Err(Error::input(format!("the program was linked for `{made_for}`, this machine is `{here}`"))
            .code("wrong-machine")
            .hint("translate it with another `--target`, or run it there")),
    }
}

/// Parses a linked program's file, of any machine. Fails if it is not a linked program, or is damaged (the checksum covers
/// every byte but those of embedded weights).
pub(crate) fn open(file: &[u8]) -> Result<Container> {
    let elf = parse(file)?;
    let damaged = |why: &str| {
        Error::input(format!("the file is damaged: {why}"))
            .code("damaged-program")
            .hint("link it again, or copy it again")
    };
    let Some(size) = object_size(&elf).filter(|&size| size <= file.len()) else {
        return Err(damaged("it is cut short"));
    };
    let within = |r: Option<Range<usize>>| r.filter(|r| r.end <= size);
    let Some(hole) = within(section(&elf, CHECKSUM_SECTION)) else {
        return Err(Error::input("this is a shared object, but not a linked program: it has no `.hal.checksum`")
            .code("not-linked")
            .hint("make one with `hal-link` or `hal-compile`"));
    };
    if hole.len() != 32 || checksum(&file[..size], &hole) != file[hole.clone()] {
        return Err(damaged("its checksum does not match its contents"));
    }
    let machine = architecture_name(elf.architecture());
    let weights = size.next_multiple_of(EMBEDDED_ALIGNMENT).min(file.len());
    if file[size..weights].iter().any(|&b| b != 0) {
        return Err(damaged("there are extra bytes after its end"));
    }
    let program = within(section(&elf, PROGRAM_SECTION)).ok_or_else(|| damaged("it has no `.hal.program`"))?;
    let constants = within(section(&elf, CONSTANTS_SECTION)).unwrap_or(0..0);
    let modules = within(section(&elf, MODULES_SECTION)).unwrap_or(0..0);
    let symbols =
        elf.dynamic_symbols().filter(|s| s.is_definition()).filter_map(|s| s.name().ok().map(str::to_owned)).collect();
    Ok(Container { program, constants, modules, checksum: hole, embedded: weights..file.len(), symbols, machine })
}
