// Tiles linear algebra into loops, for caches and registers.
module attributes {transform.with_named_sequence} {
  // Tiles each linalg.matmul: rows, columns and the reduced dimension.
  transform.named_sequence @matmul(%module: !transform.any_op {transform.readonly}) {
    %rows = transform.param.constant 8 : i64 {name = "rows"} -> !transform.param<i64>
    %columns = transform.param.constant 8 : i64 {name = "columns"} -> !transform.param<i64>
    %depth = transform.param.constant 8 : i64 {name = "depth"} -> !transform.param<i64>
    %matmuls = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %matmuls : !transform.any_op {
    ^bb0(%matmul: !transform.any_op):
      %tiled, %loops:3 = transform.structured.tile_using_for %matmul tile_sizes [%rows, %columns, %depth] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield
    }
    transform.yield
  }
}
