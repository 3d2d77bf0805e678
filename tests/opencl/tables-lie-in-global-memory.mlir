// A table of a kernel is a variable of the module in global memory, with or without LLVM's passes.
// RUN: hal-translate --target=opencl --emit=obj --executable=table %s -o %t.spv
// RUN: spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --implicit-check-not=Generic
// RUN: hal-translate --target=opencl -O0 --emit=obj --executable=table %s -o %t.plain.spv
// RUN: spirv-val --target-env opencl2.2 %t.plain.spv
// RUN: spirv-dis %t.plain.spv | FileCheck %s --implicit-check-not=Generic
// CHECK: OpVariable %{{.*}} CrossWorkgroup
func.func @table(%a: tensor<1000xf32>) -> tensor<1000xf32> {
  %line = tensor.empty() : tensor<1000xf32>
  %numbers = arith.constant dense<[1.0, 2.0, 4.0, 8.0, 16.0]> : tensor<5xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<1000xf32>) outs(%line : tensor<1000xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %five = arith.constant 5 : index
    %at = arith.remui %i, %five : index
    %v = tensor.extract %numbers[%at] : tensor<5xf32>
    %s = arith.addf %x, %v : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  return %table : tensor<1000xf32>
}
