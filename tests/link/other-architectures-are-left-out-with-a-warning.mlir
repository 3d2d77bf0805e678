// A linked program has one architecture: that of this machine, if the program has code for it. The code that is left out is named.
// REQUIRES: x86
// RUN: hal-compile %s --target=cpu:x86-64-v3,cpu:neoverse-n1@aarch64-linux-gnu -o %t.so 2>&1 | FileCheck %s
// CHECK: warning[left-out]: the code for `aarch64` is left out: the program is linked for `x86_64`
// CHECK: hint: a linked program has one architecture
// RUN: hal-compile %s --target=cpu:x86-64-v3,cpu:x86-64-v4 -o %t.so 2>&1 | FileCheck %s --check-prefix=ONE --allow-empty
// ONE-NOT: warning
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.add ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
