//! `hal-translate`: code generation for the executables of a program.
//!
//! [`input`] takes the input for what it is; [`program`] makes a [`job`] of each executable and target, which [`workers`]
//! run in processes of their own; a job lowers the exports ([`codegen`]) and emits an object ([`llvm`]); the variants then go into the
//! program in order. [`code`] writes the code of a single executable instead.

mod args;
mod called;
mod code;
mod codegen;
mod containment;
mod input;
mod job;
pub mod kernel;
mod llvm;
mod program;
mod report;
mod reproducer;
mod sabotage;
mod save;
mod variants;
mod workers;

pub use args::{Args, EmitKind};
pub use codegen::Options;
pub use containment::ContainmentArgs;
pub use program::{Translation, translate};
pub use report::Report;
pub use save::{CodeFile, Missing, code, missing};
pub use halyard_targets::{CpuTarget, parse_targets};

use halyard_cli::{Printer, read_input, write_output};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session, form};
use halyard_targets as target;
use input::Input;
pub(crate) use llvm::FATAL;
use std::io::IsTerminal;

/// The program.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}

/// What `--version` prints.
pub(crate) fn version() -> String {
    halyard_cli::command::<Args>().render_version()
}

/// Runs the tool.
pub fn run(args: Args, printer: &Printer) -> Result<()> {
    halyard_ir::load_plugins(args.libraries.passes(), args.libraries.dialects())?;
    let kind = args.emit_kind();
    let is_code = matches!(kind, EmitKind::Llvm | EmitKind::Asm | EmitKind::Obj);
    if args.executable.is_some() && !is_code {
        return Err(Error::usage("`--executable` goes with `--emit=llvm`, `--emit=asm` or `--emit=obj`"));
    }
    if args.save_code.is_some() && (is_code || args.strip_source) {
        let other = if is_code { "--emit=llvm, asm or obj" } else { "--strip-source" };
        return Err(Error::usage(format!("`--save-code` does not go with `{other}`")));
    }
    let binary = matches!(kind, EmitKind::Bytecode | EmitKind::Obj);
    if binary && !args.force && args.output.as_os_str() == "-" && std::io::stdout().is_terminal() {
        return Err(Error::usage("not writing binary data to a terminal").hint("write to a file with `-o FILE`, or force it with `-f`"));
    }
    args.depfile.check(&args.output)?;
    let lists = if args.target.is_empty() { vec!["cpu".to_owned()] } else { args.target.clone() };
    let translation = Translation {
        targets: parse_targets(&lists)?,
        options: Options { opt_level: args.opt_level, fast_math: args.fast_math },
        jobs: args.jobs.jobs,
        containment: args.containment.clone(),
        strip_source: args.strip_source,
        object_path: args.object_path.clone(),
    };
    let input = read_input(&args.input)?;
    let session = Session::new();
    let module = session.parse(&input.bytes, &input.name)?;
    let classified = input::classify(&session, &module, &input.name)?;
    let (bytes, report) = if is_code {
        code::emit(&session, &classified, args.executable.as_deref(), kind, &translation)?
    } else {
        let executables = match &classified {
            Input::Program(program) => program.executables(),
            Input::Executable(executable) => vec![*executable],
        };
        let missing = args.save_code.as_ref().map(|_| missing(&session, &executables, &translation));
        let (op, report): (Op, Report) = match classified {
            Input::Program(program) => (program.op, translate(&session, program, &translation)?),
            Input::Executable(executable) => (executable.op, program::translate_executables(&session, &[executable], &translation)?),
        };
        if let (Some(folder), Some(missing)) = (&args.save_code, missing) {
            save::write_code(folder, &code(&session, &executables, &missing, &translation)?)?;
        }
        (form::write(op, kind == EmitKind::Bytecode), report)
    };
    printer.stderr(report.said());
    if args.explain {
        printer.stderr(&report.explain());
    }
    if args.time {
        printer.stderr(&report.times());
    }
    write_output(&args.output, &bytes)?;
    args.depfile.write(&[&args.output])
}
