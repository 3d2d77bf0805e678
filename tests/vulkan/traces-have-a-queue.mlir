// --trace has a track for the queue of the device; a report's timeline has it, too.
// REQUIRES: vulkan
// RUN: hal-import %s | hal-translate --target=vulkan | hal-link -o %t.so
// RUN: hal-run %t.so --device=vulkan --input=100xf32=1 --trace=%t.perfetto --expect=100xf32=2.7182817
// RUN: %python %S/../run/Inputs/trace.py %t.perfetto | FileCheck %s
// CHECK: track queue of device vulkan:0
// CHECK: all workgroups of 1 dispatches ran
// RUN: hal-report %t.so --device=vulkan --runs=2 -o %t.html && %python %S/../report/Inputs/look.py %t.html | FileCheck %s --check-prefix=REPORT
// REPORT: tracks host program; device queue;
func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
  %e = tensor.empty() : tensor<100xf32>
  %y = linalg.exp ins(%x : tensor<100xf32>) outs(%e : tensor<100xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}
