// Numbers as large as 64 bits do not get past a check: an offset, a size or a stride that is passed is looked at without overflow.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run --guard %t.so --function=part -i 8xf32=iota -i 2 -i 3 | FileCheck %s --check-prefix=PART
// RUN: hal-run --guard %t.so --function=part -i 8xf32=iota -i 8 -i 0 | FileCheck %s --check-prefix=NONE
// RUN: exits 1 hal-run --guard %t.so --function=part -i 8xf32=iota -i 9223372036854775807 -i 2 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: exits 1 hal-run --guard %t.so --function=part -i 8xf32=iota -i 2 -i 9223372036854775807 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: exits 1 hal-run --guard %t.so --function=part -i 8xf32=iota -i 4611686018427387904 -i 4611686018427387904 2>&1 | FileCheck %s --check-prefix=BOTH
// PART: [2., 3., 4.]
// NONE: []
// OFFSET: error[assertion-failed]: `tensor.extract_slice` of `@part`, line {{[0-9]+}}: dimension 0: 2 elements from 9223372036854775807 do not lie in a size of 8
// SIZE: dimension 0: 9223372036854775807 elements from 2 do not lie in a size of 8
// BOTH: dimension 0: 4611686018427387904 elements from 4611686018427387904 do not lie in a size of 8
func.func @part(%a: tensor<?xf32>, %at: index, %n: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %a[%at] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %r = math.absf %s : tensor<?xf32>
  return %r : tensor<?xf32>
}

// RUN: hal-run --guard %t.so --function=steps -i 8xf32=iota -i 1 -i 3 | FileCheck %s --check-prefix=STEPS
// RUN: exits 1 hal-run --guard %t.so --function=steps -i 8xf32=iota -i 0 -i 9223372036854775807 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: exits 1 hal-run --guard %t.so --function=steps -i 8xf32=iota -i 5 -i 9223372036854775807 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: exits 1 hal-run --guard %t.so --function=steps -i 8xf32=iota -i 4 -i 4611686018427387904 2>&1 | FileCheck %s --check-prefix=LONG
// STEPS: [1., 4., 7.]
// LONG: error[assertion-failed]: `tensor.extract_slice` of `@steps`, line {{[0-9]+}}: dimension 0: 3 elements from {{[0-9]}} by {{[0-9]*}} do not lie in a size of 8
func.func @steps(%a: tensor<?xf32>, %at: index, %by: index) -> tensor<3xf32> {
  %s = tensor.extract_slice %a[%at] [3] [%by] : tensor<?xf32> to tensor<3xf32>
  %r = math.absf %s : tensor<3xf32>
  return %r : tensor<3xf32>
}

// A size that is a product of numbers: 2^32 times 2^32 is no 0.
// RUN: hal-run --guard %t.so --function=written -i 8xf32=iota -i 1xf32=5 -i 1 -i 1 -i 3 | FileCheck %s --check-prefix=WRITTEN
// RUN: exits 1 hal-run --guard %t.so --function=written -i 8xf32=iota -i 0xf32= -i 4294967296 -i 4294967296 -i 99 2>&1 | FileCheck %s --check-prefix=PRODUCT
// WRITTEN: [0., 1., 2., 5., 4., 5., 6., 7.]
// PRODUCT: error[assertion-failed]: `tensor.insert_slice` of `@written`
func.func @written(%a: tensor<8xf32>, %u: tensor<?xf32>, %n: index, %m: index, %at: index) -> tensor<8xf32> {
  %size = arith.muli %n, %m : index
  %r = tensor.insert_slice %u into %a[%at] [%size] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// Numbers of the program itself are as large.
// RUN: exits 1 hal-run --guard %t.so --function=far -i 5xf32=iota 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: exits 1 hal-run --guard %t.so --function=mapped -i 5xf32=iota 2>&1 | FileCheck %s --check-prefix=MAPPED
// FAR: error[assertion-failed]: `tensor.extract_slice` of `@far`, line {{[0-9]+}}: dimension 0: 3 elements from 1 by 9223372036854775807 do not lie in a size of 5
// MAPPED: error[assertion-failed]: `linalg.generic` of `@mapped`, line {{[0-9]+}}: indices of dimension 0 of operand 0 reach {{.*}}, beyond its size 5
func.func @far(%x: tensor<?xf32>) -> tensor<3xf32> {
  %s = tensor.extract_slice %x[1] [3] [9223372036854775807] : tensor<?xf32> to tensor<3xf32>
  %r = math.absf %s : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @mapped(%x: tensor<?xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i * 9223372036854775807)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
