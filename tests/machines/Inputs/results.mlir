// Functions whose results numpy knows exactly, but for the softmax: what results.py computes.
ml_program.global private mutable @total(dense<0.0> : tensor<4xf32>) : tensor<4xf32>

func.func @layer(%x: tensor<5x37xf32>, %w: tensor<37x19xf32>, %b: tensor<19xf32>) -> tensor<5x19xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x19xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x19xf32>) -> tensor<5x19xf32>
  %p = linalg.matmul ins(%x, %w : tensor<5x37xf32>, tensor<37x19xf32>) outs(%f : tensor<5x19xf32>) -> tensor<5x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%p, %b : tensor<5x19xf32>, tensor<19xf32>) outs(%e : tensor<5x19xf32>) {
  ^bb0(%v: f32, %c: f32, %o: f32):
    %s = arith.addf %v, %c : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<5x19xf32>
  return %r : tensor<5x19xf32>
}

func.func @softmax(%x: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x10xf32>
  %e = tensor.empty(%n) : tensor<?x10xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x10xf32>) outs(%e : tensor<?x10xf32>) -> tensor<?x10xf32>
  return %r : tensor<?x10xf32>
}

// More arguments than an architecture passes in registers.
func.func @many(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<8xf32>, %g: tensor<8xf32>, %h: tensor<8xf32>, %i: tensor<8xf32>, %j: tensor<8xf32>, %k: tensor<8xf32>, %l: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %0 = arith.subf %a, %b : tensor<8xf32>
  %1 = arith.mulf %0, %two : tensor<8xf32>
  %2 = arith.addf %1, %c : tensor<8xf32>
  %3 = arith.subf %2, %d : tensor<8xf32>
  %4 = arith.addf %3, %e : tensor<8xf32>
  %5 = arith.subf %4, %f : tensor<8xf32>
  %6 = arith.addf %5, %g : tensor<8xf32>
  %7 = arith.mulf %6, %h : tensor<8xf32>
  %8 = arith.addf %7, %i : tensor<8xf32>
  %9 = arith.subf %8, %j : tensor<8xf32>
  %10 = arith.addf %9, %k : tensor<8xf32>
  %11 = arith.subf %10, %l : tensor<8xf32>
  return %11 : tensor<8xf32>
}

func.func @squares(%x: tensor<1000xi64>) -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<1000xi64>) outs(%zero : tensor<i64>) {
  ^bb0(%v: i64, %s: i64):
    %p = arith.muli %v, %v : i64
    %t = arith.addi %s, %p : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  return %r : tensor<i64>
}

func.func @halves(%x: tensor<33xf32>) -> tensor<33xf32> {
  %h = arith.truncf %x : tensor<33xf32> to tensor<33xf16>
  %p = arith.mulf %h, %h : tensor<33xf16>
  %r = arith.extf %p : tensor<33xf16> to tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = ml_program.global_load @total : tensor<4xf32>
  %s = arith.addf %t, %x : tensor<4xf32>
  ml_program.global_store @total = %s : tensor<4xf32>
  return %s : tensor<4xf32>
}
