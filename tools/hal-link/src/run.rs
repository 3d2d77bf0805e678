//! The tool.
use crate::{Args, Link, Linked, Linker, ObjectInput, ProgramInput, link};
use halyard_cli::{Input, Printer, read_input, write_atomically, write_pieces_atomically};
use halyard_diag::{Error, Result};
use halyard_ir::{Session, form::load_program};
use std::path::{Path, PathBuf};

/// Runs `hal-link`.
pub fn run(args: Args, printer: &Printer) -> Result<()> {
    halyard_ir::load_plugins(&[], args.libraries.dialects())?;
    if args.output == Path::new("-") {
        return Err(Error::usage("a shared object cannot be written to standard output").hint("name a file: `-o program.so`"));
    }
    args.depfile.check(&args.output)?;
    let linker = Linker::start()?;
    let session = Session::new();
    let (mut programs, mut objects, mut modules) = (Vec::new(), Vec::new(), Vec::new());
    for path in &args.inputs {
        let input = read_input(path)?;
        if is_object(&input.bytes) {
            objects.push(ObjectInput { name: input.name, bytes: input.bytes.into() });
            continue;
        }
        let (module, program) = load_program(&session, &input.bytes, &input.name)?;
        modules.push(module);
        programs.push(ProgramInput { program, folder: folder_of(&input), name: input.name });
    }
    if programs.is_empty() {
        return Err(Error::input("there is no program among the inputs").hint("pass a program that `hal-translate` made; - is standard input"));
    }
    let linked = link(&session, Link { linker, programs, objects, output: &args.output, weights_path: &args.weights_path, object_path: &args.object_path })?;
    write_linked(&linked, &args.output, printer)?;
    args.depfile.write(&[&args.output])
}

/// Writes a linked program and its archive: the archive first, so that a program never refers to a file that is not
/// there. An archive that is there already with the same contents is left alone.
pub fn write_linked(linked: &Linked<'_>, output: &Path, printer: &Printer) -> Result<()> {
    if let Some(archive) = &linked.archive {
        let path = &archive.path;
        if !archive.is_at(path) {
            write_pieces_atomically(path, archive.pieces())?;
        }
        printer.verbose(format!("weights: `{}`, {} bytes", path.display(), archive.size()));
    }
    write_atomically(output, &linked.file)?;
    printer.verbose(format!(
        "linked `{}`: {} functions, {} kernels, {} bytes, arena of {} bytes",
        output.display(),
        linked.functions,
        linked.kernels,
        linked.file.len(),
        linked.arena
    ));
    Ok(())
}

fn is_object(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"!<arch>\n")
}

fn folder_of(input: &Input) -> PathBuf {
    let folder = input.path.as_deref().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}
