// A module may be written in C++.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q && clang++ -std=c++17 -O2 -Wall -Wextra -Werror -shared -fPIC -I%include %S/Inputs/cxx.cc -o cxx.so
// RUN: hal-run p.so --module=cxx.so --input=2x2xf32=1,2,3,4 --expect=f32=10
// RUN: exits 1 hal-run p.so --module=cxx.so --input=2x2xf32=-1 2>&1 | FileCheck %s
// CHECK: error[host-function-failed]: host function `cxx.sum` failed: the sum is negative
func.func private @sum(tensor<2x2xf32>) -> f32 attributes {hal.host_function = "cxx.sum"}
func.func @main(%x: tensor<2x2xf32>) -> f32 {
  %s = call @sum(%x) : (tensor<2x2xf32>) -> f32
  return %s : f32
}
