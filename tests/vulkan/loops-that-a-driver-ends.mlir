// llvmpipe ends all loops of a thread after 65535 iterations together; a kernel that needs more is refused there, not run wrongly.
// REQUIRES: vulkan
// RUN: hal-import %s | hal-translate --target=vulkan -O0 -o %t.o.mlir
// RUN: FileCheck %s --check-prefix=FEATURE --input-file=%t.o.mlir
// RUN: hal-link %t.o.mlir -o %t.so
// RUN: exits 3 hal-run %t.so --device=vulkan --input=70000x64xf32=1 2>&1 | FileCheck %s --check-prefix=LACKS
// The same sum by workgroups of threads takes few iterations each.
// RUN: hal-import %s | hal-translate --target=vulkan | hal-link -o %t.so
// RUN: hal-run %t.so --device=vulkan --input=70000x64xf32=1 --expect=64xf32=70000 --rtol=1e-6

// FEATURE: hal.features = ["LongLoops"]
// LACKS: error[missing-features]: device `vulkan:0` ({{.*}}) cannot run executable `sum_dispatch_0`
// LACKS: needs `LongLoops` (this driver ends all loops of a thread after 65535 iterations together)
// LACKS: hint: `--fallback=cpu` runs what the device cannot on the CPU
func.func @sum(%a: tensor<70000x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce ins(%a : tensor<70000x64xf32>) outs(%init : tensor<64xf32>) dimensions = [0]
    (%x: f32, %s: f32) { %t = arith.addf %x, %s : f32 linalg.yield %t : f32 }
  return %sum : tensor<64xf32>
}
