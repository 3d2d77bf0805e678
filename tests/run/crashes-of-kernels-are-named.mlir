// A kernel that crashes is named, with its workgroup, and with the address that it touched as its bindings see it.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O1 -fPIC -I%include -c %S/Inputs/bad.c -o bad.o && hal-compile %s -o p.so -q
// RUN: hal-run p.so --input=1 --input=0 --expect=1024xf32=1
// RUN: exits 4 hal-run p.so --input=1 --input=1 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// NULL: note: it writes memory through a null pointer
// NULL: note: it happened at byte {{[0-9]+}} of its code
// NULL: hint: `hal-run --guard` names
// RUN: exits 4 hal-run p.so --input=1 --input=11 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGFPE)
// DIVISION: note: it divides an integer by zero
// RUN: exits 4 hal-run p.so --input=1 --input=12 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=ABORT
// ABORT: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGABRT)
// ABORT: note: it called `abort`
// RUN: exits 4 hal-run p.so --input=1 --input=13 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGILL)
// TRAP: note: it executed an instruction that the CPU lacks, or a trap
// RUN: exits 4 hal-run p.so --input=1 --input=14 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIG{{SEGV|BUS}})
// STACK: note: its stack is full
// RUN: exits 4 hal-run p.so --input=1 --input=15 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// NOWHERE: note: it touches an invalid (non-canonical) address
// RUN: exits 4 hal-run p.so --input=1 --input=16 --expect=1024xf32=1 2>&1 | FileCheck %s --check-prefix=WILD
// WILD: error[kernel-crashed]: kernel `bad` crashed in workgroup 3,0,0 of 4,1,1 (SIGSEGV)
// WILD: note: it writes address 0x7ff000000000, which is near none of its bindings

// On whichever thread it runs; and messages may be JSON.
// RUN: exits 4 hal-run p.so --input=1 --input=14 --threads=3 2>&1 | FileCheck %s --check-prefix=STACK
// RUN: exits 4 hal-run p.so --input=1 --input=1 --message-format=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "code":"kernel-crashed"

// The same in hal-benchmark.
// RUN: exits 4 hal-benchmark p.so --input=1 --input=1 2>&1 | FileCheck %s --check-prefix=NULL

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
