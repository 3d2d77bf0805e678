// Variants for several feature levels live in one program; the best that the CPU supports runs.
// REQUIRES: x86
// RUN: mkdir -p %t && cd %t
// RUN: clang -O2 -fPIC -c -DFACTOR=2 -I%S/../../common/runtime/include %S/Inputs/scale.c -o plain.o
// RUN: clang -O2 -fPIC -c -DFACTOR=3 -I%S/../../common/runtime/include %S/Inputs/scale.c -o best.o
// RUN: hal-link %s --object-path=. -o a.so && hal-run a.so --input=2xf32=1 | FileCheck %s
// RUN: sed 's/+popcnt/+sve2/' %s | hal-link --object-path=. -o b.so && hal-run b.so --input=2xf32=1 | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/+popcnt/+sve2/; s/"x86-64"/"x86-64", features = <["+sve"]>/' %s | hal-link --object-path=. -o c.so && not hal-run c.so --input=2xf32=1 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: [3., 3.]
// PLAIN: [2., 2.]
// NONE: error[missing-features]: this CPU cannot run executable `e`: it lacks features of every variant
// NONE-DAG: variant `best` needs `sve2`
// NONE-DAG: variant `plain` needs `sve`
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    module @plain attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "plain.o"}]} {
      func.func private @scale_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
    module @best attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "generic", features = <["+popcnt"]>>, hal.objects = [{format = "elf", path = "best.o"}]} {
      func.func private @scale_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        %2 = arith.constant 2 : index
        return %2, %1, %1 : index, index, index
      }
    }
  }
  func.func private @scale_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.entry = @e::@scale_2}
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %r = call @scale_2(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
