// A kernel can have all properties of the device; they are plausible.
// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c -I%include %S/Inputs/all.c -o k.o && hal-compile %s -o p.so -q && hal-run p.so --threads=5 --output=out.npy && %python %S/Inputs/plausible.py out.npy
func.func private @k() -> tensor<12xi64> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
func.func @main() -> tensor<12xi64> {
  %y = call @k() : () -> tensor<12xi64>
  return %y : tensor<12xi64>
}
