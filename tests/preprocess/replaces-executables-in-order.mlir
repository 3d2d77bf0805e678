// Tools run one after the other on each executable; the result does not depend on -j or on who finishes first.
// RUN: hal-opt %S/Inputs/two.mlir --preprocess-executables-with='sed s/addf/subf/' --preprocess-executables-with='builtin.module(func.func(canonicalize))' --preprocess-executables-with='sed s/subf/divf/' | FileCheck %s
// CHECK: func.func @first_add
// CHECK: arith.divf
// CHECK: func.func @second_mul
// CHECK: arith.mulf

// RUN: %python %S/Inputs/many.py 12 > %t.mlir
// RUN: hal-opt %t.mlir -j1 --preprocess-executables-with='sed s/addf/subf/' -o %t.1.mlir
// RUN: hal-opt %t.mlir -j12 --preprocess-executables-with='sleep 0.$((12 - HALYARD_INDEX)); sed s/addf/subf/' -o %t.12.mlir
// RUN: cmp %t.1.mlir %t.12.mlir
// RUN: FileCheck %s --check-prefix=MANY < %t.12.mlir
// MANY-COUNT-12: arith.subf

// An identity changes no byte, whatever form it takes.
// RUN: hal-opt %S/Inputs/two.mlir -o %t.plain.mlir
// RUN: hal-opt %S/Inputs/two.mlir --preprocess-executables-with=cat -o %t.cat.mlir
// RUN: hal-opt %S/Inputs/two.mlir --preprocess-executables-with='cmd[bytecode]:mlir-opt --emit-bytecode' -o %t.mlir-opt.mlir
// RUN: cmp %t.plain.mlir %t.cat.mlir
// RUN: cmp %t.plain.mlir %t.mlir-opt.mlir
