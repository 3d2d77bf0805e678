// The environment says what a tool works on; what the caller's environment says of it does not show through.
// RUN: env -u HALYARD_TEST_CACHE -u HALYARD_CACHE HALYARD_VARIANT=stale HALYARD_EXECUTABLE=stale hal-opt %S/Inputs/two.mlir --preprocess-target=cpu:x86-64-v3 --preprocess-target=cpu --preprocess-executables-with='env | grep ^HALYARD | grep -v CALL | sort >&2; cat' -o /dev/null 2>&1 | FileCheck %s
// CHECK: `env | grep ^HALYARD | grep -v CALL | sort >&2; cat` on executable `@first`:
// CHECK-NEXT: HALYARD_COUNT=2
// CHECK-NEXT: HALYARD_EXECUTABLE=first
// CHECK-NEXT: HALYARD_EXPORTS=first_add
// CHECK-NEXT: HALYARD_FORMAT=mlir
// CHECK-NEXT: HALYARD_HOOK=executable
// CHECK-NEXT: HALYARD_INDEX=0
// CHECK-NEXT: HALYARD_PHASE=executables
// CHECK-NEXT: HALYARD_PROGRAM=two
// CHECK-NEXT: HALYARD_PROTOCOL=1
// CHECK-NEXT: HALYARD_TARGET=#llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">
// CHECK-NEXT: on executable `@second`:
// CHECK: HALYARD_INDEX=1
// CHECK: HALYARD_TARGET=cpu:x86-64-v3;cpu

// What stands on its standard input is the executable alone, without names for attributes.
// RUN: hal-opt %S/Inputs/two.mlir --preprocess-executables-with='tee %t.$HALYARD_EXECUTABLE' -o /dev/null
// RUN: FileCheck %s --check-prefix=ALONE < %t.first
// ALONE: {{^}}module @first attributes {hal.executable, hal.version = 1 : i32} {
// ALONE: #llvm.target<triple =
// RUN: hal-opt %S/Inputs/two.mlir --preprocess-executables-with='cmd[bytecode]:tee %t.$HALYARD_EXECUTABLE.$HALYARD_FORMAT' -o /dev/null
// RUN: hal-opt %t.first.mlirbc | diff - %t.first
