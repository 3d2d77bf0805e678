//! From the command line to a program.
use crate::{
    Args, To, WeightsPlace,
    args::Format,
    dispatch,
    frontend::{Kind, kind_of, read_mlir},
};
use halyard_cli::{Printer, read_input, write_output};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{Phase, Program, write},
};
use std::path::Path;

/// What to import and how.
#[derive(Debug)]
pub struct Import<'a> {
    /// The model.
    pub bytes: &'a [u8],
    /// What messages call it.
    pub name: &'a str,
    /// The folder that external data of the model are relative to.
    pub folder: &'a Path,
    /// What it is, if not told by the content.
    pub kind: Option<Kind>,
    /// Where to stop.
    pub to: To,
    /// Where weights go.
    pub weights: WeightsPlace,
    /// The public functions to keep; all if empty.
    pub functions: &'a [String],
}

/// A program and what goes beside it.
pub struct Imported<'s> {
    /// The program.
    pub module: Module<'s>,
    /// The bytes of the safetensors archive, if there is one.
    pub archive: Option<Vec<u8>>,
}

/// Imports a model.
pub fn import<'s>(session: &'s Session, what: &Import<'_>) -> Result<Imported<'s>> {
    let module = match what.kind.unwrap_or_else(|| kind_of(what.bytes)) {
        Kind::Mlir => read_mlir(session, what.bytes, what.name)?,
        Kind::Onnx => return Err(Error::input("ONNX is not supported").in_file(what.name)),
    };
    let program = Program { op: Op::from(&module) };
    Program::stamp(program.op, Phase::Input);
    if what.to == To::Executables {
        dispatch::form(session, &module)?;
    }
    Ok(Imported { module, archive: None })
}

/// The tool.
pub fn run(args: Args, _printer: &Printer) -> Result<()> {
    let input = read_input(&args.input)?;
    let session = Session::new();
    let folder = input.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
    let kind = match args.format {
        Format::Auto => None,
        Format::Mlir => Some(Kind::Mlir),
        Format::Onnx => Some(Kind::Onnx),
    };
    let to_file = args.output.output != Path::new("-");
    let weights = args.weights.clone().unwrap_or_else(|| {
        if to_file { WeightsPlace::File(args.output.output.with_extension("safetensors")) } else { WeightsPlace::Embed }
    });
    let what = Import { bytes: &input.bytes, name: &input.name, folder, kind, to: args.to, weights, functions: &args.function };
    let imported = import(&session, &what)?;
    write_output(&args.output.output, &write(Op::from(&imported.module), args.output.bytecode()))
}
