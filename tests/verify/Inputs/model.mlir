// A product, a subtraction with a function, and sizes that are not fixed.
func.func @main(%a: tensor<17x40xf32>, %b: tensor<40x23xf32>, %c: tensor<17x23xf32>, %d: tensor<?x?xf32>) -> (tensor<17x23xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<17x23xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<17x23xf32>) -> tensor<17x23xf32>
  %p = linalg.matmul ins(%a, %b : tensor<17x40xf32>, tensor<40x23xf32>) outs(%f : tensor<17x23xf32>) -> tensor<17x23xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%p, %c : tensor<17x23xf32>, tensor<17x23xf32>) outs(%e : tensor<17x23xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %1 = arith.subf %x, %y : f32
    %2 = math.tanh %1 : f32
    linalg.yield %2 : f32
  } -> tensor<17x23xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %d, %c0 : tensor<?x?xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%d : tensor<?x?xf32>) outs(%h : tensor<?xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %1 = arith.addf %sum, %x : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %s, %r : tensor<17x23xf32>, tensor<?xf32>
}
