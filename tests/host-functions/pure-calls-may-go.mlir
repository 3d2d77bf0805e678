// A pure function is not called where nobody needs what it returns, and once where it is asked the same twice.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -shared -fPIC -I%include %S/Inputs/log.c -o log.so
// RUN: hal-import %s -o p.mlir && FileCheck %s < p.mlir && hal-translate p.mlir | hal-link -o p.so
// CHECK-COUNT-1: call @say
// CHECK-NOT: call @say
// CHECK-NOT: @sum
// RUN: hal-run p.so --module=log.so --input=4xf32=1 | FileCheck %s --check-prefix=SAID --match-full-lines
// SAID: start
// SAID-NEXT: say 3
// SAID-NEXT: # output 0: i64
// SAID-NEXT: array(2)
// SAID-NEXT: stop after 1 calls
func.func private @say(index) -> index attributes {hal.host_function = "log.say", hal.pure}
func.func private @sum(tensor<4xf32>) attributes {hal.host_function = "log.sum", hal.pure}
func.func @main(%x: tensor<4xf32>) -> index {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = call @say(%c3) : (index) -> index
  %b = call @say(%c3) : (index) -> index
  %unused = call @say(%c4) : (index) -> index
  %chain = call @say(%unused) : (index) -> index
  call @sum(%x) : (tensor<4xf32>) -> ()
  %s = arith.addi %a, %b : index
  return %s : index
}
