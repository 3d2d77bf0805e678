// What no family of kernels takes and needs more memory than a thread has is refused; the message says why no family takes it.
// RUN: exits 1 hal-translate %s --target=vulkan 2>&1 | FileCheck %s
// CHECK: error[unsupported-op]: executable `@k` for `vulkan`: it keeps 120000 bytes of intermediate results or more
// CHECK: note: plain loops keep these in private memory, of which a thread has 65536 bytes
// CHECK: note: no kernel family supports it: `scf.for`
// CHECK: hint: split it
func.func @k(%x: tensor<300x100xf32>) -> tensor<300x100xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 300 : index
  %e = tensor.empty() : tensor<300x100xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<300x100xf32> {
    %s = linalg.softmax dimension(1) ins(%a : tensor<300x100xf32>) outs(%e : tensor<300x100xf32>) -> tensor<300x100xf32>
    scf.yield %s : tensor<300x100xf32>
  }
  return %r : tensor<300x100xf32>
}
