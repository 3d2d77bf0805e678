"""Programs that tests compile."""

ADD = """
func.func @main(%x: tensor<?x4xf32> {hal.name = "x", hal.dim_names = ["rows", ""]}, %y: tensor<4xf32> {hal.name = "y"})
    -> (tensor<?x4xf32> {hal.name = "sum"}) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
"""

SUM = """
func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce ins(%x : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }
  return %r : tensor<f32>
}
"""

COUNTER = """
ml_program.global private mutable @count(dense<0> : tensor<i32>) : tensor<i32> {hal.name = "count"}
func.func @main(%x: tensor<i32> {hal.name = "x"}) -> tensor<i32> {
  %old = ml_program.global_load @count : tensor<i32>
  %new = arith.addi %old, %x : tensor<i32>
  ml_program.global_store @count = %new : tensor<i32>
  return %new : tensor<i32>
}
"""

HOST = """
func.func private @top(tensor<?xf32>) -> tensor<?xf32> attributes {hal.host_function = "my.top"}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = func.call @top(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def identity(dtype, rank=1):
    """A program that returns its argument."""
    kind, unsigned = (
        f"tensor<{'?x' * rank}{dtype.removeprefix('u')}>",
        ", hal.unsigned" if dtype.startswith("u") else "",
    )
    attributes = f'{{hal.name = "x"{unsigned}}}'
    return f"func.func @main(%x: {kind} {attributes}) -> ({kind} {attributes}) {{\n  return %x : {kind}\n}}\n"
