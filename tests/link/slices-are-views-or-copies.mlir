// Slices of any offset and stride, static and dynamic, taken out and put in.
// RUN: hal-link %s -o %t.so
// RUN: hal-run %t.so --function=static --input=3x4xi64=1,2,3,4,5,6,7,8,9,10,11,12 | FileCheck %s --check-prefix=STATIC
// RUN: hal-run %t.so --function=dynamic --input=3x4xi64=1,2,3,4,5,6,7,8,9,10,11,12 --input=i64=1 --input=i64=2 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not hal-run %t.so --function=dynamic --input=3x4xi64=0 --input=i64=2 --input=i64=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: hal-run %t.so --function=insert --input=3x4xi64=0 --input=2x2xi64=1,2,3,4 | FileCheck %s --check-prefix=INSERT
// STATIC: [5, 6, 7, 8]
// STATIC: [ 2, 4, 10, 12]
// STATIC: {{\[\[}} 6, 7],
// STATIC-NEXT: [10, 11]]
// DYNAMIC: output 0: 2x4xi64
// DYNAMIC-NEXT: {{\[\[}} 5, 6, 7, 8],
// DYNAMIC-NEXT: [ 9, 10, 11, 12]]
// OUTSIDE: error[assertion-failed]: a slice of `tensor.extract_slice` reaches outside dimension 0
// INSERT: {{\[\[}}0, 0, 0, 0],
// INSERT-NEXT: [0, 1, 0, 2],
// INSERT-NEXT: [0, 3, 0, 4]]
// INSERT: {{\[\[}}0, 0, 0, 0],
// INSERT-NEXT: [0, 0, 0, 0],
// INSERT-NEXT: [0, 0, 0, 0]]
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @static(%x: tensor<3x4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<2x2xi64>) {
    %row = tensor.extract_slice %x[1, 0] [1, 4] [1, 1] : tensor<3x4xi64> to tensor<4xi64>
    %s = tensor.extract_slice %x[0, 1] [2, 2] [2, 2] : tensor<3x4xi64> to tensor<2x2xi64>
    %f = tensor.collapse_shape %s [[0, 1]] : tensor<2x2xi64> into tensor<4xi64>
    %m = tensor.extract_slice %x[1, 1] [2, 2] [1, 1] : tensor<3x4xi64> to tensor<2x2xi64>
    return %row, %f, %m : tensor<4xi64>, tensor<4xi64>, tensor<2x2xi64>
  }
  func.func @dynamic(%x: tensor<?x4xi64>, %at: index, %n: index) -> tensor<?x4xi64> {
    %s = tensor.extract_slice %x[%at, 0] [%n, 4] [1, 1] : tensor<?x4xi64> to tensor<?x4xi64>
    return %s : tensor<?x4xi64>
  }
  // The argument is returned too, so that it must not have changed.
  func.func @insert(%x: tensor<3x4xi64>, %y: tensor<2x2xi64>) -> (tensor<3x4xi64>, tensor<3x4xi64>) {
    %r = tensor.insert_slice %y into %x[1, 1] [2, 2] [1, 2] : tensor<2x2xi64> into tensor<3x4xi64>
    return %r, %x : tensor<3x4xi64>, tensor<3x4xi64>
  }
}
