// A function in Python makes the schedule; alone, in a pipeline file and on each executable, the result is what it would be without.
// RUN: hal-opt %s --stage='%S/schedules.py[gen=tile]{op=linalg.matmul sizes=[[32, 32], [8, 8]]}' | FileCheck %s --check-prefix=TWO
// RUN: hal-opt %s --stage='%S/schedules.py[gen=tile]{sizes=[[32, 16]] label=small}{inner=4}' | FileCheck %s --check-prefix=ONE
// RUN: hal-opt %s --stage='%S/lower.yaml{sizes=[[16, 16]]}' | FileCheck %s --check-prefix=BUNDLE
// TWO-COUNT-5: scf.for
// TWO: linalg.matmul {tiled} {{.*}} tensor<8x16xf32>, tensor<16x8xf32>
// ONE-COUNT-3: scf.for
// ONE: linalg.matmul {small} {{.*}} tensor<32x4xf32>, tensor<4x16xf32>
// BUNDLE-COUNT-3: scf.for
// BUNDLE: linalg.matmul {tiled} {{.*}} tensor<16x16xf32>, tensor<16x16xf32>
// RUN: hal-compile %s -o %t.so -q --preprocess-executables-with='%S/lower.yaml{inner=8}'
// RUN: hal-run %t.so --input=iota --input=iota --function=main -o %t.npy && hal-compile %s -o %t.plain.so -q
// RUN: hal-run %t.plain.so --input=iota --input=iota --expect=@%t.npy --rtol=1e-4
func.func @main(%a: tensor<64x48xf32>, %b: tensor<48x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x64xf32>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
