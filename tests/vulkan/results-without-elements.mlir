// A result that has no elements whatever its unknown sizes are is not written, and need not be.
// REQUIRES: vulkan
// RUN: hal-import %s | hal-translate --target=vulkan | hal-link -o %t.so
// RUN: hal-run %t.so --device=vulkan --input=1x0x2xf16= --input=3x0x2xf16= | FileCheck %s
// CHECK: shape=(4, 0, 2)
func.func @joined(%x: tensor<?x0x2xf16>, %y: tensor<?x0x2xf16>) -> tensor<?x0x2xf16> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?x0x2xf16>, tensor<?x0x2xf16>) -> tensor<?x0x2xf16>
  return %r : tensor<?x0x2xf16>
}
