// Where a CPU has no masked loads of bytes, whole vectors inside a padded image are loaded without a mask.
// RUN: hal-translate --target=cpu:x86-64-v3 --emit=llvm %s -o - | FileCheck %s
// RUN: hal-translate --target=cpu:x86-64-v4 --emit=llvm %s -o - | FileCheck %s --check-prefix=MASKS
// CHECK-LABEL: define {{.*}}@padded
// CHECK: load <{{[0-9]+}} x i8>
// CHECK: call <{{[0-9]+}} x i8> @llvm.masked.load
// MASKS-LABEL: define {{.*}}@padded
// MASKS-NOT: load <{{[0-9]+}} x i8>
// MASKS: call <{{[0-9]+}} x i8> @llvm.masked.load
func.func @padded(%x: tensor<8x32x200xi8>) -> tensor<8x34x202xi8> {
  %zero = arith.constant 0 : i8
  %padded = tensor.pad %x low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%c: index, %h: index, %w: index):
    tensor.yield %zero : i8
  } : tensor<8x32x200xi8> to tensor<8x34x202xi8>
  return %padded : tensor<8x34x202xi8>
}
