// With --debug-symbols, what is installed is stripped, and gdb finds the symbols beside it: all frames from a kernel to the application have names.
// REQUIRES: x86, gdb, libhalyard
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %install --prefix=/opt/halyard --destdir=%t/root --only=runtime,dev --debug-symbols
// RUN: llvm-nm root/opt/halyard/lib/libhalyard.so.0 2>&1 | FileCheck %s --check-prefix=STRIPPED
// STRIPPED: no symbols
// RUN: ls root/opt/halyard/lib/.debug | FileCheck %s --check-prefix=TWIN
// TWIN: libhalyard.so.{{.*}}.debug
// RUN: hal-compile %s -g -o model.so -q
// RUN: clang -g -gdwarf-4 -Iroot/opt/halyard/include %S/Inputs/call.c -Lroot/opt/halyard/lib -lhalyard -Wl,-rpath,%t/root/opt/halyard/lib -o call
// RUN: gdb -batch -nx -ex 'set breakpoint pending on' -ex 'break main_dispatch_0.mlir:4' -ex run -ex bt --args ./call model.so 2>&1 | FileCheck %s
// CHECK:      Breakpoint 1, main_dispatch_0_elementwise_exp_8_f32 () at main_dispatch_0.mlir:4
// CHECK:      #1 {{.*}}halyard_invoke ()
// CHECK:      halyard_runtime::{{.*}} at common/runtime/src/
// CHECK-NOT:  in ?? ()
// CHECK:      halyard_instance_call
// CHECK:      main (argc=2, {{.*}} at {{.*}}call.c:
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %t : tensor<8xf32>
}
