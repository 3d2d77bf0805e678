// Functions for operators of the domain com.example.

// A function with a body: alpha · x + bias, of any size. `alpha` is 2 where a node does not say it.
func.func private @affine(%x: tensor<?x?xf32>, %bias: tensor<?xf32>, %alpha: f32 {hal.onnx_attribute = "alpha", hal.onnx_default = 2.0 : f32}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %alpha : f32
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The same for f64 and without a bias; of several functions the first one is taken that fits.
func.func private @affine_wide(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %r = arith.addf %x, %x : tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// A kernel: cumulative sums of rows, in C. The function in front of it says the sizes.
func.func private @running_sums(tensor<?x?xf32>, index, index) -> (tensor<?x?xf32> {hal.dims = array<i64: 1, 2>})
  attributes {hal.objects = [{path = "custom.o"}], hal.workgroups = array<i64: 1, 1, 1>}
func.func private @sums(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = call @running_sums(%x, %n, %m) : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A function of a module, whose result is as long as the data say, and a list as an attribute.
func.func private @above(tensor<?xf32>, tensor<?xf32> {hal.onnx_attribute = "bounds"}) -> (tensor<?xf32>, tensor<i64>)
  attributes {hal.host_function = "example.above"}

func.func private @number(f32) -> tensor<f32>
