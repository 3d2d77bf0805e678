// Functions of a program share its states: one reads a prompt, the other goes on. `--state` takes out the result of the one
// that has no such input, too.
// RUN: hal-compile %s --state=past=present,rows=0 -o %t.so -q && hal-run %t.so --list | FileCheck %s
// RUN: hal-run %t.so --function=prompt --input=3x4xf32=1 --state-out=%t.npz && hal-run %t.so --function=next --input=1x4xf32=2 --state-in=%t.npz --calls=2 --state-out=- | FileCheck %s --check-prefix=NEXT
// CHECK: prompt(x: ?x4xf32{{.*}}) -> ()
// CHECK-NEXT: next(x: 1x4xf32) -> ()
// CHECK-NEXT: states:
// CHECK-NEXT: past: ?x4xf32 [rows], starts as 0x4xf32
// NEXT: `past`: 5x4xf32

// One that another one calls keeps its signature.
// RUN: sed 's|// CALL||' %s > %t.mlir && exits 1 hal-import %t.mlir --state=past=present 2>&1 | FileCheck %s --check-prefix=CALLED
// CALLED: error[unsupported]: function `@next` is called by another one
func.func @prompt(%x: tensor<?x4xf32> {hal.name = "x"}) -> (tensor<?x4xf32> {hal.name = "present"}) {
  return %x : tensor<?x4xf32>
}
func.func @next(%x: tensor<1x4xf32> {hal.name = "x"}, %past: tensor<?x4xf32> {hal.name = "past", hal.dim_names = ["rows", ""]}) -> (tensor<?x4xf32> {hal.name = "present"}) {
  %c = tensor.concat dim(0) %past, %x : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}
// CALL func.func @outer(%x: tensor<1x4xf32>, %p: tensor<?x4xf32>) -> tensor<?x4xf32> {
// CALL   %r = call @next(%x, %p) : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
// CALL   return %r : tensor<?x4xf32>
// CALL }
