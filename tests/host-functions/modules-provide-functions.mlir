// A program calls functions of a module: tensors and numbers go in and come out, sizes that only the function knows, too.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s | hal-translate | hal-link -o p.so && clang -O2 -Wall -Wextra -Werror -shared -fPIC -I%include %S/Inputs/search.c -o search.so
// RUN: hal-run p.so --module=search.so --input=8xf32=1,0,3,4,5,1,2,3 | FileCheck %s --match-full-lines --check-prefix=MAIN
// MAIN: # output 0: 4xf32
// MAIN: array([ 6.,  8., 10.,  6.], dtype=float32)
// MAIN: # output 1: i64
// MAIN: array(4)
// Calls of another size of one program, by an absolute path.
// RUN: hal-run p.so --function=any --module=%t/search.so --input=3xf32=1,2,3 --input=f32=1.5 --expect=2xf32=2,3
// RUN: hal-benchmark p.so --module=search.so --input=8xf32=4 --runs=1 --min-time=0 | FileCheck %s --check-prefix=BENCH
// BENCH: main
// RUN: hal-run p.so --list | FileCheck %s --check-prefix=LIST
// LIST: host functions:
// LIST-NEXT: search.above(tensor<?xf32>, f32) -> (tensor<?xf32>, i64), called by main, any
// What a function says when it fails.
// RUN: exits 1 hal-run p.so --module=search.so --input=8xf32=1 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error[host-function-failed]: host function `search.above` failed: nothing is larger than 2
// FAILS: note: it is a function of `search.so`
// The same in one command.
// RUN: hal-compile %s -o q.so -q && hal-run q.so --module=search.so --function=any --input=3xf32=1,2,3 --input=f32=1.5 --expect=2xf32=2,3
func.func private @above(tensor<?xf32>, f32) -> (tensor<?xf32>, index) attributes {hal.host_function = "search.above"}
func.func @main(%x: tensor<8xf32>) -> (tensor<?xf32>, index) {
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %c = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %a:2 = call @above(%c, %two) : (tensor<?xf32>, f32) -> (tensor<?xf32>, index)
  %n = tensor.dim %a#0, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.add ins(%a#0, %a#0 : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y, %a#1 : tensor<?xf32>, index
}
func.func @any(%x: tensor<?xf32>, %bound: f32) -> tensor<?xf32> {
  %a:2 = call @above(%x, %bound) : (tensor<?xf32>, f32) -> (tensor<?xf32>, index)
  return %a#0 : tensor<?xf32>
}
