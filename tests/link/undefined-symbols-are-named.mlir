// What objects need and nothing defines is named, with who needs it; libraries are searched for it.
// RUN: mkdir -p %t && cd %t
// RUN: clang -O2 -fPIC -c -I%S/../../common/runtime/include %S/Inputs/needs.c -o kernels.o
// RUN: not hal-link %s --object-path=. -o a.so 2>&1 | FileCheck %s
// RUN: clang -O2 -fPIC -c %S/Inputs/helper.c -o helper.o && rm -f libhelper.a && llvm-ar rc libhelper.a helper.o
// RUN: hal-link %s libhelper.a --object-path=. -o a.so && hal-run a.so --input=2xf32=3 | FileCheck %s --check-prefix=RESULT
// RUN: hal-link %s helper.o --object-path=. -o b.so && hal-run b.so --input=2xf32=3 | FileCheck %s --check-prefix=RESULT
// RUN: not hal-link %s helper.o helper.o --object-path=. -o c.so 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not hal-link %s --object-path=nowhere -o c.so 2>&1 | FileCheck %s --check-prefix=WHERE
// RUN: not ls c.so
// CHECK: error[undefined-symbol]: undefined symbol `helper`, needed by variant `cpu` of executable `k`
// CHECK: hint: pass the object or static archive that defines it to `hal-link`
// RESULT: [9., 9.]
// TWICE: error[duplicate-symbol]: symbol `helper` is defined twice
// WHERE: error[missing-object]: object `kernels.o` of variant `cpu` of executable `k` cannot be found
// WHERE: hint: name its folder with `--object-path=FOLDER`
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "kernels.o"}]} {
      func.func private @triple_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.export, hal.workgroups = @n}
      func.func private @n() -> (index, index, index) {
        %1 = arith.constant 1 : index
        return %1, %1, %1 : index, index, index
      }
    }
  }
  func.func private @triple_2(tensor<2xf32>) -> tensor<2xf32> attributes {hal.entry = @k::@triple_2}
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %r = call @triple_2(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
