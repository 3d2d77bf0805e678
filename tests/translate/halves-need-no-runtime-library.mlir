// A CPU without conversions of 16-bit floats gets them in the object; only libm and libc are asked for.
// RUN: hal-translate %s --emit=obj --target=cpu:x86-64@x86_64-linux-gnu -o %t.o && llvm-nm -u %t.o | FileCheck %s --allow-empty
// RUN: llvm-nm --defined-only --extern-only %t.o | FileCheck %s --check-prefix=DEFINED
// RUN: hal-translate %s --emit=obj --target=cpu:@riscv64-linux-gnu -o %t.r.o && llvm-nm -u %t.r.o | FileCheck %s --allow-empty
// CHECK-NOT: __
// DEFINED-COUNT-1: T narrow
// DEFINED-NOT: T
func.func @narrow(%a: tensor<64xf64>, %b: tensor<64xf16>, %c: tensor<64xbf16>) -> (tensor<64xf16>, tensor<64xbf16>, tensor<64xf64>) {
  %x = arith.truncf %a : tensor<64xf64> to tensor<64xf16>
  %y = arith.mulf %x, %b : tensor<64xf16>
  %z = math.exp %y : tensor<64xf16>
  %s = arith.addf %c, %c : tensor<64xbf16>
  %w = arith.extf %b : tensor<64xf16> to tensor<64xf64>
  return %z, %s, %w : tensor<64xf16>, tensor<64xbf16>, tensor<64xf64>
}
