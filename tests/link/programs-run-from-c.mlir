// REQUIRES: libhalyard
// The runtime as a C library.
// RUN: hal-link %s -o %t.so
// RUN: clang -Wall -Werror -I%S/../../common/runtime/include %S/Inputs/from_c.c -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -o %t.exe
// RUN: %t.exe %t.so | FileCheck %s
// CHECK: all is well
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<?xf32> {hal.name = "x"}) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
