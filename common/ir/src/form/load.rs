//! Reads and writes programs.
use super::{Executable, Program, verify};
use crate::{Module, Op, Session, handles::append};
use halyard_diag::{Error, Result};
use mlir_sys::*;

/// Parses a program and verifies the exchange form. Errors: what [`Session::parse`] and [`verify`] say; a module without
/// a phase stamp.
pub fn load_program<'s>(session: &'s Session, bytes: &[u8], name: &str) -> Result<(Module<'s>, Program)> {
    let module = session.parse(bytes, name)?;
    let op = Op::from(&module);
    let Some(program) = Program::view(op) else {
        let inside = op.body_ops();
        let only = <[Op; 1]>::try_from(inside).ok().map(|[only]| only);
        if let Some(executable) = Executable::view(op).or_else(|| only.and_then(Executable::view)) {
            let message = format!("this is executable `@{}` alone, not a program", executable.name());
            return Err(Error::input(message).in_file(name).code("not-a-program").hint(
                "`hal-substitute PROGRAM NAME=FILE` puts it into its program, `hal-translate` takes it as it is",
            ));
        }
        return Err(Error::input("this is MLIR, but not a Halyard program: the module has no `hal.phase`")
            .in_file(name)
            .code("not-a-program")
            .hint("run `hal-import` first"));
    };
    verify(session, program)?;
    Ok((module, program))
}

/// The text of an operation, with resources, ending with a newline. Locations are left out: outputs do not depend on
/// where their inputs came from.
pub fn print(op: Op) -> String {
    let mut text = Vec::<u8>::new();
    // SAFETY: the operation is live and `append` is given the vector that it expects.
    unsafe { mlirOperationPrint(op.0, Some(append), (&raw mut text).cast()) };
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Returns text for people: large constants are elided.
pub fn print_short(op: Op) -> String {
    print_with(op, |flags| {
        // SAFETY: the flags are live.
        unsafe {
            mlirOpPrintingFlagsElideLargeElementsAttrs(flags, 16);
            mlirOpPrintingFlagsElideLargeResourceString(flags, 64);
        }
    })
}

/// The text as flags of MLIR's printer ask for it, ending with a newline.
pub(super) fn print_with(op: Op, set: impl Fn(MlirOpPrintingFlags)) -> String {
    let mut text = Vec::<u8>::new();
    // SAFETY: the operation is live, the flags are destroyed once, and `append` is given the vector that it expects.
    unsafe {
        let flags = mlirOpPrintingFlagsCreate();
        set(flags);
        mlirOperationPrintWithFlags(op.0, flags, Some(append), (&raw mut text).cast());
        mlirOpPrintingFlagsDestroy(flags);
    }
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Prints an operation as text or bytecode.
pub fn write(op: Op, bytecode: bool) -> Vec<u8> {
    if !bytecode {
        return print(op).into_bytes();
    }
    let mut bytes = Vec::<u8>::new();
    // SAFETY: the operation is live and `append` is given the vector that it expects.
    unsafe { mlirOperationWriteBytecode(op.0, Some(append), (&raw mut bytes).cast()) };
    bytes
}
