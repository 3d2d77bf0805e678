// An executable alone, as hal-extract writes it, compiles as a model of its own.
// RUN: hal-compile %s -o %t.so
// RUN: hal-run %t.so --input=4xf32=1,2,3,4 | FileCheck %s
// CHECK: [2., 4., 6., 8.]
// RUN: hal-import %s | FileCheck %s --check-prefix=FORM
// FORM: module @twice attributes {hal.phase = "executables"
// FORM: func.func @twice_f32({{.*}}) -> tensor<4xf32> {
module @twice attributes {hal.executable, hal.version = 1 : i32} {
  func.func @twice_f32(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
