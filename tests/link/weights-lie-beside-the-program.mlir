// Large constants go to an archive beside the program, an archive that is there already stays; one that is missing or
// another one is an error.
// RUN: rm -rf %t && mkdir -p %t/in %t/out && cd %t && %python %S/Inputs/weights.py in/w.safetensors
// RUN: cp %s in/p.mlir && hal-link in/p.mlir -o out/p.so && ls out | FileCheck %s --check-prefix=FILES
// RUN: hal-run out/p.so | FileCheck %s
// RUN: hal-link in/p.mlir -o in/p.so && ls in | FileCheck %s --check-prefix=SAME && hal-run in/p.so | FileCheck %s
// RUN: hal-link - --weights-path=%t/in -o %t/out/p2.so < %t/in/p.mlir && hal-run %t/out/p2.so | FileCheck %s
// RUN: cp %t/in/p.so %t/out/moved.so && not hal-run %t/out/moved.so 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %python %S/Inputs/weights.py %t/in/w.safetensors other && not hal-run %t/in/p.so 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: rm %t/in/w.safetensors && not hal-link %t/in/p.mlir -o %t/out/r.so 2>&1 | FileCheck %s --check-prefix=NONE
// FILES: p.safetensors
// FILES-NEXT: p.so
// SAME: p.mlir
// SAME-NEXT: p.so
// SAME-NEXT: w.safetensors
// CHECK: [0., 1., 2.]
// CHECK: [7, 7]
// MISSING: error[missing-weights]: cannot read the weights
// OTHER: error[wrong-weights]: {{.*}} is not the weight archive that the program was linked with
// NONE: error[missing-weights]: the weights `w.safetensors` cannot be found
// NONE: hint: name their folder with `--weights-path=FOLDER`
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private @w(#ml_program.extern : tensor<3xf32>) : tensor<3xf32> {hal.parameter = {archive = "w.safetensors", key = "weight"}}
  ml_program.global private @v(#ml_program.extern : tensor<2xi32>) : tensor<2xi32> {hal.parameter = {archive = "w.safetensors", key = "bias"}}
  func.func @main() -> (tensor<3xf32>, tensor<2xi32>) {
    %w = ml_program.global_load_const @w : tensor<3xf32>
    %v = ml_program.global_load_const @v : tensor<2xi32>
    return %w, %v : tensor<3xf32>, tensor<2xi32>
  }
}
