// A layer of a perceptron, lowered by each kind of stage: a schedule, pipeline files, schedules made in Python, alone and repeated; what comes out computes the same.
// RUN: hal-opt %s --stage=%S/Inputs/mlp/lower.mlir | FileCheck %s --check-prefix=LOOPS
// RUN: hal-opt %s --stage=%S/Inputs/mlp/all.yaml | FileCheck %s --check-prefix=LLVM
// RUN: hal-opt %s --stage=%S/Inputs/mlp/bundles/relative.yaml | FileCheck %s --check-prefix=LOOPS
// RUN: hal-opt %s --stage=%S/Inputs/mlp/lower.py | FileCheck %s --check-prefix=LOOPS
// RUN: hal-opt %s --stage='%S/Inputs/mlp/lower.py[]' --stage='%S/Inputs/mlp/lower.py{}' | FileCheck %s --check-prefix=LOOPS
// RUN: hal-opt %s --stage='%S/Inputs/mlp/lower.py[]{skip_llvm=False}' | FileCheck %s --check-prefix=LLVM
// RUN: hal-opt %s --stage='%S/Inputs/mlp/lower.py{skip_llvm=True}' | FileCheck %s --check-prefix=LOOPS
// RUN: hal-opt %s --stage='%S/Inputs/mlp/lower.py[gen=create_schedule]{skip_llvm}' | FileCheck %s --check-prefix=LOOPS
// RUN: hal-opt %s --stage=bufferize.yaml | FileCheck %s --check-prefix=BUFFERS
// RUN: hal-opt %s --stage=bufferize.yaml --stage=cleanup.yaml --stage=cleanup.yaml | FileCheck %s --check-prefix=BUFFERS
// RUN: hal-opt %s --stage=scalar-lowering.yaml | FileCheck %s --check-prefix=LLVM
// RUN: hal-opt %s --stage=scalar-lowering.yaml --stage=scalar-lowering.yaml | FileCheck %s --check-prefix=LLVM
// RUN: hal-opt %s --stage=%S/Inputs/mlp/lower.py --stage=llvm-lowering.yaml --stage=cleanup.yaml --stage=cleanup.yaml | FileCheck %s --check-prefix=LLVM
// LOOPS-NOT: linalg.
// LOOPS: func.func @layer(%{{.*}}: memref<8x16xf32>, %{{.*}}: memref<16x4xf32>, %{{.*}}: memref<4xf32>
// LOOPS-COUNT-3: scf.for
// LOOPS-NOT: linalg.
// BUFFERS: func.func @layer(%{{.*}}: memref<8x16xf32>
// BUFFERS: linalg.matmul ins(%{{.*}} : memref<8x16xf32>, memref<16x4xf32>)
// LLVM-NOT: linalg.
// LLVM: llvm.func @layer(%{{.*}}: !llvm.ptr
// LLVM-NOT: memref
//
// What they give runs, and gives 120 + 1 everywhere: 0 + 1 + … + 15, and the bias.
// RUN: hal-opt %s --stage=scalar-lowering.yaml | mlir-runner -e main --entry-point-result=f32 | FileCheck %s --check-prefix=RESULT
// RUN: hal-opt %s --stage='%S/Inputs/mlp/lower.py{skip_llvm=False}' | mlir-runner -e main --entry-point-result=f32 | FileCheck %s --check-prefix=RESULT
// RUN: hal-opt %s --stage=%S/Inputs/mlp/all.yaml | mlir-runner -e main --entry-point-result=f32 | FileCheck %s --check-prefix=RESULT
// RESULT: 1.21{{0*}}e+02
func.func @layer(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %product = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%zeros : tensor<8x4xf32>) -> tensor<8x4xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%product, %b : tensor<8x4xf32>, tensor<4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%p: f32, %bias: f32, %o: f32):
    %sum = arith.addf %p, %bias : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<8x4xf32>
  return %out : tensor<8x4xf32>
}
func.func @main() -> f32 {
  %one = arith.constant 1.0 : f32
  %x0 = tensor.empty() : tensor<8x16xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x0 : tensor<8x16xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %f = arith.sitofp %i : i32 to f32
    linalg.yield %f : f32
  } -> tensor<8x16xf32>
  %w0 = tensor.empty() : tensor<16x4xf32>
  %w = linalg.fill ins(%one : f32) outs(%w0 : tensor<16x4xf32>) -> tensor<16x4xf32>
  %b0 = tensor.empty() : tensor<4xf32>
  %b = linalg.fill ins(%one : f32) outs(%b0 : tensor<4xf32>) -> tensor<4xf32>
  %y = func.call @layer(%x, %w, %b) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %c3 = arith.constant 3 : index
  %r = tensor.extract %y[%c3, %c3] : tensor<8x4xf32>
  return %r : f32
}
