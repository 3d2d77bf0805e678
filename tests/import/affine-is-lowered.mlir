// Index arithmetic of the affine dialect, as torch-mlir writes it, is lowered at import.
// RUN: hal-import %s --to=input | FileCheck %s
// RUN: hal-compile %s -o %t.so && hal-run %t.so --input=7xf32=iota | FileCheck %s --check-prefix=RUNS
// CHECK-NOT: affine.
// CHECK: arith.
// RUNS: [1., 2.]
#half = affine_map<(d0)[s0] -> ((d0 + s0) floordiv 4)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = affine.apply #half(%n)[%c1]
  %k = affine.min affine_map<(d0) -> (d0, 5)>(%m)
  %r = tensor.extract_slice %x[1] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
