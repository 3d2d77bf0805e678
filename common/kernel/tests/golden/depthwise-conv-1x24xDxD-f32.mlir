// CPUs: depthwise convolution with lanes along the channels, of an image whose rows and columns only a run knows.
// MACHINES: avx512 avx2
module @k attributes {hal.executable} {
  func.func @kernel(%x: tensor<1x24x?x?xf32>, %w: tensor<24x5x5xf32>, %b: tensor<24xf32>, %rows: index, %columns: index) -> (tensor<1x24x?x?xf32> {hal.dims = array<i64: 3, 4>}) attributes {hal.export} {
    %zero = arith.constant 0.0 : f32
    %padded = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %zero : f32
    } : tensor<1x24x?x?xf32> to tensor<1x24x?x?xf32>
    %empty = tensor.empty(%rows, %columns) : tensor<1x24x?x?xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x24x?x?xf32>) -> tensor<1x24x?x?xf32>
    %y = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %w : tensor<1x24x?x?xf32>, tensor<24x5x5xf32>) outs(%start : tensor<1x24x?x?xf32>) -> tensor<1x24x?x?xf32>
    %z = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %b : tensor<1x24x?x?xf32>, tensor<24xf32>) outs(%empty : tensor<1x24x?x?xf32>) {
    ^bb0(%a: f32, %bias: f32, %o: f32):
      %sum = arith.addf %a, %bias : f32
      linalg.yield %sum : f32
    } -> tensor<1x24x?x?xf32>
    return %z : tensor<1x24x?x?xf32>
  }
}
