// What a kernel is passed, and in which order: tensors, results, sizes, numbers, the workgroup.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -I%include -c %S/Inputs/probe.c -o probe.o && hal-compile %s -o p.so -q
// Five aligned pointers; three bytes of i1 and one more; 1.5 as f16; what is in the tied buffer; three sizes; i32, f32, i1,
// f64, index and i8, sign-extended; the number of workgroups.
// RUN: hal-run p.so --input=2x3xi1=1,0,1,1,0,0 --input=i32=-5 --input=2x4xf16=1.5 --input=f32=2.25 --input=2xi64=3,9 --input=i1=1 --input=f64=-0.125 --input=i8=-2 --expect=23xi64=5,1,0,1,1,1,9,2,4,4,-5,9,1,-1,4,-2,2,3,4,0,0,0,0 --expect=4xbf16=1.5 --expect=2xi64=77,9 --expect=2xi64=3,9 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: error
func.func private @probe(tensor<?x3xi1>, i32, tensor<2x?xf16>, f32, tensor<2xi64>, i1, f64, index, i8)
  -> (tensor<23xi64>, tensor<?xbf16> {hal.dims = array<i64: 7>}, tensor<2xi64> {hal.tied = 4 : i32})
  attributes {hal.objects = [{path = "probe.o"}], hal.workgroups = array<i64: 2, 3, 4>}
func.func @main(%bits: tensor<?x3xi1>, %i32: i32, %halves: tensor<2x?xf16>, %f32: f32, %pair: tensor<2xi64>, %i1: i1, %f64: f64, %i8: i8)
    -> (tensor<23xi64>, tensor<?xbf16>, tensor<2xi64>, tensor<2xi64>) {
  %one = arith.constant 1 : index
  %n = tensor.dim %halves, %one : tensor<2x?xf16>
  %r:3 = call @probe(%bits, %i32, %halves, %f32, %pair, %i1, %f64, %n, %i8)
    : (tensor<?x3xi1>, i32, tensor<2x?xf16>, f32, tensor<2xi64>, i1, f64, index, i8) -> (tensor<23xi64>, tensor<?xbf16>, tensor<2xi64>)
  return %r#0, %r#1, %r#2, %pair : tensor<23xi64>, tensor<?xbf16>, tensor<2xi64>, tensor<2xi64>
}
