// A kernel that does not end is named when the time is over.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O1 -fPIC -I%include -c %S/Inputs/bad.c -o bad.o && hal-compile %s -o p.so -q
// RUN: exits 4 hal-run p.so --input=1 --input=22 --timeout=0.5 --expect=1024xf32=1 2>&1 | FileCheck %s
// RUN: exits 4 hal-benchmark p.so --input=1 --input=22 --timeout=500ms 2>&1 | FileCheck %s
// CHECK: error[timeout]: kernel `bad` is still running after 0.5 s, the time limit
// CHECK: note: kernel `bad` was in workgroup 3,0,0 of 4,1,1
// RUN: hal-run p.so --input=1 --input=0 --timeout=1m --expect=1024xf32=1
// RUN: exits 2 hal-run p.so --timeout=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: the duration is zero
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
