// A program for another architecture is linked without its system libraries; this machine refuses to load it.
// REQUIRES: x86
// RUN: mkdir -p %t && cd %t
// RUN: clang --target=aarch64-linux-gnu -ffreestanding -O2 -fPIC -c -I%S/../../common/runtime/include %S/Inputs/root.c -o kernels.o
// RUN: hal-link %s --object-path=. -o a.so && llvm-readelf -hd --dyn-syms a.so | FileCheck %s
// RUN: not hal-run a.so --input=2xf32=1 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: clang --target=riscv64-linux-gnu -ffreestanding -O2 -fPIC -c -I%S/../../common/runtime/include %S/Inputs/root.c -o kernels.o
// RUN: sed 's/aarch64-/riscv64-/; s/"generic"/"generic-rv64"/' %s | hal-link --object-path=. -o r.so && llvm-readelf -h r.so | FileCheck %s --check-prefix=RISCV
// RUN: sed 's/aarch64-/sparc64-/' %s | not hal-link --object-path=. -o s.so 2>&1 | FileCheck %s --check-prefix=SPARC
// RISCV: Machine: RISC-V
// SPARC: error[wrong-architecture]: variant `arm` of executable `e` is for `riscv64`, variant `arm` of executable `e` for `sparc64`
// CHECK: Machine: AArch64
// CHECK: Shared library: [libm.so.6]
// CHECK-DAG: root_2
// CHECK-DAG: expf
// HERE: error[wrong-machine]: the program was linked for `aarch64`, this machine is `x86_64`
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    module @arm attributes {hal.variant, hal.target = #llvm.target<triple = "aarch64-unknown-linux-gnu", chip = "generic">, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @root_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
  }
  func.func private @root_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.entry = @e::@root_2}
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %r = call @root_2(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
