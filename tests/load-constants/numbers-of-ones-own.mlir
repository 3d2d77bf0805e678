// A kernel takes a number that is given when the program is loaded, by a flag of hal-run and hal-benchmark.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c -I%include '-DLIST="user.bias,device.cores"' %S/Inputs/kernel.c -o k.o && hal-compile %s -o p.so -q
// RUN: hal-run p.so --constant=bias=7 --input=4xf32=1,2,3,4 --expect=4xf32=107,207,307,407
// RUN: hal-run p.so --constant=user.bias=-7 --input=4xf32=1,2,3,4 --expect=4xf32=93,193,293,393
// RUN: hal-benchmark p.so --constant=bias=7 --runs=1 --min-time=0 | FileCheck %s --check-prefix=BENCH
// BENCH: main
// RUN: hal-run p.so --list | FileCheck %s --check-prefix=LIST
// LIST: 1 constants, user.bias, device.cores
// A benchmark of the kernel needs it, too.
// RUN: hal-import %s | hal-extract --as=benchmark --constant=bias=7 --to=. -o i.mlir && hal-compile k_kernel.benchmark.mlir -o b.so -q && hal-run b.so --constant=bias=7 --check
// RUN: exits 1 hal-run b.so --constant=bias=8 --check 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: differs from the expected output

// RUN: exits 2 hal-run p.so --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[missing-constant]: the program needs a value for `bias`
// MISSING: note: `bias` is taken by kernel `k`
// MISSING: hint: `--constant=bias=NUMBER`
// RUN: hal-run p.so --constant=bias=7 --constant=tile=1 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: warning[idle-constant]: no kernel of the program takes `user.tile`
// RUN: exits 2 hal-run p.so --constant=bias --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: write NAME=N
// RUN: exits 2 hal-run p.so --constant=bias=x --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: `x` is no whole number
// RUN: clang -fPIC -c -I%include '-DLIST="user.,device.cores"' %S/Inputs/kernel.c -o k.o && exits 1 hal-import %s 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error[unknown-property]: kernel `@k`: `user.` is not a device property; there are {{.*}}, and `user.NAME`, a number of your own
func.func private @k(tensor<4xf32>, index) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c4 = arith.constant 4 : index
  %y = call @k(%x, %c4) : (tensor<4xf32>, index) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
