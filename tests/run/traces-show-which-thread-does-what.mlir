// --trace writes which thread runs which dispatch when, as Perfetto reads it: nested slices, all workgroups once, flows.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q
// RUN: hal-run p.so --input=512x512xf32=random:1 --input=512x512xf32=random:2 --calls=2 --threads=3 --trace=p.perfetto --output=y.npy
// RUN: %python %S/Inputs/trace.py p.perfetto | FileCheck %s
// CHECK: process p.so
// CHECK: thread host program
// CHECK: thread thread 1
// CHECK: thread thread 2
// CHECK-NOT: thread thread
// CHECK-COUNT-2: dispatch main_dispatch_0_matmul_512x512x512_f32 from first, second
// CHECK: all workgroups of 2 dispatches ran
// CHECK: calls 1 dispatches 2

// The call is that of any other run.
// RUN: hal-run p.so --input=512x512xf32=random:1 --input=512x512xf32=random:2 --threads=3 --expect=@y.npy --rtol=0 --atol=0

// With one thread there is one track.
// RUN: hal-run p.so --input=512x512xf32=random:1 --input=512x512xf32=random:2 --threads=1 --trace=one.perfetto --output=y.npy
// RUN: %python %S/Inputs/trace.py one.perfetto | FileCheck %s --check-prefix=ONE
// ONE: thread host program
// ONE-NOT: thread thread
// ONE: all workgroups of 2 dispatches ran

// RUN: exits 2 hal-run p.so --input=512x512xf32=1 --input=512x512xf32=1 --trace=- 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT: error: a trace is not written to standard output, where results go
// STDOUT: give it a file
// RUN: exits 2 hal-run p.so --list --trace=t 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: the argument '--list' cannot be used with '--trace <FILE>'
// RUN: not hal-run p.so --input=512x512xf32=1 --input=512x512xf32=1 --trace=none/t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: none/t
func.func @main(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %a = linalg.matmul ins(%x, %w : tensor<512x512xf32>, tensor<512x512xf32>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32> loc("first")
  %b = linalg.matmul ins(%a, %w : tensor<512x512xf32>, tensor<512x512xf32>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32> loc("second")
  return %b : tensor<512x512xf32>
}
