// Kernels of every family, with sizes that tiles do not divide, and with sizes that are not known.
func.func @product(%a: tensor<37x50xf32>, %b: tensor<50x83xf32>, %bias: tensor<83xf32>) -> tensor<37x83xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x83xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<37x83xf32>) -> tensor<37x83xf32>
  %m = linalg.matmul ins(%a, %b : tensor<37x50xf32>, tensor<50x83xf32>) outs(%f : tensor<37x83xf32>) -> tensor<37x83xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%m, %bias : tensor<37x83xf32>, tensor<83xf32>) outs(%e : tensor<37x83xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %p = arith.maximumf %s, %z : f32
    linalg.yield %p : f32
  } -> tensor<37x83xf32>
  return %r : tensor<37x83xf32>
}
func.func @product_of_rows(%a: tensor<40x70xf32>, %b: tensor<65x70xf32>) -> tensor<40x65xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x65xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x65xf32>) -> tensor<40x65xf32>
  %m = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<40x70xf32>, tensor<65x70xf32>) outs(%f : tensor<40x65xf32>) -> tensor<40x65xf32>
  return %m : tensor<40x65xf32>
}
func.func @any_product(%a: tensor<?x24xf32>, %b: tensor<24x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x24xf32>
  %n = tensor.dim %b, %c1 : tensor<24x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x24xf32>, tensor<24x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @batches(%a: tensor<3x17x40xf16>, %b: tensor<3x40x33xf16>) -> tensor<3x17x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x17x33xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x17x33xf32>) -> tensor<3x17x33xf32>
  %m = linalg.batch_matmul ins(%a, %b : tensor<3x17x40xf16>, tensor<3x40x33xf16>) outs(%f : tensor<3x17x33xf32>) -> tensor<3x17x33xf32>
  return %m : tensor<3x17x33xf32>
}
func.func @bytes(%a: tensor<21x64xi8>, %b: tensor<64x45xi8>) -> tensor<21x45xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<21x45xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<21x45xi32>) -> tensor<21x45xi32>
  %m = linalg.matmul ins(%a, %b : tensor<21x64xi8>, tensor<64x45xi8>) outs(%f : tensor<21x45xi32>) -> tensor<21x45xi32>
  return %m : tensor<21x45xi32>
}
func.func @softmax(%a: tensor<19x75xf32>) -> tensor<19x75xf32> {
  %e = tensor.empty() : tensor<19x75xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<19x75xf32>) outs(%e : tensor<19x75xf32>) -> tensor<19x75xf32>
  return %r : tensor<19x75xf32>
}
func.func @softmax_of_columns(%a: tensor<2x30x70xf32>) -> tensor<2x30x70xf32> {
  %e = tensor.empty() : tensor<2x30x70xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<2x30x70xf32>) outs(%e : tensor<2x30x70xf32>) -> tensor<2x30x70xf32>
  return %r : tensor<2x30x70xf32>
}
func.func @attention(%q: tensor<2x20x16xf32>, %k: tensor<2x28x16xf32>, %v: tensor<2x28x12xf32>) -> tensor<2x20x12xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x20x28xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x20x28xf32>) -> tensor<2x20x28xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<2x20x16xf32>, tensor<2x28x16xf32>) outs(%f : tensor<2x20x28xf32>) -> tensor<2x20x28xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x20x28xf32>) outs(%e : tensor<2x20x28xf32>) -> tensor<2x20x28xf32>
  %o = tensor.empty() : tensor<2x20x12xf32>
  %g = linalg.fill ins(%z : f32) outs(%o : tensor<2x20x12xf32>) -> tensor<2x20x12xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x20x28xf32>, tensor<2x28x12xf32>) outs(%g : tensor<2x20x12xf32>) -> tensor<2x20x12xf32>
  return %r : tensor<2x20x12xf32>
}
func.func @sums(%a: tensor<45x33xf32>) -> (tensor<33xf32>, tensor<45xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.reduce ins(%a : tensor<45x33xf32>) outs(%f : tensor<33xf32>) dimensions = [0]
    (%x: f32, %o: f32) {
      %s = arith.addf %x, %o : f32
      linalg.yield %s : f32
    }
  %g = tensor.empty() : tensor<45xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<45xf32>) -> tensor<45xf32>
  %t = linalg.reduce ins(%a : tensor<45x33xf32>) outs(%h : tensor<45xf32>) dimensions = [1]
    (%x: f32, %o: f32) {
      %s = arith.addf %x, %o : f32
      linalg.yield %s : f32
    }
  return %r, %t : tensor<33xf32>, tensor<45xf32>
}
func.func @vector_times_matrix(%a: tensor<64xf32>, %b: tensor<64x8192xf32>) -> tensor<8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %r = linalg.vecmat ins(%a, %b : tensor<64xf32>, tensor<64x8192xf32>) outs(%f : tensor<8192xf32>) -> tensor<8192xf32>
  return %r : tensor<8192xf32>
}
func.func @transposition(%a: tensor<3x70x90xf32>) -> tensor<3x90x70xf32> {
  %e = tensor.empty() : tensor<3x90x70xf32>
  %r = linalg.transpose ins(%a : tensor<3x70x90xf32>) outs(%e : tensor<3x90x70xf32>) permutation = [0, 2, 1]
  return %r : tensor<3x90x70xf32>
}
func.func @elements(%a: tensor<9x24x32xf32>, %b: tensor<32xf32>, %c: tensor<9x24x1xf32>) -> tensor<9x24x32xf32> {
  %e = tensor.empty() : tensor<9x24x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, 0)>,
                                        affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b, %c : tensor<9x24x32xf32>, tensor<32xf32>, tensor<9x24x1xf32>) outs(%e : tensor<9x24x32xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    %t = arith.addf %s, %w : f32
    %u = math.tanh %t : f32
    linalg.yield %u : f32
  } -> tensor<9x24x32xf32>
  return %r : tensor<9x24x32xf32>
}
func.func @convolutions(%x: tensor<2x8x18x15xf32>) -> tensor<2x5x16x13xf32> {
  %w = arith.constant dense<0.25> : tensor<40x8x3x3xf32>
  %v = arith.constant dense<0.5> : tensor<5x40x1x1xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40x16x13xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x40x16x13xf32>) -> tensor<2x40x16x13xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x8x18x15xf32>, tensor<40x8x3x3xf32>) outs(%f : tensor<2x40x16x13xf32>) -> tensor<2x40x16x13xf32>
  %g = tensor.empty() : tensor<2x5x16x13xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<2x5x16x13xf32>) -> tensor<2x5x16x13xf32>
  %d = linalg.conv_2d_nchw_fchw ins(%c, %v : tensor<2x40x16x13xf32>, tensor<5x40x1x1xf32>) outs(%h : tensor<2x5x16x13xf32>) -> tensor<2x5x16x13xf32>
  return %d : tensor<2x5x16x13xf32>
}
func.func @pooling(%x: tensor<2x5x17x19xf32>) -> tensor<2x5x8x9xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x5x8x9xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<2x5x8x9xf32>) -> tensor<2x5x8x9xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x5x17x19xf32>, tensor<3x3xf32>)
      outs(%f : tensor<2x5x8x9xf32>) -> tensor<2x5x8x9xf32>
  return %r : tensor<2x5x8x9xf32>
}
