// Single bits are numbers of one digit, not truths: positions become their lowest bit, and a signed bit is 0 or -1.
// RUN: hal-compile -q %s --target=vulkan -o %t.so && hal-run %t.so --device=vulkan --input=8xi1=0,0,1,1,0,0,1,1 | FileCheck %s
// RUN: hal-compile -q %s -o %t.cpu.so && hal-run %t.cpu.so --input=8xi1=0,0,1,1,0,0,1,1 | FileCheck %s
// CHECK: array([False,  True, False,  True, False,  True, False,  True])
// CHECK: array([False, False, False,  True, False, False, False,  True])
// CHECK: array([ 0,  0, -1, -1,  0,  0, -1, -1])
// CHECK: array([0, 0, 1, 1, 0, 0, 1, 1])
#m = affine_map<(i) -> (i)>
func.func @main(%a: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi64>, tensor<8xi64>) {
  %e = tensor.empty() : tensor<8xi1>
  %n = tensor.empty() : tensor<8xi64>
  %r:4 = linalg.generic {indexing_maps = [#m, #m, #m, #m, #m], iterator_types = ["parallel"]} ins(%a: tensor<8xi1>)
      outs(%e, %e, %n, %n : tensor<8xi1>, tensor<8xi1>, tensor<8xi64>, tensor<8xi64>) {
  ^bb0(%x: i1, %o0: i1, %o1: i1, %o2: i64, %o3: i64):
    %i = linalg.index 0 : index
    %bit = arith.index_cast %i : index to i1
    %least = arith.maxsi %x, %bit : i1
    %signed = arith.index_cast %x : i1 to index
    %unsigned = arith.index_castui %x : i1 to index
    %s = arith.index_cast %signed : index to i64
    %u = arith.index_cast %unsigned : index to i64
    linalg.yield %bit, %least, %s, %u : i1, i1, i64, i64
  } -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi64>, tensor<8xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<8xi1>, tensor<8xi1>, tensor<8xi64>, tensor<8xi64>
}
