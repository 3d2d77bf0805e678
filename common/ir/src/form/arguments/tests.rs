use super::*;
use crate::Session;

const KERNEL: &str = "func.func private @k(f32, tensor<?x4xf32>, i64, tensor<3x?xf16>, index)
    -> (tensor<?xf32> {hal.dims = array<i64: 4>}, tensor<3x?xf16> {hal.tied = 3 : i32})";

/// Resolves a list and prints the arguments, or returns the error.
fn written(items: &[&str], device: &str) -> Result<Vec<String>, String> {
    let session = Session::new();
    let module = session.parse(KERNEL.as_bytes(), "k.mlir").unwrap();
    let op = Op::from(&module).body().unwrap().ops()[0];
    let items: Vec<String> = items.iter().map(|i| (*i).to_owned()).collect();
    let list = code_arguments(op, &items, device)?;
    let attr = written_arguments(session.raw(), op, &list);
    let texts = argument_list(attr).unwrap();
    // A list that is written out means the same on any device.
    assert_eq!(code_arguments(op, &texts, "cpu").unwrap(), list, "{texts:?}");
    Ok(texts)
}

#[test]
fn groups_are_written_out() {
    let is = |items: &[&str], device: &str, all: &[&str]| assert_eq!(written(items, device).unwrap(), all);
    let buffers = ["arg1 @ 0", "arg3 @ 1", "result0 @ 2"];
    is(&["buffers"], "cuda", &buffers);
    let sizes = ["dim(arg1, 0) : i64", "dim(arg3, 1) : i64", "dim(result0, 0) : i64", "dim(result1, 1) : i64"];
    is(&["buffers", "sizes"], "cuda", &[&buffers[..], &sizes[..]].concat());
    is(&["buffers", "scalars"], "vulkan", &[&buffers[..], &["arg0 : f32", "arg2 : i64", "arg4 : i32"]].concat());
    let words = ["arg0 : i32", "low(arg2) : i32", "high(arg2) : i32", "arg4 : i32"];
    is(&["buffers", "scalars : words"], "vulkan", &[&buffers[..], &words[..]].concat());
    is(
        &["memref(arg1)", "arg3", "result0"],
        "cpu",
        &[
            "arg1 @ 0",
            "arg1 @ 1",
            "0 : i64",
            "dim(arg1, 0) : i64",
            "dim(arg1, 1) : i64",
            "dim(arg1, 1) : i64",
            "1 : i64",
            "arg3 @ 2",
            "result0 @ 3",
        ],
    );
    is(
        &["result1 @ 7", "result0", "2 * dim(arg1, 0) * dim(arg1, 1) : i16", "arg0 : i64"],
        "vulkan",
        &["arg3 @ 7", "result0 @ 1", "2 * dim(arg1, 0) * dim(arg1, 1) : i16", "arg0 : i64"],
    );
}

#[test]
fn known_factors_are_multiplied() {
    let session = Session::new();
    let module = session.parse(KERNEL.as_bytes(), "k.mlir").unwrap();
    let op = Op::from(&module).body().unwrap().ops()[0];
    let items = ["buffers", "2 * dim(arg1, 0) * dim(arg1, 1)", "arg4", "dim(result1, 0)"].map(str::to_owned);
    let list = code_arguments(op, &items, "cuda").unwrap();
    let numbers: Vec<_> = list
        .iter()
        .filter_map(|a| match a {
            CodeArgument::Number(n) => Some((n.factor, n.of.clone())),
            _ => None,
        })
        .collect();
    use halyard_objects::CodeFactor::Constant;
    // Four sizes, then the scalars.
    assert_eq!(numbers, [(8, vec![Constant(0)]), (1, vec![Constant(6)]), (3, vec![])]);
}

#[test]
fn places_are_told() {
    let why = |items: &[&str]| written(items, "vulkan").unwrap_err();
    assert_eq!(why(&["buffers", "dim(arg1"]), "item 1 of `hal.arguments`: `,` is missing (column 9 of \"dim(arg1\")");
    assert_eq!(why(&["arg1 @ x"]), "item 0 of `hal.arguments`: `x` is no number (column 8 of \"arg1 @ x\")");
    assert_eq!(why(&["buffers", "arg1"]), "`hal.arguments` passes `arg1` twice");
    assert_eq!(why(&["arg1", "arg3"]), "`hal.arguments` does not pass `result0`, which the kernel writes");
    assert!(why(&["buffers", "low(arg0)"]).contains("argument 0 is a float"));
    assert!(why(&["buffers", "low(arg2) : i16"]).contains("half of a number is an `i32`"));
    assert!(why(&["buffers", "arg2 : f32"]).contains("it is an `i64`, and no `f32`"));
}

#[test]
fn no_text_ends_the_parser() {
    let pieces = [
        "arg1",
        "dim(",
        ")",
        ",",
        "@",
        ":",
        "*",
        "é",
        " ",
        "low",
        "workgroup_id",
        "x",
        "-9",
        "18446744073709551616",
        "(",
    ];
    for a in pieces {
        for b in pieces {
            for c in pieces {
                let _ = parse::item(&format!("{a}{b}{c}"));
                let _ = parse::item(&format!("{a} {b} {c}"));
            }
        }
    }
}
