// A report has the graph of dispatches and tensors, the memory plan, the kernels with their keys and origins, and their assembly.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q
// RUN: hal-report p.so --no-run -o r.html && %python %S/Inputs/look.py r.html main_dispatch_1_matmul_256x10x128_f32 | FileCheck %s
// CHECK: programs p.so
// CHECK: signature main(256x784xf32, 784x128xf32, 128x10xf32) -> (256x10xf32)
// CHECK: node input input 0
// CHECK: node dispatch main_dispatch_0_matmul_256x128x784_f32
// CHECK: node dispatch main_dispatch_1_matmul_256x10x128_f32
// CHECK: node output output 0
// CHECK: edge input 0 -> main_dispatch_0_matmul_256x128x784_f32 802816
// CHECK: edge main_dispatch_0_matmul_256x128x784_f32 -> main_dispatch_1_matmul_256x10x128_f32 131072
// CHECK: edge main_dispatch_1_matmul_256x10x128_f32 -> output 0
// CHECK: transients 1 arena 131072
// CHECK: kernel main_dispatch_0_matmul_256x128x784_f32 {{[0-9a-f]+}} hidden flops 51380224 measured False
// CHECK: texts main_dispatch_0_matmul_256x128x784_f32 main_dispatch_1_matmul_256x10x128_f32
// CHECK: text main_dispatch_1_matmul_256x10x128_f32
// CHECK-NEXT: {{^    [a-z]+}}

// The same program gives the same bytes, whatever the folder.
// RUN: mkdir other && cp p.so other && cd other && hal-report p.so --no-run > r.html && cmp r.html ../r.html

// Names of a model cannot break the page.
// RUN: sed 's/"scores"/"<!--<script>"/' %s > odd.mlir && hal-compile odd.mlir -o odd.so -q && hal-report odd.so --no-run -o odd.html && not grep '<!--' odd.html
// RUN: %python %S/Inputs/look.py odd.html | FileCheck %s --check-prefix=ODD
// ODD: kernel main_dispatch_1_matmul_256x10x128_f32 {{[0-9a-f]+}} <!--<script> flops

// Run, it has times for each kernel, and which thread ran what.
// RUN: hal-report p.so --runs=3 --threads=2 -o run.html && %python %S/Inputs/look.py run.html | FileCheck %s --check-prefix=TIMES
// TIMES: kernel main_dispatch_0_matmul_256x128x784_f32 {{.*}} measured True
// TIMES: hot main_dispatch_0_matmul_256x128x784_f32 in {{[0-9]+}} instructions
// TIMES: tracks host program; thread 1;
// TIMES: calls 3

// Two programs are compared kernel by kernel.
// RUN: cp p.so q.so && hal-report p.so q.so --runs=3 --no-assembly -o ab.html && %python %S/Inputs/look.py ab.html | FileCheck %s --check-prefix=AB
// AB: programs p.so q.so
// AB: against same code
// AB: calls 3 3

// What the compiler knows comes from its files; those of another program are refused.
// RUN: hal-compile %s -o p.so -q --dump-executable-files-to=files --explain=schedule 2> schedule.txt
// RUN: hal-report p.so --no-run --files-from=files --schedule=schedule.txt -o files.html
// RUN: %python %S/Inputs/look.py files.html schedule:main_dispatch_0_matmul_256x128x784_f32 mlir:main_dispatch_0 | FileCheck %s --check-prefix=FILES
// FILES: text schedule:main_dispatch_0_matmul_256x128x784_f32
// FILES: hal.schedule = {family = "nest"
// FILES: text mlir:main_dispatch_0
// FILES: linalg.matmul
// RUN: sed -i 's/hal.key = "/&0/' files/main_dispatch_0.mlir
// RUN: not hal-report p.so --no-run --files-from=files 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error[other-files]: `files/main_dispatch_0.mlir` is not executable `main_dispatch_0` of the program
// OTHER: compile the program again with `--dump-executable-files-to`
// RUN: mkdir empty && not hal-report p.so --no-run --files-from=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: `empty` has no file of an executable of the program
// RUN: not hal-report p.so --no-run --schedule=files/main_dispatch_1.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: has no schedule of a kernel of the program
func.func @main(%x: tensor<256x784xf32>, %w: tensor<784x128xf32>, %v: tensor<128x10xf32>) -> tensor<256x10xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %h = linalg.matmul ins(%x, %w : tensor<256x784xf32>, tensor<784x128xf32>) outs(%f : tensor<256x128xf32>) -> tensor<256x128xf32> loc("hidden")
  %e2 = tensor.empty() : tensor<256x10xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<256x10xf32>) -> tensor<256x10xf32>
  %y = linalg.matmul ins(%h, %v : tensor<256x128xf32>, tensor<128x10xf32>) outs(%f2 : tensor<256x10xf32>) -> tensor<256x10xf32> loc("scores")
  return %y : tensor<256x10xf32>
}
