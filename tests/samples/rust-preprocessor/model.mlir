// Scales by 1 / 8 and by 1 / 3, and its test: see README.md.
// RUN: rm -rf %t && mkdir %t && cd %t && rustc -O --edition 2024 %S/reciprocals.rs -o reciprocals
// RUN: hal-opt --check-preprocessor=./reciprocals 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: hal-opt --check-preprocessor='./reciprocals --inexact' 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: 10 of 10 checks pass
// RUN: hal-compile %s --to=executables --preprocess-executables-with=./reciprocals -o exact.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: ` on executable `@main_dispatch_0`:
// SAID-NEXT: 1 division(s) by constants became products
// RUN: FileCheck %s < exact.mlir
// CHECK: arith.mulf
// CHECK: arith.divf
// RUN: hal-compile %s --to=executables --preprocess-executables-with='./reciprocals --inexact' -o inexact.mlir -q && FileCheck %s --check-prefix=INEXACT < inexact.mlir
// INEXACT-NOT: arith.divf
// Exact is exact; the other one differs in the last digit.
// RUN: hal-compile -q %s -o plain.so && hal-compile -q exact.mlir -o exact.so && hal-compile -q inexact.mlir -o inexact.so
// RUN: hal-run plain.so --input=random:1 -o y.npy && hal-run exact.so --input=random:1 --expect=@y.npy --rtol=0 --atol=0
// RUN: hal-run inexact.so --input=random:1 --expect=@y.npy --rtol=1e-6
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %eight = arith.constant 8.0 : f32
  %three = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<1000xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1000xf32>) outs(%empty : tensor<1000xf32>) {
  ^bb0(%value: f32, %unused: f32):
    %eighth = arith.divf %value, %eight : f32
    %both = arith.divf %eighth, %three : f32
    linalg.yield %both : f32
  } -> tensor<1000xf32>
  return %scaled : tensor<1000xf32>
}
