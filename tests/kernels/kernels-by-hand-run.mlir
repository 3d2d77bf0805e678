// Calls of declared kernels become dispatches of what is in their objects, which are linked together.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang -O2 -fPIC -I%include -c %S/Inputs/kernels.c -o kernels.o && clang -O2 -fPIC -c %S/Inputs/dot.c -o dot.o
// RUN: hal-import %s | FileCheck %s
// RUN: hal-import %s | %roundtrip | hal-translate | hal-link -o p.so
// RUN: hal-run p.so --input=4x8xf32=2 --input=8x16xf32=0.5 --expect=4x16xf32=8

// The second object may be a member of an archive.
// RUN: rm -f libdot.a && llvm-ar rc libdot.a dot.o && sed 's/dot.o/libdot.a/' %s > archive.mlir
// RUN: hal-compile archive.mlir -o a.so -q && hal-run a.so --input=4x8xf32=2 --input=8x16xf32=0.5 --expect=4x16xf32=8

// Objects are embedded: what comes after the import does not need the files.
// RUN: hal-import %s -o e.mlir && rm kernels.o dot.o && hal-translate e.mlir | hal-link -o q.so && cmp p.so q.so

// CHECK: module @matmul_kernel attributes {hal.executable}
// CHECK-NEXT: module @cpu_x86_64 attributes {hal.objects = [{{.*}}], hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">
// CHECK-NEXT: func.func private @matmul({{.*}}) -> tensor<4x16xf32> attributes {hal.export, {{.*}}hal.workgroups = @matmul_workgroups}
// CHECK: func.func private @matmul({{.*}}) -> tensor<4x16xf32> attributes {hal.entry = @matmul_kernel::@matmul}
// CHECK: call @matmul
// REQUIRES: x86
func.func private @matmul(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> attributes {
  hal.objects = [{objects = [{path = "kernels.o"}, {path = "dot.o"}]}], hal.workgroups = array<i64: 4>}
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %r = call @matmul(%a, %b) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
