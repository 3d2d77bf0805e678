// A result that is tied to an argument is the argument's buffer; who still reads the argument keeps its value.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -I%include -c %S/Inputs/kernels.c -o kernels.o && clang -O2 -fPIC -c %S/Inputs/dot.c -o dot.o
// RUN: hal-compile %s -o p.so -q && hal-run p.so --input=4xf32=3 --expect=4xf32=6 --expect=4xf32=3
func.func private @scale(tensor<4xf32>, f32) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {
  hal.objects = [{objects = [{path = "kernels.o"}, {path = "dot.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = arith.constant 2.0 : f32
  %r = call @scale(%x, %two) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %r, %x : tensor<4xf32>, tensor<4xf32>
}
