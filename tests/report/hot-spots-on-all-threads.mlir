// Hot instructions are those of all threads that run a kernel, not of the calling one alone.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q
// RUN: hal-report p.so --runs=1 --threads=2 -o two.html && %python %S/Inputs/look.py two.html | FileCheck %s
// CHECK: hot main_dispatch_0_elementwise_{{.*}} in {{[0-9]+}} instructions on 2 threads
// RUN: hal-report p.so --runs=1 --threads=1 -o one.html && %python %S/Inputs/look.py one.html | FileCheck %s --check-prefix=ONE
// ONE: hot main_dispatch_0_elementwise_{{.*}} in {{[0-9]+}} instructions on 1 thread{{$}}
func.func @main(%x: tensor<4000000xf32>) -> tensor<4000000xf32> {
  %0 = math.sqrt %x : tensor<4000000xf32>
  %1 = math.exp %0 : tensor<4000000xf32>
  %2 = math.erf %1 : tensor<4000000xf32>
  return %2 : tensor<4000000xf32>
}
