// A convolution of volumes of bytes becomes one of images, whose padding is the zero point; with a zero point that is no byte, there is no such padding.
// RUN: sed s/POINT/-100/ %s | hal-import | FileCheck %s
// RUN: sed s/POINT/-200/ %s | hal-import | FileCheck %s --check-prefix=BEYOND
// CHECK: %[[POINT:.*]] = arith.constant -100 : i8
// CHECK: tensor.yield %[[POINT]] : i8
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.conv_3d
// BEYOND: linalg.conv_3d_ncdhw_fcdhw
// BEYOND-NOT: linalg.conv_2d
#volume = affine_map<(n, c, d, h, w) -> (n, c, d, h, w)>
func.func @main(%x: tensor<1x16x4x9x9xi8>, %w: tensor<24x16x3x3x3xi8>) -> tensor<1x24x4x9x9xi32> {
  %zero = arith.constant 0 : i32
  %point = arith.constant POINT : i32
  %e = tensor.empty() : tensor<1x16x4x9x9xi32>
  %wide = linalg.generic {indexing_maps = [#volume, #volume], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x16x4x9x9xi8>) outs(%e : tensor<1x16x4x9x9xi32>) {
  ^bb0(%in: i8, %out: i32):
    %number = arith.extsi %in : i8 to i32
    %centred = arith.subi %number, %point : i32
    linalg.yield %centred : i32
  } -> tensor<1x16x4x9x9xi32>
  %we = tensor.empty() : tensor<24x16x3x3x3xi32>
  %ws = linalg.generic {indexing_maps = [#volume, #volume], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<24x16x3x3x3xi8>) outs(%we : tensor<24x16x3x3x3xi32>) {
  ^bb0(%in: i8, %out: i32):
    %number = arith.extsi %in : i8 to i32
    linalg.yield %number : i32
  } -> tensor<24x16x3x3x3xi32>
  %padded = tensor.pad %wide low[0, 0, 1, 1, 1] high[0, 0, 1, 1, 1] {
  ^bb0(%n: index, %c: index, %d: index, %h: index, %v: index):
    tensor.yield %zero : i32
  } : tensor<1x16x4x9x9xi32> to tensor<1x16x6x11x11xi32>
  %ye = tensor.empty() : tensor<1x24x4x9x9xi32>
  %ys = linalg.fill ins(%zero : i32) outs(%ye : tensor<1x24x4x9x9xi32>) -> tensor<1x24x4x9x9xi32>
  %y = linalg.conv_3d_ncdhw_fcdhw ins(%padded, %ws : tensor<1x16x6x11x11xi32>, tensor<24x16x3x3x3xi32>) outs(%ys : tensor<1x24x4x9x9xi32>) -> tensor<1x24x4x9x9xi32>
  return %y : tensor<1x24x4x9x9xi32>
}
