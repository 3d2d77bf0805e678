// A pass for functions in a bare list runs on the functions of the module, as with mlir-opt's flags.
// RUN: hal-opt %s --stage='affine-loop-tile{tile-size=4}' | FileCheck %s
// RUN: hal-opt %s --affine-loop-tile=tile-size=4 | FileCheck %s

// CHECK: affine.for {{.*}} step 4
// CHECK: affine.for
func.func @copy(%a: memref<16xf32>, %b: memref<16xf32>) {
  affine.for %i = 0 to 16 {
    %x = affine.load %a[%i] : memref<16xf32>
    affine.store %x, %b[%i] : memref<16xf32>
  }
  return
}
