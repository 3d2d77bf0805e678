// The built-in pipeline file for executables, or a copy of it, takes the place of code generation down to loops.
// RUN: hal-compile %s -o %t.so --preprocess-executables-with=kernel-loops.yaml
// RUN: hal-run %t.so --input=1,2,3,4 --input=1,0,0,1 --input=1,1,1,1 --input=3 --expect=4,5,6,7
// RUN: hal-compile %s -o %t.so --preprocess-executables-with='kernel-loops.yaml{loops=convert-linalg-to-affine-loops,lower-affine}'
// RUN: hal-run %t.so --input=1,2,3,4 --input=1,0,0,1 --input=1,1,1,1 --input=3 --expect=4,5,6,7
// RUN: rm -rf %t && mkdir %t && hal-compile %s --to=executables --stage-path=%t --preprocess-executables-with=kernel-loops.yaml | FileCheck %s
// RUN: printf 'pipeline:\n  - transform: tile.mlir{rows=1 columns=1 depth=1}\n  - include: kernel-loops.yaml\n' > %t/mine.yaml
// RUN: hal-compile %s -o %t.so --stage-path=%t --preprocess-executables-with=mine.yaml
// RUN: hal-run %t.so --input=1,2,3,4 --input=1,0,0,1 --input=1,1,1,1 --input=3 --expect=4,5,6,7
// CHECK: func.func @main_dispatch_0{{.*}}(%arg0: memref<2x2xf32>
// CHECK-NOT: linalg
// CHECK: memref.store
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>, %n: index) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // The same argument is added to again and again; it must stay as it is.
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<2x2xf32> {
    %0 = linalg.matmul ins(%x, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %0 : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}
