// Element types, functions and edges: what a device may lack is said, what SPIR-V lacks is refused.
// RUN: hal-import %s -o %t.mlir

// The extrema spread NaN and know the sign of zeros, which OpenCL's `fmax` does not; a remainder is exact.
// RUN: hal-translate --target=opencl --emit=obj --executable=main_dispatch_0 %t.mlir -o %t.spv
// RUN: spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=EDGES --implicit-check-not=fmax --implicit-check-not=OpFRem
// EDGES: OpBitwiseAnd
// EDGES: OpUnordered
// EDGES: fmod
// RUN: hal-translate --target=opencl -O0 --emit=obj --executable=main_dispatch_0 %t.mlir -o %t.plain.spv
// RUN: spirv-val --target-env opencl2.2 %t.plain.spv
// RUN: spirv-dis %t.plain.spv | FileCheck %s --check-prefix=EDGES --implicit-check-not=fmax --implicit-check-not=OpFRem

// Functions of the C library become OpenCL's.
// RUN: hal-translate --target=opencl -O0 --emit=obj --executable=main_dispatch_1 %t.mlir -o %t.functions.spv
// RUN: spirv-val --target-env opencl2.2 %t.functions.spv
// RUN: spirv-dis %t.functions.spv | FileCheck %s --check-prefix=FUNCTIONS
// FUNCTIONS: OpExtInst %double {{.*}} erf
// FUNCTIONS: OpExtInst %double {{.*}} cbrt
// FUNCTIONS: OpExtInst %double {{.*}} pow

// Features: `f64` and `f16` are optional. (The validator cannot know which extensions a device of OpenCL 2.2 has.)
// RUN: hal-translate --target=opencl --executable=main_dispatch_2 --emit=obj %t.mlir -o %t.half.spv
// RUN: spirv-val %t.half.spv
// RUN: grep -v bf16 %s > %t.source.mlir
// RUN: hal-import %t.source.mlir -o - | hal-translate --target=opencl -o - | FileCheck %s --check-prefix=NEEDS
// NEEDS: module @main_dispatch_0
// NEEDS: hal.features = []
// NEEDS: module @main_dispatch_1
// NEEDS: hal.features = ["Float64"]
// NEEDS: module @main_dispatch_2
// NEEDS: hal.features = ["Float16"]

// SPIR-V 1.2 has no bf16.
// RUN: not hal-translate --target=opencl --emit=obj --executable=main_dispatch_3 %t.mlir -o %t.brain.spv 2>&1 | FileCheck %s --check-prefix=BRAIN
// BRAIN: error[unsupported-type]: executable `@main_dispatch_3` for `opencl`: arithmetic in `bf16` is not possible on `opencl`: SPIR-V 1.2 has no such type
func.func @main(%a: tensor<1000xf32>, %b: tensor<1000xf32>, %d: tensor<1000xf64>, %h: tensor<1000xf16>
    , %t: tensor<1000xbf16>
    ) -> (tensor<1000xf32>, tensor<1000xf64>, tensor<1000xf16>
    , tensor<1000xbf16>
    ) {
  %line = tensor.empty() : tensor<1000xf32>
  %edges = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%line : tensor<1000xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.maximumf %x, %y : f32
    %f = arith.remf %m, %y : f32
    linalg.yield %f : f32
  } -> tensor<1000xf32>
  %long = tensor.empty() : tensor<1000xf64>
  %functions = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d : tensor<1000xf64>) outs(%long : tensor<1000xf64>) {
  ^bb0(%x: f64, %o: f64):
    %e = math.erf %x : f64
    %c = math.cbrt %e : f64
    %p = math.powf %c, %x : f64
    linalg.yield %p : f64
  } -> tensor<1000xf64>
  %short = tensor.empty() : tensor<1000xf16>
  %half = linalg.add ins(%h, %h : tensor<1000xf16>, tensor<1000xf16>) outs(%short : tensor<1000xf16>) -> tensor<1000xf16>
  %empty = tensor.empty() : tensor<1000xbf16>
  %brain = linalg.add ins(%t, %t : tensor<1000xbf16>, tensor<1000xbf16>) outs(%empty : tensor<1000xbf16>) -> tensor<1000xbf16>
  return %edges, %functions, %half
    , %brain // bf16
    : tensor<1000xf32>, tensor<1000xf64>, tensor<1000xf16>
    , tensor<1000xbf16>
}
