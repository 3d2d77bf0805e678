// IREE's cpu/embedded/example_stream.mlir: C functions that take offsets, a size and the first element of a workgroup.
func.func private @simple_mul_workgroup(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {
  hal.objects = [{path = "functions.o"}], hal.workgroups = @count,
  hal.arguments = ["arg0", "0", "arg1", "0", "result0", "0", "dim(arg0, 0)", "64 * workgroup_id(x)"]}
func.func private @simple_mul_inplace_workgroup(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.tied = 1 : i32}) attributes {
  hal.objects = [{path = "functions.o"}], hal.workgroups = @count,
  hal.arguments = ["arg0", "0", "arg1", "0", "dim(arg0, 0)", "64 * workgroup_id(x)"]}
func.func private @count(%a: index, %b: index, %c: index, %n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.ceildivui %a, %c64 : index
  return %x, %c1, %c1 : index, index, index
}
func.func @mixed_invocation(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
  %0 = call @simple_mul_workgroup(%arg0, %arg1, %dim) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  %1 = arith.addf %0, %arg1 : tensor<?xf32>
  %2 = call @simple_mul_inplace_workgroup(%0, %1, %dim) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
