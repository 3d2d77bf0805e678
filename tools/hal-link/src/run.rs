//! Runs the tool, step by step.
use crate::{Link, LinkArgs, Linked, Linker, ObjectInput, ProgramInput, WeightsHome, link, weights::link_files};
use halyard_cli::{Input, Printer, folder_of, read_input, write_atomically, write_pieces_atomically};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Session,
    form::{Phase, Program, load_program},
};
use halyard_plugins::Active;
use halyard_preprocess::{Hook, Preprocess};
use halyard_runtime::container::EMBEDDED_ALIGNMENT;
use halyard_stages::StageArgs;
use std::path::Path;

/// Runs `hal-link`.
pub fn run(args: LinkArgs, printer: &Printer) -> Result<()> {
    if args.plugins.chosen.list_plugins {
        return printer.stdout(&halyard_plugins::list(&args.plugins.chosen)?);
    }
    halyard_ir::load_plugins(&[], args.libraries.dialects())?;
    if args.output == Path::new("-") {
        return Err(
            Error::usage("a shared object cannot be written to standard output").hint("name a file: `-o program.so`")
        );
    }
    args.depfile.check(&args.output)?;
    let linker = Linker::start()?;
    let inputs: Vec<Input> = args.inputs.iter().map(|path| read_input(path)).collect::<Result<_>>()?;
    let read = inputs.iter().filter(|i| !is_object(&i.bytes)).map(|i| (&*i.bytes, &*i.name));
    let plugins = Active::for_program(&args.plugins, read)?;
    let session = Session::until_exit();
    let hooks = plugins.hooks(session, &StageArgs::default(), &[], None)?;
    let (mut programs, mut objects, mut modules) = (Vec::new(), Vec::new(), Vec::new());
    for input in inputs {
        if is_object(&input.bytes) {
            objects.push(ObjectInput { name: input.name, bytes: input.bytes.into() });
            continue;
        }
        let (module, _) = load_program(session, &input.bytes, &input.name)?;
        let module = run_stages(session, &hooks, module, printer)?;
        let program = Program { op: (&module).into() };
        if args.merge.flag().is_some() {
            program.expect_phase("hal-link", Phase::Objects).map_err(|e| e.in_file(&input.name))?;
        }
        args.merge.apply(session, program, &input.name, printer)?;
        modules.push(module);
        let folder = input.path.as_deref().map_or(Path::new("."), folder_of).to_owned();
        programs.push(ProgramInput { program, folder, name: input.name });
    }
    if programs.is_empty() {
        return Err(Error::input("there is no program among the inputs")
            .hint("pass a program that `hal-translate` made; - is standard input"));
    }
    let what = Link {
        linker,
        programs,
        objects,
        output: &args.output,
        weights_path: &args.weights_path,
        object_path: &args.object_path,
        weights_home: match (args.external_weights, args.embed_weights) {
            (true, _) => WeightsHome::External,
            (_, true) => WeightsHome::Embedded,
            _ => WeightsHome::Beside,
        },
    };
    let linked = link(session, what)?;
    write_linked(&linked, &args.output, printer)?;
    args.depfile.write(&[&args.output])
}

/// Runs what plugins do before a program is linked. Errors: what they say.
pub fn run_stages<'s>(
    session: &'s Session,
    hooks: &Preprocess,
    module: Module<'s>,
    printer: &Printer,
) -> Result<Module<'s>> {
    let module = hooks.run_at(Hook::Link, session, printer, module.into())?;
    session.take_diagnostics().iter().for_each(|d| printer.diagnostic(d));
    Ok(module)
}

/// Writes a linked program and its archive: the archive first, so that a program never refers to a file that is not
/// there. An archive that is there already with the same contents is left alone.
pub fn write_linked(linked: &Linked<'_>, output: &Path, printer: &Printer) -> Result<()> {
    linked.remarks.iter().for_each(|remark| printer.diagnostic(remark));
    if let Some(archive) = linked.archive.as_ref().filter(|_| !linked.embedded) {
        let path = &archive.path;
        if !archive.is_at(path) {
            write_pieces_atomically(path, archive.pieces())?;
        }
        printer.verbose(format!("weights: `{}`, {} bytes", path.display(), archive.size()));
    }
    link_files(&linked.links)?;
    match linked.archive.as_ref().filter(|_| linked.embedded) {
        Some(archive) => {
            let padding = vec![0; linked.file.len().next_multiple_of(EMBEDDED_ALIGNMENT) - linked.file.len()];
            write_pieces_atomically(output, [&*linked.file, &*padding].into_iter().chain(archive.pieces()))?;
            printer.verbose(format!("weights: at the end of the program, {} bytes", archive.size()));
        }
        None => write_atomically(output, &linked.file)?,
    }
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
