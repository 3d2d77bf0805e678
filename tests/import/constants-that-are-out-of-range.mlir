// A constant index, divisor or shift that is wrong is an error of the import, at its place.
// RUN: exits 1 hal-import %s 2>&1 | FileCheck %s
// CHECK: error[out-of-range]: `linalg.generic` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index 4 is out of range for dimension 0 of size 4
// CHECK-NEXT: constants-that-are-out-of-range.mlir:[[@LINE+15]]:10
// CHECK: error[out-of-range]: `linalg.generic` of `@{{[a-z_]+}}`, line {{[0-9]+}}: division by zero
// CHECK: error[out-of-range]: `linalg.generic` of `@{{[a-z_]+}}`, line {{[0-9]+}}: an integer of 32 bits is shifted by 33
// CHECK: error[unsupported]: `tensor.pad` of `@{{[a-z_]+}}`, line {{[0-9]+}}: an index that depends on data (`tensor.extract`) cannot be checked here
// CHECK: hint: `--bounds=trust` leaves such checks out

#id = affine_map<(d0) -> (d0)>

func.func @main(%x: tensor<4xf32>, %n: tensor<3xi32>, %at: tensor<1xindex>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<3xf32>
  %i = arith.constant dense<[0, 4, 1]> : tensor<3xindex>
  %by = arith.constant dense<[3, 0, 5]> : tensor<3xi32>
  %far = arith.constant dense<[3, 1, 33]> : tensor<3xi32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<3xindex>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: index, %o: f32):
    %v = tensor.extract %x[%in] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %b = arith.divsi %n, %by : tensor<3xi32>
  %c = arith.shli %n, %far : tensor<3xi32>
  %d = tensor.pad %x low[1] high[1] {
  ^bb0(%k: index):
    %c0 = arith.constant 0 : index
    %j = tensor.extract %at[%c0] : tensor<1xindex>
    %v = tensor.extract %x[%j] : tensor<4xf32>
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %a, %b, %c, %d : tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<6xf32>
}
