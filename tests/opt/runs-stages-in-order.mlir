// Stages run in the order given, whether as `--stage`, as a list, as a pipeline or by mlir-opt's flags.
// RUN: hal-opt %s --stage=canonicalize --stage=cse | FileCheck %s
// RUN: hal-opt %s --stage=canonicalize,cse | FileCheck %s
// RUN: hal-opt %s --stage='builtin.module(func.func(canonicalize,cse))' | FileCheck %s
// RUN: hal-opt %s --pass-pipeline='builtin.module(canonicalize,cse)' | FileCheck %s
// RUN: hal-opt %s --canonicalize --cse | FileCheck %s
// RUN: hal-opt %s --canonicalize="max-iterations=3 top-down=true" --stage='cse' | FileCheck %s
// RUN: hal-opt %s --canonicalize --cse --timing -o %t 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: hal-opt %s --cse --canonicalize --timing -o %t 2>&1 | FileCheck %s --check-prefix=TURNED

// ORDER: canonicalize
// ORDER-NEXT: cse
// TURNED: cse
// TURNED-NEXT: canonicalize

// CHECK-LABEL: func.func @same
// CHECK: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @same(%x: f32) -> f32 {
  %a = arith.mulf %x, %x : f32
  %b = arith.mulf %x, %x : f32
  %c = arith.addf %a, %b : f32
  return %c : f32
}
