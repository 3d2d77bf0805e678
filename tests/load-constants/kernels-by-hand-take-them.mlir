// A kernel that the model declares takes what its object says, and the declaration does not.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c -I%include %S/Inputs/kernel.c -o k.o && hal-compile %s -o p.so -q && hal-run p.so --threads=3 --input=4xf32=1,2,3,4 --expect=4xf32=103,203,303,403
// RUN: clang -fPIC -c -I%include '-DLIST="cores"' %S/Inputs/kernel.c -o k.o && exits 1 hal-import %s 2>&1 | FileCheck %s
// CHECK: error[unknown-property]: kernel `@k`: `cores` (did you mean `device.cores`?) is not a device property
// CHECK: --> {{.*}}kernels-by-hand-take-them.mlir:[[#@LINE+4]]
// RUN: sed 's/hal.workgroups = /hal.load_constants = ["device.cores"], &/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: error[bad-form]: `@k` has `hal.load_constants`, and is no export

func.func private @k(tensor<4xf32>, index) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 2, 1, 1>}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c4 = arith.constant 4 : index
  %y = call @k(%x, %c4) : (tensor<4xf32>, index) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
