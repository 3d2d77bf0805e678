// A kernel, or code that runs when the program is loaded, cannot end the process in such a way that all seems well.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O1 -fPIC -I%include -c %S/Inputs/bad.c -o bad.o && hal-compile %s -o p.so -q
// RUN: exits 4 hal-run p.so --input=1 --input=20 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error[ended-early]: kernel `bad` ended the process, with exit code 0
// ZERO: note: kernel `bad` was in workgroup 3,0,0 of 4,1,1
// ZERO: note: later steps did not run: results were not compared
// RUN: exits 4 hal-run p.so --input=1 --input=21 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=NINE
// NINE: error[ended-early]: kernel `bad` ended the process, with exit code 9
// RUN: exits 4 hal-benchmark p.so --input=1 --input=20 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: clang -O1 -fPIC -I%include -c %S/Inputs/bad.c -o bad.o -DAT_LOAD && hal-compile %s -o l.so -q
// RUN: exits 4 hal-run l.so --input=1 --input=0 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: error[ended-early]: code that runs when `l.so` is loaded ended the process, with exit code 0
// RUN: clang -O1 -fPIC -I%include -c %S/Inputs/bad.c -o bad.o -DAT_UNLOAD && hal-compile %s -o u.so -q
// RUN: exits 4 hal-run u.so --input=1 --input=0 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=UNLOAD
// UNLOAD: error[ended-early]: code that runs when `u.so` is unloaded ended the process, with exit code 0

// One that is killed from outside is told, too.
// RUN: not hal-run p.so --input=1 --input=23 2>&1 | FileCheck %s --check-prefix=KILLED
// KILLED: error[ended-early]: kernel `bad` was ended by signal 9 (SIGKILL)
// KILLED: hint: is memory exhausted?
func.func private @bad(tensor<1024xf32>, index) -> tensor<1024xf32> attributes {
  hal.objects = [{objects = [{path = "bad.o"}]}], hal.workgroups = array<i64: 4, 1, 1>}
func.func private @little(tensor<100xf32>, index) -> tensor<100xf32> attributes {
  hal.objects = [{objects = [{path = "bad.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func private @twice(tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {
  hal.objects = [{objects = [{path = "bad.o"}]}], hal.workgroups = array<i64: 2, 1, 1>}
func.func @main(%x: tensor<1024xf32>, %how: index) -> tensor<1024xf32> {
  %r = call @bad(%x, %how) : (tensor<1024xf32>, index) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}
func.func @small(%x: tensor<100xf32>, %how: index) -> tensor<100xf32> {
  %r = call @little(%x, %how) : (tensor<100xf32>, index) -> tensor<100xf32>
  return %r : tensor<100xf32>
}
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
