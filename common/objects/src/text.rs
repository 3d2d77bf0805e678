//! Detects the language of a text from its first line that is neither blank nor a comment.
use crate::FileFormat;

/// Returns the kind of a text.
pub(crate) fn kind(text: &str) -> FileFormat {
    if text.trim().is_empty() {
        return FileFormat::Empty;
    }
    // Files made on other systems: a mark of the byte order, and carriage returns, which `lines` and `trim` swallow.
    let text = text.trim_start_matches('\u{feff}');
    if is_ptx(text) {
        return FileFormat::Ptx;
    }
    let mut in_comment = false;
    let mut after_directive = false;
    for line in text.lines().map(str::trim) {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
            continue;
        }
        if let Some(kind) = of_line(line) {
            return kind;
        }
        after_directive |= line.starts_with('#');
    }
    // Comments only.
    if after_directive { FileFormat::Assembly } else { FileFormat::Unknown }
}

fn is_ptx(text: &str) -> bool {
    let has = |start: &str| text.lines().take(200).any(|l| l.trim_start().starts_with(start));
    has(".version") && has(".target sm_")
}

/// Returns the kind that a line shows; `None` for blanks and comments.
fn of_line(line: &str) -> Option<FileFormat> {
    let word = line.split([' ', '\t', '(', '{', '=', ',']).find(|w| !w.is_empty()).unwrap_or_default();
    let comment = [";", "//"].iter().any(|c| line.starts_with(c)) && !line.starts_with("; ModuleID");
    if line.is_empty() || (comment && !line.starts_with("//===")) || line.starts_with("//===") {
        return None;
    }
    if word == "hal.schedule" {
        return Some(FileFormat::Schedule);
    }
    if is_spirv(line, word) {
        return Some(FileFormat::SpirVText);
    }
    if is_llvm(line, word) {
        return Some(FileFormat::LlvmText);
    }
    if is_mlir(line, word) {
        return Some(FileFormat::MlirText);
    }
    if let Some(directive) = line.strip_prefix('#') {
        let directive = directive.trim_start();
        if directive.starts_with("version") {
            return Some(FileFormat::Glsl);
        }
        let words = ["include", "define", "pragma", "if", "ifdef", "ifndef"];
        if words.iter().any(|w| directive.split(|c: char| !c.is_alphanumeric()).next() == Some(w)) {
            return Some(FileFormat::CSource);
        }
        // A comment of assembly.
        return None;
    }
    if is_c(line, word) {
        return Some(FileFormat::CSource);
    }
    Some(if is_assembly(line, word) { FileFormat::Assembly } else { FileFormat::Unknown })
}

fn is_llvm(line: &str, word: &str) -> bool {
    let starts =
        ["; ModuleID", "source_filename", "target triple", "target datalayout", "module asm", "attributes #", "$"];
    let metadata =
        line.strip_prefix('!').is_some_and(|m| m.starts_with("llvm.") || m.starts_with(|c: char| c.is_ascii_digit()));
    let named = (line.starts_with('@') || line.starts_with('%')) && line.contains(" = ");
    starts.iter().any(|s| line.starts_with(s)) || metadata || named || matches!(word, "define" | "declare")
}

fn is_spirv(line: &str, word: &str) -> bool {
    let operation =
        line.split_once('=').filter(|_| line.starts_with('%')).map_or(word, |(_, right)| right.trim_start());
    operation.strip_prefix("Op").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn is_mlir(line: &str, word: &str) -> bool {
    let alias = line.strip_prefix(['#', '!']).is_some_and(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '$')).unwrap_or(rest.len());
        end > 0 && rest[end..].trim_start().starts_with('=')
    });
    let generic = line.starts_with('"') && line.contains("\"(");
    let dialect = word.split_once('.').is_some_and(|(dialect, op)| {
        let plain = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        plain(dialect) && plain(op) && !line.ends_with(':')
    });
    word == "module" || alias || generic || dialect || line.starts_with("{-#")
}

fn is_c(line: &str, word: &str) -> bool {
    let words =
        ["extern", "static", "void", "int", "float", "double", "typedef", "struct", "template", "using", "namespace"];
    words.contains(&word) && (line.contains(' ') || line.contains('('))
}

fn is_assembly(line: &str, word: &str) -> bool {
    let name = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_alphanumeric() || "_.$@".contains(c));
    let label = line.split_once(':').is_some_and(|(label, _)| name(label));
    let directive = line.starts_with('.') && name(word);
    label || directive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages() {
        let cases = [
            ("module @e attributes {hal.executable} {\n}\n", FileFormat::MlirText),
            ("// A comment.\n\n#map = affine_map<(d0) -> (d0)>\nmodule {}\n", FileFormat::MlirText),
            ("\"builtin.module\"() ({\n}) : () -> ()\n", FileFormat::MlirText),
            ("func.func @f() {\r\n  return\r\n}\r\n", FileFormat::MlirText),
            ("// A comment.\nhal.schedule @f = {lanes = 8}\n", FileFormat::Schedule),
            ("{-# dialect_resources: {} #-}", FileFormat::MlirText),
            ("; ModuleID = 'x'\nsource_filename = \"x\"\n", FileFormat::LlvmText),
            ("; by hand\ndefine void @f() {\n  ret void\n}\n", FileFormat::LlvmText),
            ("module asm \".globl k\"\n", FileFormat::LlvmText),
            ("!0 = !{}\n", FileFormat::LlvmText),
            ("@x = global i32 0\n", FileFormat::LlvmText),
            ("; SPIR-V\n; Version: 1.3\n               OpCapability Shader\n", FileFormat::SpirVText),
            ("%1 = OpExtInstImport \"GLSL.std.450\"\n", FileFormat::SpirVText),
            ("%1 = add i32 %0, 1\n", FileFormat::LlvmText),
            ("\t.text\n\t.globl\tk\nk:\n\tret\n", FileFormat::Assembly),
            ("# a comment\n\t.file \"k.c\"\n", FileFormat::Assembly),
            ("/* a\n * comment */\nk:\n  ret\n", FileFormat::Assembly),
            ("//\n// Generated\n//\n.version 8.5\n.target sm_90\n.address_size 64\n", FileFormat::Ptx),
            ("#include <stdint.h>\nvoid k(void) {}\n", FileFormat::CSource),
            ("void k(float *x) { x[0] = 1; }\n", FileFormat::CSource),
            ("#version 450\nvoid main() {}\n", FileFormat::Glsl),
            ("hello, world\n", FileFormat::Unknown),
            ("{\"a\": 1}\n", FileFormat::Unknown),
            ("// only comments\n", FileFormat::Unknown),
        ];
        for (text, kind) in cases {
            assert_eq!(super::kind(text), kind, "{text}");
        }
    }
}
