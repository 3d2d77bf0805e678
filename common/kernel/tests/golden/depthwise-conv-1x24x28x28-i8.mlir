// CPUs that multiply bytes: depthwise convolution of bytes along the rows, four elements of the window at once, quantised again.
// MACHINES: vnni
module @k attributes {hal.executable} {
  func.func @kernel(%x: tensor<1x24x56x56xi8>, %w: tensor<24x5x5xi8>, %s: tensor<24xf32>) -> tensor<1x24x28x28xi8> attributes {hal.export} {
    %zero = arith.constant 0 : i32
    %none = tensor.empty() : tensor<1x24x56x56xi32>
    %wide = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x24x56x56xi8>) outs(%none : tensor<1x24x56x56xi32>) {
    ^bb0(%a: i8, %o: i32):
      %point = arith.constant 22 : i32
      %large = arith.extui %a : i8 to i32
      %less = arith.subi %large, %point : i32
      linalg.yield %less : i32
    } -> tensor<1x24x56x56xi32>
    %padded = tensor.pad %wide low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %zero : i32
    } : tensor<1x24x56x56xi32> to tensor<1x24x60x60xi32>
    %unfilled = tensor.empty() : tensor<24x5x5xi32>
    %filters = linalg.generic {indexing_maps = [affine_map<(c, h, w) -> (c, h, w)>, affine_map<(c, h, w) -> (c, h, w)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<24x5x5xi8>) outs(%unfilled : tensor<24x5x5xi32>) {
    ^bb0(%a: i8, %o: i32):
      %large = arith.extsi %a : i8 to i32
      linalg.yield %large : i32
    } -> tensor<24x5x5xi32>
    %empty = tensor.empty() : tensor<1x24x28x28xi32>
    %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x24x28x28xi32>) -> tensor<1x24x28x28xi32>
    %y = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %filters : tensor<1x24x60x60xi32>, tensor<24x5x5xi32>) outs(%start : tensor<1x24x28x28xi32>) -> tensor<1x24x28x28xi32>
    %bytes = tensor.empty() : tensor<1x24x28x28xi8>
    %z = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %s : tensor<1x24x28x28xi32>, tensor<24xf32>) outs(%bytes : tensor<1x24x28x28xi8>) {
    ^bb0(%a: i32, %scale: f32, %o: i8):
      %by = arith.constant 0.0029143202 : f32
      %point = arith.constant 3.0 : f32
      %low = arith.constant 0.0 : f32
      %high = arith.constant 255.0 : f32
      %float = arith.sitofp %a : i32 to f32
      %number = arith.mulf %float, %scale : f32
      %quotient = arith.divf %number, %by : f32
      %round = math.roundeven %quotient : f32
      %moved = arith.addf %round, %point : f32
      %above = arith.cmpf ogt, %moved, %low : f32
      %least = arith.select %above, %moved, %low : f32
      %below = arith.cmpf olt, %least, %high : f32
      %most = arith.select %below, %least, %high : f32
      %whole = arith.fptosi %most : f32 to i32
      %byte = arith.trunci %whole : i32 to i8
      linalg.yield %byte : i8
    } -> tensor<1x24x28x28xi8>
    return %z : tensor<1x24x28x28xi8>
  }
}
