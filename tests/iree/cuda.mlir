// IREE's cuda/kernels/example.mlir: constants of 32 bits after the buffers, no sizes.
func.func private @simple_mul(i32, tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 3>}) attributes {
  hal.objects = [{path = "kernels.ptx", workgroup_size = array<i64: 64, 1, 1>}], hal.workgroups = @count_of_mul, hal.arguments = ["buffers", "arg0"]}
func.func private @simple_mul_inplace(i32, tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32> {hal.tied = 2 : i32}) attributes {
  hal.objects = [{path = "kernels.ptx", workgroup_size = array<i64: 64, 1, 1>}], hal.workgroups = @count, hal.arguments = ["buffers", "arg0"]}
func.func private @count_of_mul(%a: index, %b: index, %c: index, %n: index, %m: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.ceildivui %a, %c64 : index
  return %x, %c1, %c1 : index, index, index
}
func.func private @count(%a: index, %b: index, %c: index, %n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.ceildivui %a, %c64 : index
  return %x, %c1, %c1 : index, index, index
}
func.func @mixed_invocation(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
  %dim_i32 = arith.index_cast %dim : index to i32
  %0 = call @simple_mul(%dim_i32, %arg0, %arg1, %dim) : (i32, tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  %1 = arith.addf %0, %arg1 : tensor<?xf32>
  %2 = call @simple_mul_inplace(%dim_i32, %0, %1) : (i32, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
