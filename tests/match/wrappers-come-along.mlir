// A transform script brings the functions that it calls, with their bodies: what stands around a kernel need not be a kernel.
// RUN: split-file %s %t && cd %t && clang -O2 -fPIC -c scale.c -o scale.o
// RUN: hal-opt model.mlir --stage=script.mlir -q -o out.mlir && FileCheck %s < out.mlir
// CHECK: func.func private @scale_kernel(
// CHECK: func.func private @call_scale(
// CHECK-NOT: @unused
// CHECK: func.func @main
// CHECK: call @call_scale(
// RUN: hal-compile model.mlir -o p.so -q --stage=input:script.mlir --require-match && hal-run p.so --input=6xf32=iota --expect=6xf32=0,3,6,9,12,15
// REQUIRES: x86

//--- scale.c
void scale_kernel(const float *x, float *out, int n, float by) { for (int i = 0; i < n; i++) out[i] = x[i] * by; }

//--- model.mlir
func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  %c3 = arith.constant dense<3.0> : tensor<6xf32>
  %y = arith.mulf %x, %c3 : tensor<6xf32>
  return %y : tensor<6xf32>
}

//--- script.mlir
module attributes {transform.with_named_sequence} {
  func.func private @scale_kernel(tensor<?xf32>, i32, f32, index) -> (tensor<?xf32> {hal.dims = array<i64: 3>}) attributes {
    hal.objects = [{path = "scale.o"}], hal.workgroups = array<i64: 1>, hal.arguments = ["buffers", "arg1", "arg2"]}
  // The sizes and numbers that the kernel takes are computed here.
  func.func private @call_scale(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %n32 = arith.index_cast %n : index to i32
    %by = arith.constant 3.0 : f32
    %y = call @scale_kernel(%x, %n32, %by, %n) : (tensor<?xf32>, i32, f32, index) -> tensor<?xf32>
    return %y : tensor<?xf32>
  }
  func.func private @unused_callee(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
  func.func private @unused(%x: tensor<?xf32>) -> tensor<?xf32> {
    %y = call @unused_callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
    return %y : tensor<?xf32>
  }
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["arith.mulf"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @cast_and_call(%op: !transform.any_op {transform.readonly}) {
    %in = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %op[0] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @call_scale(%in) -> %out after %op {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %funcs = transform.structured.match ops{["func.func"]} attributes {sym_name = "main"} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach_match in %funcs @match -> @cast_and_call : (!transform.any_op) -> !transform.any_op
    transform.apply_dce to %module : !transform.any_op
    transform.yield
  }
}
