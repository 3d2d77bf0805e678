//! Tests what a content key depends on, and what it does not depend on.
use super::*;
use crate::{Session, form::load_program};

const PROGRAM: &str = r##"
module @m attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @main_dispatch_3 attributes {hal.executable, hal.origin = ["/layer1/conv"]} {
    ml_program.global private @table(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : tensor<4xf32>
    func.func private @library(f32) -> f32 attributes {hal.import}
    func.func private @twice(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }
    func.func @kernel(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export, hal.schedule = {lanes = 8}} {
      %t = ml_program.global_load_const @table : tensor<4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%t : tensor<4xf32>) outs(%x : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = func.call @twice(%a) : (f32) -> f32
        %d = func.call @library(%c) : (f32) -> f32
        linalg.yield %d : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64", chip = "x86-64">} {}
  }
  func.func private @kernel(tensor<4xf32>, index) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @main_dispatch_3::@kernel}
}
"##;

/// The key of the one executable after replacements of words.
fn key(changes: &[(&str, &str)]) -> String {
    let mut text = PROGRAM.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} in {text}");
        text = text.replace(from, to);
    }
    let session = Session::new();
    let (_module, program) = load_program(&session, text.as_bytes(), "program.mlir").unwrap();
    let key = content_key(program.executables()[0]);
    assert!(is_content_key(&key), "{key}");
    key
}

#[test]
fn names_places_and_how_it_is_made_are_not_in_it() {
    let same = key(&[]);
    assert_eq!(same, key(&[("main_dispatch_3", "main_dispatch_4")]));
    assert_eq!(same, key(&[("@kernel", "@other_kernel")]));
    assert_eq!(same, key(&[("@twice", "@helper"), ("@table", "@constants")]));
    assert_eq!(same, key(&[("\n", "\n\n"), ("%x", "%argument")]));
    assert_eq!(same, key(&[(", hal.origin = [\"/layer1/conv\"]", "")]));
    assert_eq!(same, key(&[(", hal.schedule = {lanes = 8}", "")]));
    assert_eq!(same, key(&[("module @cpu", "module @cpu_2"), ("chip = \"x86-64\"", "chip = \"x86-64-v3\"")]));
}

#[test]
fn what_it_computes_is_in_it() {
    let same = key(&[]);
    let others = [
        key(&[("arith.addf %x, %x", "arith.mulf %x, %x")]),
        key(&[("hal.tied = 0 : i32", "hal.dim_names = [\"\"]")]),
        key(&[("3.0, 4.0", "3.0, 5.0")]),
        key(&[("tensor<4xf32>", "tensor<8xf32>"), ("3.0, 4.0", "3.0, 4.0, 5.0, 6.0, 7.0, 8.0")]),
        // Which function of a kernel library is called.
        key(&[("@library", "@other_library")]),
        key(&[("%c = func.call @twice(%a)", "%c = func.call @library(%a)")]),
        key(&[("func.call @library(%c)", "func.call @library(%a)")]),
    ];
    for (i, other) in others.iter().enumerate() {
        assert!(*other != same && !others[..i].contains(other), "{i}: {others:?}");
    }
}

#[test]
fn elements_count_however_they_are_written() {
    let dense = key(&[]);
    let resource =
        "}\n{-# dialect_resources: { builtin: { some_name: \"0x040000000000803F000000400000404000008040\" } } #-}\n";
    let end = PROGRAM.rfind('}').unwrap();
    let text =
        format!("{}{resource}", &PROGRAM[..end]).replace("dense<[1.0, 2.0, 3.0, 4.0]>", "dense_resource<some_name>");
    let session = Session::new();
    let (_module, program) = load_program(&session, text.as_bytes(), "program.mlir").unwrap();
    assert_eq!(dense, content_key(program.executables()[0]));
}

#[test]
fn an_executable_without_its_source_keeps_the_key() {
    let start = PROGRAM.find("    ml_program").unwrap();
    let end = PROGRAM.find("    module @cpu").unwrap();
    let stripped = |attr: &str| {
        let declared = "func.func private @kernel(tensor<4xf32>, index) -> (tensor<4xf32> {hal.tied = 0 : i32})";
        let text = format!("{}{}", &PROGRAM[..start], &PROGRAM[end..])
            .replace("hal.executable", &format!("hal.executable{attr}"))
            .replace("\"x86-64\">} {}", &format!("\"x86-64\">}} {{ {declared} attributes {{hal.export}} }}"));
        let session = Session::new();
        let (_module, program) = load_program(&session, text.as_bytes(), "program.mlir").unwrap();
        content_key(program.executables()[0])
    };
    let key = key(&[]);
    assert_eq!(key, stripped(&format!(", hal.key = \"{key}\"")));
    assert!(key != stripped("") && is_content_key(&stripped("")));
}
