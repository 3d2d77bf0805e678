//! Signatures, and the levels that are recognised from them.
use super::*;
use crate::Session;

fn level(interface: &str, function: &str) -> Result<Signature, String> {
    let session = Session::new();
    let text = format!(
        "module {{ {} }}",
        function.replace("attributes {", &format!("attributes {{hal.export, hal.interface = {interface}"))
    );
    let module = session.parse(text.as_bytes(), "test").unwrap();
    let op = Op::from(&module).body().unwrap().ops()[0];
    Export { op }.level()
}

fn is(interface: &str, function: &str, want: Level) {
    assert_eq!(level(interface, function).map(|s| s.level), Ok(want), "{function}");
}

fn refused(interface: &str, function: &str, words: &str) {
    let said = level(interface, function).unwrap_err();
    assert!(said.contains(words), "{said}");
}

const ADD: &str = "(tensor<?xf32>, index) -> tensor<?xf32>";
const STATIC: &str = "(tensor<4x8xbf16>, f32, i1) -> tensor<8xf32>";

#[test]
fn buffers() {
    is(ADD, "func.func private @k(memref<?xf32>, index, memref<?xf32>) attributes {}", Level::Buffers);
    is(
        ADD,
        "func.func private @k(memref<?xf32, strided<[?], offset: ?>>, index, memref<?xf32>) attributes {}",
        Level::Buffers,
    );
    refused(
        ADD,
        "func.func private @k(memref<?xf32>, memref<?xf32>, index) attributes {}",
        "expected `(memref<?xf32>, index, memref<?xf32>)`",
    );
    refused(
        ADD,
        "func.func private @k(memref<?xf64>, index, memref<?xf32>) attributes {}",
        "does not fit its interface",
    );
    refused(
        ADD,
        "func.func private @k(memref<?xf32, 1>, index, memref<?xf32>) attributes {}",
        "does not fit its interface",
    );
    is(ADD, "func.func private @k(memref<?xf32>, index) -> memref<?xf32> attributes {}", Level::Buffers);
    refused(
        ADD,
        "func.func private @k(memref<?xf32>, index) -> memref<?xf64> attributes {}",
        "does not fit its interface",
    );
}

#[test]
fn layouts() {
    let square = "(tensor<4x8xf32>) -> tensor<4x8xf32>";
    let of = |layout: &str| format!("func.func private @k(memref<4x8xf32, {layout}>, memref<4x8xf32>) attributes {{}}");
    for good in ["strided<[8, 1]>", "strided<[?, ?], offset: ?>", "strided<[8, ?]>", "affine_map<(i, j) -> (i, j)>"] {
        is(square, &of(good), Level::Buffers);
    }
    for bad in ["strided<[16, 1]>", "strided<[8, 1], offset: 4>", "strided<[1, 4]>", "affine_map<(i, j) -> (j, i)>"] {
        refused(square, &of(bad), "expected `(memref<4x8xf32>, memref<4x8xf32>)`");
    }
}

#[test]
fn llvm_functions() {
    let void = |types: &str| format!("llvm.func @k({types}) attributes {{}}");
    is(ADD, &void("!llvm.ptr, !llvm.ptr, i64, i64, i64, !llvm.ptr"), Level::Kernel);
    is(ADD, &void("!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, !llvm.ptr, !llvm.ptr, i64, i64, i64"), Level::Descriptors);
    is(STATIC, &void("!llvm.ptr, f32, i1, !llvm.ptr"), Level::BarePointers);
    is(STATIC, &void("!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr"), Level::Kernel);
    refused(ADD, &void("!llvm.ptr, i64, !llvm.ptr"), "do not carry the sizes of `tensor<?xf32>`");
    refused(
        ADD,
        &void("!llvm.ptr, !llvm.ptr"),
        "expected the kernel signature `(!llvm.ptr, !llvm.ptr, i64, i64, i64, !llvm.ptr)`",
    );
    refused(ADD, "llvm.func @k(!llvm.ptr) -> i64 attributes {}", "returns `i64`");
    refused("(tensor<f32>) -> ()", &void("!llvm.ptr, !llvm.ptr, i64, i64"), "does not fit");
    is("(tensor<f32>) -> ()", &void("!llvm.ptr, !llvm.ptr, i64"), Level::Descriptors);
}

#[test]
fn tied_results_have_no_argument_or_one() {
    let session = Session::new();
    let check = |types: &str| {
        let text = format!(
            "module {{ func.func private @k({types}) attributes {{hal.export, hal.interface = (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>), hal.results = [{{}}, {{hal.tied = 0 : i32}}]}} }}"
        );
        let module = session.parse(text.as_bytes(), "test").unwrap();
        Export { op: Op::from(&module).body().unwrap().ops()[0] }.level().map(|s| s.outputs)
    };
    assert_eq!(check("memref<4xf32>, memref<4xf32>"), Ok(vec![0]));
    assert_eq!(check("memref<4xf32>, memref<4xf32>, memref<4xf32>"), Ok(vec![0, 1]));
}

#[test]
fn an_interface_is_needed_and_adopted() {
    let session = Session::new();
    let module = session
        .parse(b"module { func.func private @k(memref<4xf32>, memref<4xf32>) attributes {hal.export} func.func private @o(tensor<4xf32>) -> (tensor<4xf32> {hal.dims = array<i64>}) }", "test")
        .unwrap();
    let ops = Op::from(&module).body().unwrap().ops();
    assert!(Export { op: ops[0] }.level().unwrap_err().contains("`hal.interface` must say"));
    adopt_interface(ops[0], ops[1]);
    assert_eq!(Export { op: ops[0] }.level().unwrap().level, Level::Buffers);
    assert_eq!(super::super::fingerprint(ops[0]), super::super::fingerprint(ops[1]));
}
