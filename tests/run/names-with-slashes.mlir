// A name may hold a slash, as tools that train models like them, if what follows `=` says that it is no file's name.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so --input=net/b:0=10 --input=net/a:0=3xf32=1,2,3 | FileCheck %s
// RUN: hal-run %t.so --input=net/a:0=iota --input=net/b:0=3xf32=11 -o net/sum:0=@%t.npy
// RUN: hal-run %t.so --input=net/b:0=@%t.npy --input=net/a:0=0 --expect=net/sum:0=@%t.npy -o net/sum:0=- | FileCheck %s
// CHECK: # output 0 `net/sum:0`: 3xf32
// CHECK-NEXT: array([11., 12., 13.], dtype=float32)

// Without `@`, all of it is the name of a file.
// RUN: exits 3 hal-run %t.so --input=net/a:0=x.npy 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot read `net/a:0=x.npy`
// FILE: hint: write `NAME=@FILE` where NAME holds a slash
func.func @main(%x: tensor<3xf32> {hal.name = "net/a:0"}, %y: tensor<3xf32> {hal.name = "net/b:0"})
    -> (tensor<3xf32> {hal.name = "net/sum:0"}) {
  %r = arith.addf %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
