// gdb stops in generated kernels by MLIR line, steps by line, and shows the host's frames; hand-written kernels keep their own lines.
// REQUIRES: x86, gdb
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/scale.c scale.c && clang -g -O1 -fPIC -c scale.c -o scale.o
// RUN: hal-compile %s -g -o model.so -q
// RUN: gdb -batch -nx -ex 'set breakpoint pending on' -ex 'break main_dispatch_0.mlir:4' -ex run -ex bt -ex next -ex continue --args hal-run model.so --input=1 --threads=1 2>&1 | FileCheck %s --check-prefix=BREAK
// BREAK:      Breakpoint 1, main_dispatch_0_elementwise_exp_4_f32 () at main_dispatch_0.mlir:4
// BREAK:      4 {{.*}} = linalg.exp
// BREAK-NEXT: #0 main_dispatch_0_elementwise_exp_4_f32 () at main_dispatch_0.mlir:4
// BREAK-NEXT: #1 {{.*}} in halyard_invoke ()
// BREAK:      in halyard_runtime::
// BREAK-NOT:  in ?? ()
// BREAK:      main ()
// BREAK:      {{^[25].*(func.func @main_dispatch_0|return)}}

// From the host into the kernels, in the order in which they run: `halyard_invoke` calls each.
// RUN: gdb -batch -nx -ex 'break halyard_invoke' -ex run -ex step -ex 'info args' -ex next -ex continue -ex step -ex 'info source' --args hal-run model.so --input=1 --threads=1 2>&1 | FileCheck %s --check-prefix=STEP
// STEP:      Breakpoint 1, {{.*}}halyard_invoke ()
// STEP-NEXT: Single stepping until exit from function halyard_invoke
// STEP:      scale (in={{0x[0-9a-f]+}}, out={{0x[0-9a-f]+}}) at scale.c:
// STEP:      in = 0x
// STEP:      out[i] = in[i] * 2;
// STEP:      Breakpoint 1, {{.*}}halyard_invoke ()
// STEP-NEXT: Single stepping until exit from function halyard_invoke
// STEP:      main_dispatch_0_elementwise_exp_4_f32 () at main_dispatch_0.mlir:
// STEP:      Current source file is main_dispatch_0.mlir
// STEP-NEXT: Compilation directory is model.debug

// From another folder, gdb is told where the program is.
// RUN: mkdir elsewhere && cd elsewhere && gdb -batch -nx -ex 'directory ..' -ex 'set breakpoint pending on' -ex 'break main_dispatch_0.mlir:4' -ex run --args hal-run ../model.so --input=1 --threads=1 2>&1 | FileCheck %s --check-prefix=ELSE
// ELSE: at main_dispatch_0.mlir:4
// ELSE: 4 {{.*}} = linalg.exp
func.func private @scale(tensor<4xf32>) -> tensor<4xf32> attributes {
  hal.objects = [{objects = [{path = "scale.o"}]}], hal.workgroups = array<i64: 1, 1, 1>}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @scale(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.exp ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %t : tensor<4xf32>
}
