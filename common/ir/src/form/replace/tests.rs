//! Replacements that fit, and all kinds that do not.
use super::*;
use crate::form::{single_executable, write_standalone};

const PROGRAM: &str = r#"
module @m attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> attributes {hal.export} {
      %y = arith.addf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64", chip = "x86-64">} {}
  }
  func.func private @k(tensor<4xf32>, index) -> tensor<4xf32> attributes {hal.entry = @e::@k}
}
"#;

/// Replaces words in the original, and returns the program after substitution, or the error.
fn reply(from: &str, to: &str) -> Result<String, String> {
    let session = Session::new();
    let program = session.parse(PROGRAM.as_bytes(), "program.mlir").unwrap();
    let program = Program::view(Op::from(&program)).unwrap();
    let original = program.executable("e").unwrap();
    let text = String::from_utf8(write_standalone(original, false)).unwrap();
    assert!(text.contains(from), "{text}");
    let module = session.parse(text.replace(from, to).as_bytes(), "reply").map_err(|e| e.to_string())?;
    let said = |e: Error| {
        let of = |d: &Diagnostic| {
            let file = |s: &halyard_diag::Span| s.source.name.clone();
            let places: Vec<_> = d.primary.iter().map(file).chain(d.labels.iter().map(|l| file(&l.span))).collect();
            format!("{} {} [{}]", d.message, d.notes.join("; "), places.join(" "))
        };
        e.diagnostics.iter().map(of).collect::<Vec<_>>().join(" | ")
    };
    let executable = single_executable(&session, Op::from(&module), "the reply").map_err(said)?;
    check_replacement(&session, original, executable).map_err(said)?;
    replace(original, executable);
    drop(module);
    super::super::verify(&session, program).map_err(said)?;
    Ok(super::super::print(program.op))
}

fn refused(from: &str, to: &str, words: &str) {
    let said = reply(from, to).unwrap_err();
    assert!(said.contains(words), "{said}");
}

#[test]
fn the_same_is_the_same() {
    let text = reply("module @e", "module @e").unwrap();
    assert!(!text.contains("hal.version = 1 : i32} {\n    func"), "{text}");
    assert_eq!(text, reply("\n", "\r\n").unwrap());
}

#[test]
fn other_bodies_helpers_and_variants_are_legal() {
    assert!(reply("addf %arg0, %arg0", "mulf %arg0, %arg0").unwrap().contains("mulf"));
    let helper = "module @cpu2 attributes {hal.variant, hal.target = #llvm.target<triple = \"x86_64\", chip = \"x86-64-v3\">} {} func.func private @helper(i32) func.func @k";
    assert!(reply("func.func @k", helper).unwrap().contains("@cpu2"));
}

#[test]
fn locations_of_reply_and_original() {
    refused("%arg1: index", "%arg1: i32", "has a different interface from the original");
    refused("%arg1: index", "%arg1: i32", "argument 1 is `index` in the original, `i32` here");
    refused("%arg1: index", "%arg1: i32", "[reply program.mlir]");
}

#[test]
fn renamed() {
    refused("module @e", "module @f", "executable `@e` came back as `@f`");
    refused("func.func @k", "func.func @j", "executable `@e` lost its export `@k`: it has `@j`");
    refused("func.func @k", "func.func @j", "a new export `@j`");
    refused("module @cpu", "module @gpu", "lost its variant `@cpu`: it has `@gpu`");
    refused("\"x86-64\"", "\"x86-64-v2\"", "another target than the original");
}

#[test]
fn not_one_executable() {
    refused("module @e", "module @d attributes {hal.executable} {} module @e", "holds 2 executables: `@d`, `@e`");
    refused("module @e", "func.func private @lost() module @e", "`func.func @lost` stands beside it");
    refused("hal.executable, ", "", "holds no executable");
    refused("hal.version = 1 : i32", "hal.version = 7 : i32", "the reply has version 7 of the exchange form");
    refused("hal.executable,", "hal.phase = \"executables\",", "the reply is a whole program");
}

#[test]
fn a_body_may_go_where_objects_are() {
    let body = "{\n    %0 = arith.addf %arg0, %arg0 : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }";
    let declared = |text: &str| {
        text.replace("func.func @k(%arg0: tensor<4xf32>, %arg1: index)", "func.func private @k(tensor<4xf32>, index)")
    };
    let session = Session::new();
    let program = session.parse(PROGRAM.as_bytes(), "program.mlir").unwrap();
    let original = Program::view(Op::from(&program)).unwrap().executable("e").unwrap();
    let text = String::from_utf8(write_standalone(original, false)).unwrap();
    assert!(text.contains(body), "{text}");
    let bare = declared(&text.replace(body, ""));
    let check = |text: &str| {
        let module = session.parse(text.as_bytes(), "reply").unwrap();
        let executable = single_executable(&session, Op::from(&module), "the reply").unwrap();
        check_replacement(&session, original, executable)
    };
    assert!(check(&bare).unwrap_err().to_string().contains("came back without a body"));
    let objects = bare.replace("hal.variant}", "hal.variant, hal.objects = [{format = \"elf\", path = \"k.o\"}]}");
    assert_ne!(bare, objects);
    check(&objects).unwrap();
}
