// IREE's cpu/embedded/example_transform_spec.mlir. `@call_mul_abs_negate` and the body of `@mul_abs_negate` are its own lines.
func.func private @simple_mul_abs_negate_workgroup(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {
  hal.objects = [{path = "functions.o"}], hal.workgroups = @count,
  hal.arguments = ["memref(arg0)", "memref(arg1)", "memref(result0)", "arg2", "64 * workgroup_id(x)"]}
func.func private @count(%a: index, %b: index, %c: index, %n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = arith.ceildivui %a, %c64 : index
  return %x, %c1, %c1 : index, index, index
}
func.func private @call_mul_abs_negate(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?xf32>
  %0 = call @simple_mul_abs_negate_workgroup(%arg0, %arg1, %dim) : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @mul_abs_negate(%lhs: tensor<?xf32>, %rhs: tensor<?xf32>) -> tensor<?xf32> attributes {hal.replaced_by = @call_mul_abs_negate} {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %lhs, %c0 : tensor<?xf32>
  %empty = tensor.empty(%dim) {"match.operation_name_only"} : tensor<?xf32>
  %mul = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%lhs, %rhs : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %in0: f32, %out: f32):
    %m = arith.mulf %in, %in0 : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  %abs = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%mul : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.absf %in : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %neg = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%abs : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<?xf32>
  return %neg : tensor<?xf32>
}
