//! `--as=c`: writes an executable as C that compiles unedited.
//!
//! The signature is that of the kernel ABI. If all operations are simple enough, the body is a reference loop nest
//! with correct results; otherwise it is empty, and comments describe the computation.

mod body;
mod nest;
mod signature;
mod tensors;

use crate::expression::{helper::Helper, language::Language, text::Text};
use halyard_ir::form::{Executable, Export, escape_symbol, load_constants, print};

/// A C file, and the exports whose bodies are left to the reader, with why.
#[derive(Debug)]
pub(crate) struct CFile {
    pub(crate) text: String,
    pub(crate) empty: Vec<(String, String)>,
}

/// Writes an executable as C.
pub(crate) fn c_file(executable: Executable) -> CFile {
    let mut helpers = std::collections::BTreeSet::new();
    let mut functions = String::new();
    let mut empty = Vec::new();
    for export in executable.interface_exports() {
        let (text, used, why) = function(executable, export);
        functions += &text;
        helpers.extend(used);
        empty.extend(why.map(|why| (export.name(), why)));
    }
    let mut text = header(&executable.name());
    text += "#include <halyard/kernel.h>\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n";
    for helper in helpers {
        text += &format!("\n{}", helper.definition(Language::C));
    }
    CFile { text: text + &functions, empty }
}

/// Returns the comment that says how to compile and substitute the file.
fn header(name: &str) -> String {
    let file = escape_symbol(name);
    // A comment must not end early, and a shell must take the name as one word.
    let shell = |text: String| halyard_diag::quote(&text).replace("*/", "*\\/");
    let (source, object) = (shell(format!("{file}.c")), shell(format!("{file}.o")));
    format!(
        "/* Executable `{shown}`.
 *
 * Compile it here, beside halyard/kernel.h:
 *
 *     clang-22 -O3 -march=native -fPIC -I. -c {source} -o {object}
 *
 * and put it back into the program that it came from, before hal-link:
 *
 *     hal-substitute PROGRAM {assignment} -o NEW
 *
 * A dispatch calls each function once per workgroup. These do all the work in the first one, so they are right for
 * any workgroup count, and as fast as one thread; hal_workgroup_t says how to share it.
 */
",
        shown = name.replace("*/", "* /"),
        assignment = shell(format!("{name}={file}.o")),
    )
}

fn function(executable: Executable, export: Export) -> (String, std::collections::BTreeSet<Helper>, Option<String>) {
    let signature = match signature::signature(export) {
        Ok(signature) => signature,
        Err(why) => {
            let text = format!("\n/* `{}` cannot be written in C: {} */\n", safe(&export.name()), safe(&why));
            return (text, Default::default(), Some(why));
        }
    };
    let name = export.name();
    if !is_identifier(&name) {
        let why = "its name is not an identifier of C".to_owned();
        let text = format!("\n/* `{}` cannot be written in C: {why} */\n", safe(&name));
        return (text, Default::default(), Some(why));
    }
    let mut text = String::from("\n");
    let lines: String = signature.comments.iter().map(|c| format!(" *   {}\n", safe(c))).collect();
    let (body, helpers, why) = match body::body(export, &signature) {
        Ok(done) => {
            let (body, mut helpers) = done.finish();
            if signature.prologue.iter().any(|l| l.contains("bf16_to_float")) {
                helpers.insert(Helper::Bf16ToFloat);
            }
            let first = "  /* All in the first workgroup. */\n  if (wg->id[0] | wg->id[1] | wg->id[2]) return;\n";
            (format!("{first}{body}"), helpers, None)
        }
        Err(why) => {
            let mut out = Text::new(Language::C);
            out.comment(&format!(
                "Write the kernel here, then remove the next line. There is no reference for it: {why}."
            ));
            out.line("abort();");
            let (body, helpers) = out.finish();
            (body, helpers, Some(why))
        }
    };
    text += &format!("/* {}\n{lines}", safe(&name));
    if why.is_some() {
        text += " *\n * It computes:\n *\n";
        text += &math(executable, export);
    }
    text += " */\n";
    text += &format!("{} {{\n{body}}}\n", signature.head);
    let load_constants = load_constants(export.op);
    if !load_constants.is_empty() {
        text += &format!("HAL_LOAD_CONSTANTS({name}, \"{}\")\n", load_constants.join(","));
    }
    (text, helpers, why)
}

/// The computation of an export, as lines of a comment.
pub(crate) fn math(executable: Executable, export: Export) -> String {
    let has_body = export.op.regions().first().is_some_and(|r| r.first_block().is_some());
    let text = if has_body {
        print(export.op)
    } else {
        format!("(executable `{}` has no source; its objects alone say what it computes)", executable.name())
    };
    text.lines().map(|l| format!(" *   {}\n", safe(l))).collect()
}

/// Escapes text so that it does not end a comment.
pub(crate) fn safe(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").trim_end().to_owned()
}

fn is_identifier(name: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(start) && name.chars().all(|c| start(c) || c.is_ascii_digit())
}
