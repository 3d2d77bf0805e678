// Finds matrix products of 4x8 by 8x16 and lets a kernel by hand do them.
module attributes {transform.with_named_sequence} {
  func.func private @my_matmul(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> attributes {
    hal.objects = [{path = "matmul.o"}], hal.workgroups = array<i64: 4>}

  transform.named_sequence @is_small_matmul(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.matmul"] : !transform.any_op
    transform.match.structured %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %sizes = transform.match.structured.dim %s[all] : (!transform.any_op) -> !transform.param<i64>
      %m = transform.match.structured.dim %s[0] : (!transform.any_op) -> !transform.param<i64>
      %four = transform.param.constant 4 : i64 -> !transform.param<i64>
      transform.match.param.cmpi eq %m, %four : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @call_kernel(%op: !transform.any_op {transform.readonly}) {
    %ab = transform.get_operand %op[0, 1] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %op[0] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @my_matmul(%ab) -> %out after %op
      : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    transform.foreach_match in %m @is_small_matmul -> @call_kernel : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
