// Calls happen as often and in the order that the model says: those whose results nobody needs, equal ones, in loops and branches.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -Wall -Wextra -Werror -shared -fPIC -I%include %S/Inputs/log.c -o log.so
// RUN: hal-compile %s -o p.so -q && hal-run p.so --module=log.so --input=4xf32=1 --input=i1=1 | FileCheck %s --match-full-lines
// Passes of upstream keep them, too.
// RUN: mlir-opt --canonicalize --cse --loop-invariant-code-motion --canonicalize %s | hal-import | hal-opt --stage=canonicalize --stage=cse | hal-translate | hal-link -o q.so && hal-run q.so --module=log.so --input=4xf32=1 --input=i1=1 | FileCheck %s --match-full-lines
// CHECK: start
// CHECK-NEXT: say 7
// CHECK-NEXT: say 7
// CHECK-NEXT: sum 4
// CHECK-NEXT: sum 8
// CHECK-NEXT: say 0
// CHECK-NEXT: say 1
// CHECK-NEXT: say 1
// CHECK-NEXT: say 2
// CHECK-NEXT: sum 4
// CHECK-NEXT: say 100
// CHECK-NEXT: # output 0: i64
// CHECK-NEXT: array(7)
// CHECK-NEXT: stop after 7 calls
func.func private @say(index) -> index attributes {hal.host_function = "log.say"}
func.func private @sum(tensor<4xf32>) attributes {hal.host_function = "log.sum"}
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  call @sum(%x) : (tensor<4xf32>) -> ()
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  call @sum(%y) : (tensor<4xf32>) -> ()
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %c: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c100 = arith.constant 100 : index
  %unused = call @say(%c7) : (index) -> index
  %same = call @say(%c7) : (index) -> index
  %y = call @both(%x) : (tensor<4xf32>) -> tensor<4xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %0 = func.call @say(%i) : (index) -> index
    %n = arith.addi %i, %c1 : index
    %1 = func.call @say(%n) : (index) -> index
  }
  scf.if %c {
    func.call @sum(%x) : (tensor<4xf32>) -> ()
  } else {
    func.call @sum(%y) : (tensor<4xf32>) -> ()
  }
  %last = call @say(%c100) : (index) -> index
  return %last : index
}
