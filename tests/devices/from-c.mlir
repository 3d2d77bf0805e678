// In C a loader says what programs run on, and hears the driver.
// REQUIRES: libhalyard, validation
// RUN: hal-link %s -o %t.so
// RUN: clang -Wall -Werror -I%include %S/Inputs/from_c.c -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -o %t.exe
// RUN: %t.exe %t.so | FileCheck %s
// CHECK: all is well
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    return %x : tensor<3xf32>
  }
}
