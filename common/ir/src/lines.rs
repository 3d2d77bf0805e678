//! Places in a text of an executable, for line tables.
//!
//! [`point_into`] adds to each operation the line that it has in a text. Passes carry places along; [`attach`] then makes debug
//! information of the LLVM dialect of them.
use crate::{
    Attr, Op,
    handles::{Loc, string_ref},
    places::file_line_column,
};
use halyard_diag::{Error, Result};
use mlir_sys::*;

/// How much debug information to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTables {
    /// Line tables, as DWARF.
    Dwarf,
    /// Directives in assembly: other debug information in PTX would keep the driver from optimising it.
    Directives,
}

/// Adds the lines that the operations of `op` have in a text: those of `text`, which was parsed from it. Messages still
/// name the places from before. Errors: the two are not the same.
pub fn point_into(op: Op, text: Op, file: &str) -> Result<()> {
    match point(op, text, file, (1, 1)) {
        true => Ok(()),
        false => Err(Error::tool(format!("`{file}` does not hold what it was written from"))),
    }
}

/// Operations that no text shows, such as the body of `linalg.matmul`, get the place of the operation around them.
fn point(op: Op, text: Op, file: &str, outer: (usize, usize)) -> bool {
    if op.is("llvm.func") && has_metadata(op.loc()) {
        // It has lines of its own, which stay.
        return true;
    }
    let place = file_line_column(text.loc()).map_or(outer, |(_, line, column)| (line, column));
    let both = [op.loc(), file_loc(op, file, place)];
    // SAFETY: the operation and its context are live; the array is passed with its length.
    unsafe {
        let fused = mlirLocationFusedGet(op.context(), 2, both.as_ptr(), mlirAttributeGetNull());
        mlirOperationSetLocation(op.0, fused);
    }
    let inside =
        |op: Op| -> Vec<Op> { op.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.ops()).collect() };
    let (ops, texts) = (inside(op), inside(text));
    let same = op.name() == text.name() && ops.len() == texts.len();
    same && ops.into_iter().zip(texts).all(|(op, text)| point(op, text, file, place))
}

/// Attaches debug information to the functions of a module of the LLVM dialect, whose lines are places in `file`.
/// Functions that have their own keep it. Operations without a place have that of their function.
pub fn attach(module: Op, file: &str, tables: LineTables) {
    for function in module.body_ops() {
        if !function.is("llvm.func") || function.body().is_none() || has_metadata(function.loc()) {
            continue;
        }
        let own = place_in(function.loc(), file).unwrap_or((1, 1));
        function.walk(&mut |op| {
            let loc = file_loc(op, file, place_in(op.loc(), file).unwrap_or(own));
            // SAFETY: the operation is live.
            unsafe { mlirOperationSetLocation(op.0, loc) };
        });
        let subprogram = subprogram(function, file, own.0, tables);
        let place = [file_loc(function, file, own)];
        // SAFETY: the function and its context are live; the array is passed with its length.
        unsafe {
            let fused = mlirLocationFusedGet(function.context(), 1, place.as_ptr(), subprogram.0);
            mlirOperationSetLocation(function.0, fused);
        }
    }
}

fn file_loc(op: Op, file: &str, (line, column): (usize, usize)) -> Loc {
    let number = |n: usize| u32::try_from(n).unwrap_or(0);
    // SAFETY: the context is live, and the name is passed with its length.
    unsafe { mlirLocationFileLineColGet(op.context(), string_ref(file), number(line), number(column)) }
}

/// Line and column of the first place in a file that a location has.
fn place_in(loc: Loc, file: &str) -> Option<(usize, usize)> {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if mlirLocationIsAName(loc) {
            return place_in(mlirLocationNameGetChildLoc(loc), file);
        }
        if mlirLocationIsACallSite(loc) {
            return place_in(mlirLocationCallSiteGetCallee(loc), file);
        }
        if mlirLocationIsAFused(loc) {
            let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
            mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
            return parts.into_iter().find_map(|part| place_in(part, file));
        }
    }
    file_line_column(loc).filter(|(name, ..)| name == file).map(|(_, line, column)| (line, column))
}

/// Whether a location has debug information of its own.
fn has_metadata(loc: Loc) -> bool {
    // SAFETY: the location is live, and each query is made only on its own kind.
    unsafe {
        if !mlirLocationIsAFused(loc) {
            return false;
        }
        let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
        mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
        !mlirLocationFusedGetMetadata(loc).ptr.is_null() || parts.into_iter().any(has_metadata)
    }
}

fn subprogram(function: Op, file: &str, line: usize, tables: LineTables) -> Attr {
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    let file = format!("#llvm.di_file<{} in {}>", quoted(name), quoted(folder));
    let symbol = quoted(&function.symbol().unwrap_or_default());
    let kind = match tables {
        LineTables::Dwarf => "LineTablesOnly",
        LineTables::Directives => "DebugDirectivesOnly",
    };
    let unit = format!(
        "#llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = {file}, producer = \"Halyard\", \
         isOptimized = true, emissionKind = {kind}>"
    );
    let text = format!(
        "#llvm.di_subprogram<id = distinct[1]<>, compileUnit = {unit}, scope = {file}, name = {symbol}, linkageName = {symbol}, \
         file = {file}, line = {line}, scopeLine = {line}, subprogramFlags = \"Definition|Optimized\", \
         type = #llvm.di_subroutine_type<callingConvention = DW_CC_normal>>"
    );
    Attr::parse(function.context(), &text).expect("an attribute of LLVM's dialect")
}

/// A string as MLIR writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            0x20..0x7f if !matches!(byte, b'"' | b'\\') => quoted.push(char::from(byte)),
            _ => quoted += &format!("\\{byte:02X}"),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    fn places(op: Op) -> Vec<(String, Option<(usize, usize)>)> {
        let mut found = Vec::new();
        op.walk(&mut |op| found.push((op.name(), place_in(op.loc(), "d/e.mlir"))));
        found
    }

    #[test]
    fn operations_get_the_lines_of_a_text() {
        let session = Session::new();
        let text = "module {\n  func.func @f(%x: f32) -> f32 {\n    %y = arith.addf %x, %x : f32\n    return %y : f32\n  }\n}\n";
        let model = session.parse(text.replace('\n', " ").as_bytes(), "model.mlir").unwrap();
        let printed = session.parse_beside(text.as_bytes(), "d/e.mlir").unwrap();
        point_into(Op::from(&model), Op::from(&printed), "d/e.mlir").unwrap();
        let expected =
            [("builtin.module", (1, 1)), ("func.func", (2, 3)), ("arith.addf", (3, 10)), ("func.return", (4, 5))];
        assert_eq!(places(Op::from(&model)), expected.map(|(name, place)| (name.to_owned(), Some(place))));
        // Messages still point into the model.
        let mut first = None;
        Op::from(&model).walk(&mut |op| first = first.take().or(session.span(op).filter(|_| op.is("arith.addf"))));
        assert!(first.is_some());
        let other = session.parse_beside(b"module {}", "d/e.mlir").unwrap();
        assert!(point_into(Op::from(&model), Op::from(&other), "d/e.mlir").is_err());
    }

    #[test]
    fn names_are_quoted_as_mlir_reads_them() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\22b\\5Cc\\0A\"");
    }
}
