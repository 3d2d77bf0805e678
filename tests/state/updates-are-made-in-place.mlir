// A kernel that updates a state element by element, or writes a part of it, shares its buffer; not where somebody still
// needs the old value, where an element comes from others, or where it is no state.
// RUN: hal-import %s | FileCheck %s
// CHECK: func.func @element_dispatch_0{{.*}}(%arg0: tensor<2x4xf32>, %arg1: tensor<2x4xf32>) -> (tensor<2x4xf32> {hal.tied = 0 : i32})
// CHECK: func.func private @element_dispatch_0{{.*}} -> (tensor<2x4xf32> {hal.tied = 0 : i32}) attributes {hal.entry
// CHECK: func.func @part_dispatch_0{{.*}} -> (tensor<?x4xf32> {hal.dims = array<i64: {{[0-9]+}}>, hal.tied = 1 : i32})
// CHECK: func.func @turned_dispatch_0{{.*}}(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: func.func @needed_dispatch_0{{.*}} -> tensor<2x5xf32>
// CHECK: func.func @argument_dispatch_0{{.*}} -> tensor<2x6xf32>

// RUN: hal-compile %s -o %t.so -q
// RUN: hal-run %t.so --function=element --input=2x4xf32=3 --calls=3 --state-out=s=- | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: array({{\[\[}}9., 9., 9., 9.],
// RUN: hal-run %t.so --function=part --input=1x4xf32=3 --input=i64=2 --state-in=p=4x4xf32=1 --state-out=p=- | FileCheck %s --check-prefix=PART
// PART: array({{\[\[}}1., 1., 1., 1.],
// PART: [1., 1., 1., 1.],
// PART: [3., 3., 3., 3.],
// PART: [1., 1., 1., 1.]]
// RUN: hal-run %t.so --function=turned --state-in=t=4x4xf32=1,2,3,4,5,6,7,8,0,0,0,0,9,9,9,9 --state-out=t=- | FileCheck %s --check-prefix=TURNED
// TURNED: array({{\[\[}}1., 5., 0., 9.],
// RUN: hal-run %t.so --function=needed --input=2x5xf32=3 --calls=2 | FileCheck %s --check-prefix=NEEDED
// NEEDED: array({{\[\[}}3., 3., 3., 3., 3.],
ml_program.global private mutable @s : tensor<2x4xf32>
ml_program.global private mutable @p : tensor<?x4xf32>
ml_program.global private mutable @t : tensor<4x4xf32>
ml_program.global private mutable @n : tensor<2x5xf32>
func.func @element(%x: tensor<2x4xf32>) {
  %s = ml_program.global_load @s : tensor<2x4xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %n = linalg.add ins(%s, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  ml_program.global_store @s = %n : tensor<2x4xf32>
  return
}
func.func @part(%x: tensor<1x4xf32>, %i: index) {
  %s = ml_program.global_load @p : tensor<?x4xf32>
  %n = tensor.insert_slice %x into %s[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  ml_program.global_store @p = %n : tensor<?x4xf32>
  return
}
func.func @turned() {
  %s = ml_program.global_load @t : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %n = linalg.transpose ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  ml_program.global_store @t = %n : tensor<4x4xf32>
  return
}
func.func @needed(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %s = ml_program.global_load @n : tensor<2x5xf32>
  %e = tensor.empty() : tensor<2x5xf32>
  %n = linalg.add ins(%s, %x : tensor<2x5xf32>, tensor<2x5xf32>) outs(%e : tensor<2x5xf32>) -> tensor<2x5xf32>
  ml_program.global_store @n = %n : tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}
func.func @argument(%s: tensor<2x6xf32>, %x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %e = tensor.empty() : tensor<2x6xf32>
  %n = linalg.add ins(%s, %x : tensor<2x6xf32>, tensor<2x6xf32>) outs(%e : tensor<2x6xf32>) -> tensor<2x6xf32>
  return %n : tensor<2x6xf32>
}
