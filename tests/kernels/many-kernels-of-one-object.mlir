// Kernels of several declarations may be in one object, for several targets; programs that have the same kernel are merged.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c %S/Inputs/dot.c -o dot.o
// RUN: clang -O2 -fPIC -I%include -c %S/Inputs/kernels.c -o kernels.o && clang -O2 -fPIC -DWHICH=2 -I%include -c %S/Inputs/kernels.c -o best.o
// RUN: hal-compile %s -o p.so -q && hal-run p.so --input=4x8xf32=2 --input=8x16xf32=0.5 --expect=4x16xf32=8 --expect=4xf32=6
// RUN: hal-compile %s --to=objects -o p.mlir && sed 's/@main/@other/g' p.mlir > q.mlir && hal-link p.mlir q.mlir -o both.so
// RUN: hal-run both.so --function=main --input=4x8xf32=2 --input=8x16xf32=0.5 --expect=4x16xf32=8 --expect=4xf32=6
// RUN: hal-run both.so --function=other --input=4x8xf32=2 --input=8x16xf32=0.5 --expect=4x16xf32=8 --expect=4xf32=6
// REQUIRES: x86
func.func private @matmul(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> attributes {hal.workgroups = array<i64: 4>, hal.objects = [
  {features = ["sse4.2"], objects = [{path = "best.o"}, {path = "dot.o"}]}, {objects = [{path = "kernels.o"}, {path = "dot.o"}]}]}
func.func private @scale(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.workgroups = array<i64: 1>, hal.objects = [
  {features = ["sse4.2"], objects = [{path = "best.o"}, {path = "dot.o"}]}, {objects = [{path = "kernels.o"}, {path = "dot.o"}]}]}
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4xf32>) {
  %r = call @matmul(%a, %b) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %three = arith.constant dense<3.0> : tensor<4xf32>
  %two = arith.constant 2.0 : f32
  %s = call @scale(%three, %two) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %r, %s : tensor<4x16xf32>, tensor<4xf32>
}
