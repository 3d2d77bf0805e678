//! The rendering of each shape of message. Their wording is tested where messages are made.
use halyard_diag::{Diagnostic, DiagnosticFormat, Error, Severity, Source, Span, render_diagnostic};
use std::sync::Arc;

fn source() -> Arc<Source> {
    Source::new(
        "mlp.mlir",
        "func.func @main(%x: tensor<4xf32>) {\n\t%y = math.sqrt %x : tensor<4xf32>\n  return %z : tensor<4xf32>\n}\n",
    )
}

fn span(line: usize, column: usize) -> Span {
    Span::token(&source(), line, column).unwrap()
}

/// Renders a diagnostic in all three formats.
fn drawn(d: &Diagnostic) -> String {
    let formats = [DiagnosticFormat::Human, DiagnosticFormat::Short, DiagnosticFormat::Json];
    formats.iter().map(|f| render_diagnostic(d, *f, false)).collect::<Vec<_>>().join("\n")
}

#[test]
fn message_only() {
    insta::assert_snapshot!(drawn(
        &Diagnostic::error("cannot find the program `ld.lld` on `PATH`").hint("install the package `lld-22`")
    ));
}

#[test]
fn in_a_file_without_text() {
    let d = Diagnostic::error("the bytecode ends in the middle of a section").in_file("mlp.mlirbc").code("not-mlir");
    insta::assert_snapshot!(drawn(&d));
}

#[test]
fn at_a_token() {
    insta::assert_snapshot!(drawn(&Diagnostic::error("use of undeclared value `%z`").at(span(3, 10))));
}

#[test]
fn with_labels_notes_and_hints() {
    let d = Diagnostic::error("`return` has another type than `@main`")
        .code("bad-type")
        .at(span(3, 3))
        .label(span(1, 11), "the function is here")
        .note("a function without results returns nothing")
        .hint("drop the operand");
    insta::assert_snapshot!(drawn(&d));
}

#[test]
fn with_a_label_in_another_file() {
    let other = Source::new("b.mlir", "func.func private @main()\n");
    let d = Diagnostic::error("symbol `@main` is already defined")
        .at(span(1, 11))
        .label(Span::token(&other, 1, 19).unwrap(), "first here");
    insta::assert_snapshot!(drawn(&d));
}

#[test]
fn warning_note_and_remark() {
    let all = [Severity::Warning, Severity::Note, Severity::Remark]
        .map(|s| drawn(&Diagnostic::new(s, "loops were not fused")));
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn in_colour() {
    let d = Diagnostic::error("use of undeclared value `%z`").at(span(3, 10)).hint("declare it");
    insta::assert_snapshot!(render_diagnostic(&d, DiagnosticFormat::Human, true).replace('\u{1b}', "␛"));
}

#[test]
fn far_down_in_a_large_file() {
    let text = "// filler\n".repeat(100_000) + "bad.op\n";
    let d = Diagnostic::error("dialect `bad` is unknown")
        .at(Span::token(&Source::new("large.mlir", text), 100_001, 1).unwrap());
    insta::assert_snapshot!(drawn(&d));
}

#[test]
fn a_very_long_line_is_not_shown() {
    let text = format!("%c = arith.constant dense<[{}]> : bad\n", "0.0, ".repeat(1000));
    let column = text.find("bad").unwrap() + 1;
    let d =
        Diagnostic::error("unknown type `bad`").at(Span::token(&Source::new("weights.mlir", text), 1, column).unwrap());
    insta::assert_snapshot!(drawn(&d));
}

#[test]
fn what_a_terminal_would_obey_is_made_visible() {
    let evil = Source::new("evil.mlir", "foo \u{1b}[2J \u{202e}rab\n");
    let d = Diagnostic::error("unknown word `\u{1b}[31m\u{202e}`").at(Span::token(&evil, 1, 1).unwrap());
    let text = drawn(&d);
    assert!(!text.contains('\u{1b}') && !render_diagnostic(&d, DiagnosticFormat::Human, false).contains('\u{202e}'));
    insta::assert_snapshot!(text);
}

#[test]
fn input_and_output_errors_say_why_without_numbers() {
    let e = Error::io("read", "x.mlir", &std::io::Error::from_raw_os_error(2));
    assert_eq!(e.to_string(), "cannot read `x.mlir`: no such file or directory");
}
