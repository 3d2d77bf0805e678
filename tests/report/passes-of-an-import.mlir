// A report of a compilation shows what each pass of the import changed, before there were executables.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s m.mlir
// RUN: hal-compile -q m.mlir -o p.so --report=r.html && %python %S/Inputs/look.py r.html import | FileCheck %s
// CHECK: text import
// CHECK-NEXT: === the model
// CHECK-NEXT: module {
// CHECK: tosa.exp
// CHECK: === hal-check-model: no change
// CHECK: === {{.*}}tosa-to-linalg){{$}}
// CHECK-NEXT: @@ -
// CHECK: {{^}}-{{ .*}} tosa.exp
// CHECK: {{^}}+{{ .*}} linalg.generic
// There are no calls to inline.
// CHECK-NOT: === inline
// CHECK: === symbol-dce{{.*}}
// CHECK: === hal-check-sizes: no change
// CHECK: === hal-fill-splats
// Executables are not formed yet.
// CHECK-NOT: hal.executable
// CHECK: === hal-sum-in-parts: no change

// The program is the same as without a report, and from the cache; the passes are shown then, too.
// RUN: hal-compile -q m.mlir -o plain.so && cmp p.so plain.so
// RUN: hal-compile -q m.mlir -o cached.so --cache=%t/cache && hal-compile -q m.mlir -o cached.so --cache=%t/cache --report=cached.html && cmp p.so cached.so
// RUN: %python %S/Inputs/look.py cached.html import | FileCheck %s

// Stages of one's own are among them, where there are no executables yet; those after that are not.
// RUN: hal-compile -q m.mlir -o s.so --stage=input:linalg-fuse-elementwise-ops --stage=executables:linalg-generalize-named-ops --dump-executable-stages-to=stages
// RUN: FileCheck %s --check-prefix=STAGE < stages/hal-import.stages.diff
// STAGE: === the model
// STAGE: === --stage=linalg-fuse-elementwise-ops
// STAGE-NEXT: @@ -
// STAGE: === symbol-dce
// STAGE-NOT: linalg-generalize-named-ops

// A report of a linked program has none.
// RUN: hal-report p.so --no-run -o linked.html && %python %S/Inputs/look.py linked.html | FileCheck %s --check-prefix=LINKED
// LINKED: texts
// LINKED-NOT: import
func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = tosa.exp %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = tosa.abs %0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
