// The hook `object` on code for GPUs: a reply must be of the same kind and have the same kernels.
// RUN: hal-import %s | hal-translate --target=vulkan,cuda:sm_80 -o %t.mlir
// RUN: hal-opt %t.mlir --preprocess-objects-with='echo $HALYARD_VARIANT $HALYARD_FORMAT >&2; cat' -o %t.same.mlir 2>&1 | FileCheck %s --check-prefix=ENV
// ENV-DAG: vulkan spirv
// ENV-DAG: cuda_sm_80 ptx
// RUN: hal-opt %t.mlir | cmp - %t.same.mlir
// RUN: hal-opt %t.mlir --preprocess-objects-with='if [ $HALYARD_FORMAT = ptx ]; then sed s/sm_80/sm_75/; else cat; fi' -o /dev/null
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='echo text' 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error[bad-object]: the reply is {{.*}}, not
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='head -c 400' 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error[bad-object]: the reply: the {{SPIR-V module|PTX}} is damaged
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='if [ $HALYARD_FORMAT = ptx ]; then sed s/sm_80/sm_90/; else cat; fi' 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: error[bad-object]: the reply is for `sm_90`, the original for `sm_80`
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='if [ $HALYARD_FORMAT = ptx ]; then sed "s/entry main_dispatch/entry other_dispatch/"; else cat; fi' 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error[bad-object]: the reply lacks the kernel `main_dispatch_0
// RUN: exits 4 hal-opt %t.mlir --preprocess-objects-with='if [ $HALYARD_FORMAT = spirv ]; then sed s/main_dispatch/niam_dispatch/; else cat; fi' 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error[bad-object]: the reply lacks the entry point `main_dispatch_0
// ENTRY: note: it has `niam_dispatch_0
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
