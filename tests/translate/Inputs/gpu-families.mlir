// A tensor program for each family of kernels for GPUs, with sizes that tiles do not divide.
func.func @all(%product_a: tensor<67x33xf32>, %product_b: tensor<33x71xf32>, %product_c: tensor<71xf32>,
               %halves_a: tensor<40x64xf16>, %halves_b: tensor<64x48xf16>,
               %windows_a: tensor<1x6x13x13xf32>, %windows_w: tensor<16x6x3x3xf32>,
               %rows_a: tensor<33x127xf32>,
               %columns_a: tensor<300x50xf32>,
               %choice_a: tensor<7x301xi32>,
               %turned_a: tensor<100x130xf32>,
               %elements_a: tensor<128x1024xf32>, %elements_b: tensor<1024xf32>)
    -> (tensor<67x71xf32>, tensor<40x48xf32>, tensor<1x16x7x7xf32>, tensor<33x127xf32>, tensor<50xf32>, tensor<7xi64>, tensor<130x100xf32>, tensor<128x1024xf32>) {
  // product
  %product_z = arith.constant 0.0 : f32
  %product_e = tensor.empty() : tensor<67x71xf32>
  %product_f = linalg.fill ins(%product_z : f32) outs(%product_e : tensor<67x71xf32>) -> tensor<67x71xf32>
  %product_m = linalg.matmul ins(%product_a, %product_b : tensor<67x33xf32>, tensor<33x71xf32>) outs(%product_f : tensor<67x71xf32>) -> tensor<67x71xf32>
  %product_r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%product_m, %product_c : tensor<67x71xf32>, tensor<71xf32>) outs(%product_e : tensor<67x71xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %p = arith.maximumf %s, %product_z : f32
    linalg.yield %p : f32
  } -> tensor<67x71xf32>
  // halves
  %halves_z = arith.constant 0.0 : f32
  %halves_e = tensor.empty() : tensor<40x48xf32>
  %halves_f = linalg.fill ins(%halves_z : f32) outs(%halves_e : tensor<40x48xf32>) -> tensor<40x48xf32>
  %halves_m = linalg.matmul ins(%halves_a, %halves_b : tensor<40x64xf16>, tensor<64x48xf16>) outs(%halves_f : tensor<40x48xf32>) -> tensor<40x48xf32>
  // windows
  %windows_z = arith.constant 0.0 : f32
  %windows_p = tensor.pad %windows_a low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %windows_z : f32
  } : tensor<1x6x13x13xf32> to tensor<1x6x15x15xf32>
  %windows_e = tensor.empty() : tensor<1x16x7x7xf32>
  %windows_f = linalg.fill ins(%windows_z : f32) outs(%windows_e : tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  %windows_c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
      ins(%windows_p, %windows_w : tensor<1x6x15x15xf32>, tensor<16x6x3x3xf32>) outs(%windows_f : tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  // rows
  %rows_e = tensor.empty() : tensor<33x127xf32>
  %rows_r = linalg.softmax dimension(1) ins(%rows_a : tensor<33x127xf32>) outs(%rows_e : tensor<33x127xf32>) -> tensor<33x127xf32>
  // columns
  %columns_z = arith.constant 0.0 : f32
  %columns_e = tensor.empty() : tensor<50xf32>
  %columns_f = linalg.fill ins(%columns_z : f32) outs(%columns_e : tensor<50xf32>) -> tensor<50xf32>
  %columns_r = linalg.reduce ins(%columns_a : tensor<300x50xf32>) outs(%columns_f : tensor<50xf32>) dimensions = [0]
    (%x: f32, %o: f32) {
      %s = arith.addf %x, %o : f32
      linalg.yield %s : f32
    }
  // choice
  %choice_least = arith.constant -2147483648 : i32
  %choice_z = arith.constant 0 : i64
  %choice_e = tensor.empty() : tensor<7xi32>
  %choice_i = tensor.empty() : tensor<7xi64>
  %choice_f = linalg.fill ins(%choice_least : i32) outs(%choice_e : tensor<7xi32>) -> tensor<7xi32>
  %choice_g = linalg.fill ins(%choice_z : i64) outs(%choice_i : tensor<7xi64>) -> tensor<7xi64>
  %choice_r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%choice_a : tensor<7x301xi32>) outs(%choice_f, %choice_g : tensor<7xi32>, tensor<7xi64>) {
  ^bb0(%x: i32, %v: i32, %p: i64):
    %k = linalg.index 1 : index
    %q = arith.index_cast %k : index to i64
    %c = arith.cmpi sgt, %x, %v : i32
    %s = arith.select %c, %x, %v : i32
    %t = arith.select %c, %q, %p : i64
    linalg.yield %s, %t : i32, i64
  } -> (tensor<7xi32>, tensor<7xi64>)
  // turned
  %turned_e = tensor.empty() : tensor<130x100xf32>
  %turned_r = linalg.transpose ins(%turned_a : tensor<100x130xf32>) outs(%turned_e : tensor<130x100xf32>) permutation = [1, 0]
  // elements
  %elements_e = tensor.empty() : tensor<128x1024xf32>
  %elements_r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%elements_a, %elements_b : tensor<128x1024xf32>, tensor<1024xf32>) outs(%elements_e : tensor<128x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<128x1024xf32>
  return %product_r, %halves_m, %windows_c, %rows_r, %columns_r, %choice_r#1, %turned_r, %elements_r
      : tensor<67x71xf32>, tensor<40x48xf32>, tensor<1x16x7x7xf32>, tensor<33x127xf32>, tensor<50xf32>, tensor<7xi64>, tensor<130x100xf32>, tensor<128x1024xf32>
}
