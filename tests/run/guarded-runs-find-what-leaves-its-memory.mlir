// --guard finds kernels that reach outside their bindings or leave a part of a result, and no others.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O1 -fPIC -I%include -c %S/Inputs/bad.c -o bad.o && hal-compile %s -o p.so -q
// RUN: hal-run p.so --guard --input=1 --input=0 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=GOOD
// GOOD: note: guarded 1 dispatch
// A result in place may be written in part.
// RUN: hal-run p.so --guard --function=in_place --input=1,2,3,4 --expect=2,4,3,4
// RUN: hal-run p.so --guard --function=small --input=3 --input=0 --expect=100xf32=3
// RUN: exits 4 hal-run p.so --input=1 --input=1 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// NULL: note: it writes memory through a null pointer
// RUN: exits 4 hal-run p.so --input=1 --input=2 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// FAR: note: it writes 16384 bytes past the end of binding 1, which it writes and which has 4096 bytes
// RUN: exits 4 hal-run p.so --input=1 --input=3 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// ONE: note: it writes right behind the end of binding 1, which it writes and which has 4096 bytes
// RUN: exits 4 hal-run p.so --input=1 --input=4 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=UNDER
// UNDER: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// UNDER: note: it writes 4 bytes before binding 1, which it writes and which has 4096 bytes
// RUN: exits 4 hal-run p.so --input=1 --input=5 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// INPUT: note: it writes byte 12 of binding 0, which it only reads and which has 4096 bytes
// RUN: exits 4 hal-run p.so --input=1 --input=6 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=READ
// READ: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// READ: note: it reads right behind the end of binding 0, which it only reads and which has 4096 bytes
// RUN: exits 4 hal-run p.so --input=1 --input=7 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=READUNDER
// READUNDER: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// READUNDER: note: it reads 8 bytes before binding 0, which it only reads and which has 4096 bytes
// RUN: exits 1 hal-run p.so --input=1 --input=8 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=PART
// PART: error[unwritten-result]: kernel `bad` leaves part of a result unwritten
// PART: note: it leaves 20 of the 4096 bytes of binding 1, the first of them byte 4076
// PART: note: in dispatch 0 of the call: 4,1,1 workgroups, with constants 8
// RUN: exits 1 hal-run p.so --input=1 --input=10 --guard --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=POISON
// POISON: error[unstable-result]: kernel `bad` computes different results from the same inputs
// POISON: note: binding 1 differs between two runs from byte {{[0-3]}} on
// POISON: hint: does it read a result that it has not written

// Where memory cannot end with the binding, what lies between is looked at.
// RUN: exits 1 hal-run p.so --guard --function=small --input=1 --input=1 2>&1 | FileCheck %s --check-prefix=GAP
// GAP: error[out-of-bounds]: kernel `little` writes outside its bindings
// GAP: note: it writes right behind the end of binding 1, which it writes and which has 400 bytes
// GAP: note: in dispatch 0 of the call: 1,1,1 workgroups, with constants 1
// RUN: exits 1 hal-run p.so --guard --function=small --input=1 --input=2 2>&1 | FileCheck %s --check-prefix=BYTE
// BYTE: error[out-of-bounds]: kernel `little` writes outside its bindings
// BYTE: note: it writes 3 bytes past the end of binding 1
// RUN: exits 1 hal-run p.so --guard --function=small --input=1 --input=3 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error[out-of-bounds]: kernel `little` writes outside its bindings
// BEFORE: note: it writes 400 bytes before binding 1
// RUN: exits 4 hal-run p.so --guard --function=small --input=1 --input=4 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: error[kernel-crashed]: kernel `little` crashed in workgroup 0,0,0 of 1,1,1 (SIGSEGV)
// BEHIND: note: it writes 800 bytes past the end of binding 1
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
