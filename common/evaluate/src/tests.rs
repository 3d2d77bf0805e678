//! Results of operations on small constants.
use super::*;
use halyard_ir::{Session, dense_bytes};
use halyard_scalars::scalar_bits;
use std::collections::HashMap;

/// The numbers of the value `%r` that a body makes, of this type, computed operation by operation.
fn of(body: &str, ty: &str) -> Option<Vec<f64>> {
    let session = Session::new();
    let text = format!("#id = affine_map<(d0) -> (d0)>\nfunc.func @f() -> {ty} {{ {body}\nreturn %r : {ty} }}");
    let module = session.parse(text.as_bytes(), "f.mlir").expect("the body is valid");
    let function = Op::from(&module).body()?.ops()[0];
    let mut known: HashMap<Value, Array> = HashMap::new();
    for op in function.body()?.ops() {
        if op.is("func.return") {
            let array = &known[&op.operand(0)];
            return Some((0..array.element_count()).map(|at| array.ty.to_f64(array.at(at))).collect());
        }
        let arrays = if op.is("arith.constant") {
            vec![constant(op)?]
        } else {
            assert!(cost(op).is_some(), "{op} has a cost");
            evaluate(op, &mut |value| known.get(&value).cloned())?
        };
        known.extend(op.results().into_iter().zip(arrays));
    }
    None
}

fn constant(op: Op) -> Option<Array> {
    let (ty, shape) = type_of(op.result(0).ty())?;
    let value = op.attr("value")?;
    if !op.result(0).ty().is_tensor() {
        return Some(Array::splat(ty, &[], scalar_bits(value)?));
    }
    let (bytes, splat) = dense_bytes(value)?;
    Array::from_bytes(ty, &shape, &bytes, splat)
}

const MATRICES: &str = "
    %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]> : tensor<3x2xf32>
    %z = arith.constant 10.0 : f32
    %e = tensor.empty() : tensor<2x2xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>";

#[test]
fn products_add_to_what_is_there() {
    let product = "%r = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%i : tensor<2x2xf32>) -> tensor<2x2xf32>";
    assert_eq!(of(&format!("{MATRICES}{product}"), "tensor<2x2xf32>"), Some(vec![17.0, 9.0, 26.0, 9.0]));
}

#[test]
fn convolutions_are_products_of_windows() {
    let body = "
        %x = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32>
        %w = arith.constant dense<[[[1.0, 10.0]], [[1.0, -1.0]]]> : tensor<2x1x2xf32>
        %i = arith.constant dense<0.0> : tensor<1x2x2xf32>
        %r = linalg.conv_1d_ncw_fcw {strides = dense<3> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
            ins(%x, %w : tensor<1x1x5xf32>, tensor<2x1x2xf32>) outs(%i : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>";
    assert_eq!(of(body, "tensor<1x2x2xf32>"), Some(vec![21.0, 54.0, -1.0, -1.0]));
}

/// Sums are rounded once: in f32, one by one, the small numbers would be lost.
#[test]
fn sums_are_exact_until_they_are_rounded() {
    let body = "
        %x = arith.constant dense<[16777216.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf32>
        %i = arith.constant dense<0.0> : tensor<f32>
        %r = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>], iterator_types = [\"reduction\"]}
            ins(%x : tensor<5xf32>) outs(%i : tensor<f32>) {
        ^bb0(%in: f32, %out: f32):
            %s = arith.addf %out, %in : f32
            linalg.yield %s : f32
        } -> tensor<f32>";
    assert_eq!(of(body, "tensor<f32>"), Some(vec![16777220.0]));
}

fn gathered(index: &str) -> Option<Vec<f64>> {
    let body = format!(
        "%t = arith.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf32>
        %at = arith.constant dense<{index}> : tensor<2xi64>
        %e = tensor.empty() : tensor<2xf32>
        %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = [\"parallel\"]}}
            ins(%at : tensor<2xi64>) outs(%e : tensor<2xf32>) {{
        ^bb0(%in: i64, %out: f32):
            %i = arith.index_cast %in : i64 to index
            %v = tensor.extract %t[%i] : tensor<3xf32>
            linalg.yield %v : f32
        }} -> tensor<2xf32>"
    );
    of(&body, "tensor<2xf32>")
}

#[test]
fn indices_out_of_range_are_left_to_the_run() {
    assert_eq!(gathered("[2, 0]"), Some(vec![7.0, 5.0]));
    assert_eq!(gathered("[2, 3]"), None);
    assert_eq!(gathered("[-1, 0]"), None);
}

#[test]
fn elements_move() {
    let body = "
        %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
        %c = arith.constant 9 : i16
        %s = tensor.extract_slice %x[0, 1] [2, 1] [1, 1] : tensor<2x3xi16> to tensor<2xi16>
        %p = tensor.pad %s low[1] high[0] { ^bb0(%i: index): tensor.yield %c : i16 } : tensor<2xi16> to tensor<3xi16>
        %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xi16> into tensor<6xi16>
        %t = tensor.concat dim(0) %p, %f : (tensor<3xi16>, tensor<6xi16>) -> tensor<9xi16>
        %r = tensor.insert_slice %p into %t[2] [3] [2] : tensor<3xi16> into tensor<9xi16>";
    assert_eq!(of(body, "tensor<9xi16>"), Some(vec![9.0, 2.0, 9.0, 1.0, 2.0, 3.0, 5.0, 5.0, 6.0]));
}

#[test]
fn nothing_is_computed_of_nothing() {
    let body = "
        %x = arith.constant dense<> : tensor<2x0xf32>
        %i = arith.constant dense<1.0> : tensor<2xf32>
        %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
            iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<2x0xf32>) outs(%i : tensor<2xf32>) {
        ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %out : f32
            linalg.yield %s : f32
        } -> tensor<2xf32>";
    assert_eq!(of(body, "tensor<2xf32>"), Some(vec![1.0, 1.0]));
}

#[test]
fn a_division_by_zero_is_left_to_the_run() {
    let quotient = |by: &str| {
        let body = format!(
            "%x = arith.constant dense<[6, 7]> : tensor<2xi32>
            %y = arith.constant dense<{by}> : tensor<2xi32>
            %r = arith.divsi %x, %y : tensor<2xi32>"
        );
        of(&body, "tensor<2xi32>")
    };
    assert_eq!(quotient("[2, -2]"), Some(vec![3.0, -3.0]));
    assert_eq!(quotient("[2, 0]"), None);
}

/// Quantised weights are read as they are stored.
#[test]
fn narrow_numbers_stay_narrow() {
    let session = Session::new();
    let text = "func.func @f() -> tensor<2xf32> {
        %x = arith.constant dense<[1, 2]> : tensor<2xi8>
        %r = arith.sitofp %x : tensor<2xi8> to tensor<2xf32>
        return %r : tensor<2xf32>
    }";
    let module = session.parse(text.as_bytes(), "f.mlir").unwrap();
    let ops = Op::from(&module).body().unwrap().ops()[0].body().unwrap().ops();
    assert_eq!(cost(ops[1]), None);
}
