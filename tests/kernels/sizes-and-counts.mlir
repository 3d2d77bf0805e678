// Dynamic sizes are constants of a kernel; a function of the program computes its workgroups from them.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -I%include -c %S/Inputs/kernels.c -o kernels.o && clang -O2 -fPIC -c %S/Inputs/dot.c -o dot.o
// RUN: hal-import %s -o p.mlir && FileCheck %s < p.mlir && hal-translate p.mlir | hal-link -o p.so
// RUN: hal-run p.so --input=5000xf32=1 --input=5000xf32=2 --expect=5000xf32=9
// RUN: hal-run p.so --input=1xf32=1 --input=1xf32=2 --expect=1xf32=9
// CHECK: func.func @add_workgroups(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[N:.*]]: index) -> (index, index, index)
// CHECK: arith.ceildivsi %[[N]]
// The function that counts is in the executable; the host program has no use for it.
// CHECK-NOT: @blocks
func.func private @add(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {
  hal.objects = [{objects = [{path = "kernels.o"}, {path = "dot.o"}]}], hal.workgroups = @blocks}
func.func private @blocks(%a: index, %b: index, %out: index, %n: index) -> (index, index, index) {
  %size = arith.constant 1024 : index
  %one = arith.constant 1 : index
  %count = arith.ceildivsi %n, %size : index
  return %count, %one, %one : index, index, index
}
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %a, %zero : tensor<?xf32>
  %r = call @add(%a, %b, %n) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  %s = arith.mulf %r, %r : tensor<?xf32>
  return %s : tensor<?xf32>
}
