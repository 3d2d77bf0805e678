// Reshapes and slices of whole rows move nothing: the host makes them. A slice of columns, or one that starts where no
// buffer may start, is copied.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_slice_8x4_f32
// CHECK: func.func @main_dispatch_1_slice_1x20_f32
// CHECK: func.func @main(%[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<8x20xf32>)
// CHECK: %[[A:.*]] = tensor.extract_slice %[[X]][2, 0] [3, 16] [1, 1]
// CHECK: %[[B:.*]] = tensor.collapse_shape %[[A]]
// CHECK: %[[C:.*]] = call @main_dispatch_0_slice_8x4_f32(%[[X]])
// CHECK: %[[D:.*]] = call @main_dispatch_1_slice_1x20_f32(%[[Y]])
// CHECK: return %[[B]], %[[C]], %[[D]]
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x20xf32>) -> (tensor<48xf32>, tensor<8x4xf32>, tensor<1x20xf32>) {
  %a = tensor.extract_slice %x[2, 0] [3, 16] [1, 1] : tensor<8x16xf32> to tensor<3x16xf32>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<3x16xf32> into tensor<48xf32>
  %c = tensor.extract_slice %x[0, 4] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
  %d = tensor.extract_slice %y[1, 0] [1, 20] [1, 1] : tensor<8x20xf32> to tensor<1x20xf32>
  return %b, %c, %d : tensor<48xf32>, tensor<8x4xf32>, tensor<1x20xf32>
}
