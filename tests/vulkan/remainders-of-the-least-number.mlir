// The remainder of the least number of each type is negative, as that of every negative number is.
// RUN: hal-compile -q %s --target=vulkan -o %t.so
// RUN: hal-run %t.so --device=vulkan --function=i8 --input=3xi8=-128,-128,-128 --input=3xi8=3,-7,127 | FileCheck %s --check-prefix=I8
// I8: array([{{ *}}-2, {{ *}}-2, {{ *}}-1]
// RUN: hal-run %t.so --device=vulkan --function=i16 --input=3xi16=-32768,-32768,-32768 --input=3xi16=3,-7,32767 | FileCheck %s --check-prefix=I16
// I16: array([{{ *}}-2, {{ *}}-1, {{ *}}-1]
// RUN: hal-run %t.so --device=vulkan --function=i32 --input=3xi32=-2147483648,-2147483648,-2147483648 --input=3xi32=3,-7,2147483647 | FileCheck %s --check-prefix=I32
// I32: array([{{ *}}-2, {{ *}}-2, {{ *}}-1]
// RUN: hal-run %t.so --device=vulkan --function=i64 --input=3xi64=-9223372036854775808,-9223372036854775808,-9223372036854775808 --input=3xi64=3,-7,9223372036854775807 | FileCheck %s --check-prefix=I64
// I64: array([{{ *}}-2, {{ *}}-1, {{ *}}-1]
#m = affine_map<(d0) -> (d0)>
func.func @i8(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%a, %b : tensor<3xi8>, tensor<3xi8>) outs(%e : tensor<3xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %q = arith.remsi %x, %y : i8
    linalg.yield %q : i8
  } -> tensor<3xi8>
  return %r : tensor<3xi8>
}
func.func @i16(%a: tensor<3xi16>, %b: tensor<3xi16>) -> tensor<3xi16> {
  %e = tensor.empty() : tensor<3xi16>
  %r = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%a, %b : tensor<3xi16>, tensor<3xi16>) outs(%e : tensor<3xi16>) {
  ^bb0(%x: i16, %y: i16, %o: i16):
    %q = arith.remsi %x, %y : i16
    linalg.yield %q : i16
  } -> tensor<3xi16>
  return %r : tensor<3xi16>
}
func.func @i32(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  %e = tensor.empty() : tensor<3xi32>
  %r = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%a, %b : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %q = arith.remsi %x, %y : i32
    linalg.yield %q : i32
  } -> tensor<3xi32>
  return %r : tensor<3xi32>
}
func.func @i64(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi64> {
  %e = tensor.empty() : tensor<3xi64>
  %r = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%a, %b : tensor<3xi64>, tensor<3xi64>) outs(%e : tensor<3xi64>) {
  ^bb0(%x: i64, %y: i64, %o: i64):
    %q = arith.remsi %x, %y : i64
    linalg.yield %q : i64
  } -> tensor<3xi64>
  return %r : tensor<3xi64>
}
