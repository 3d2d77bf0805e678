// Objects of another format, architecture or kind are refused by name, as are objects that lack the kernel.
// RUN: mkdir -p %t && cd %t
// RUN: echo "int other;" | clang -x c - -c -o kernels.o && not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: echo "text" > kernels.o && not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: echo "int other;" | clang -x c - -shared -o kernels.o && not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: echo "int k;" | clang --target=aarch64-linux-gnu -x c - -c -o kernels.o && not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: echo "int k;" | clang -x c - -c -emit-llvm -o kernels.o && not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s --check-prefix=BITCODE
// RUN: head -c 100 /bin/sh > kernels.o && not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not ls a.so
// LACKS: error[missing-kernel]: no object defines `k`, which variant `cpu` of executable `e` exports
// TEXT: error[bad-object]: variant `cpu` of executable `e`: this is text of an unknown kind, not an ELF object
// SHARED: error[bad-object]: variant `cpu` of executable `e`: this is a shared object, not an ELF object
// ARCH: error[wrong-architecture]: variant `cpu` of executable `e` is for `aarch64`
// BITCODE: this is LLVM bitcode, not an ELF object
// CUT: error[bad-object]: variant `cpu` of executable `e`:
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @k(tensor<2xf32>) -> tensor<2xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
  }
  func.func private @k(tensor<2xf32>) -> tensor<2xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %r = call @k(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
