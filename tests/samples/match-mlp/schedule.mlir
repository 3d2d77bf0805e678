// Finds layers, x * w + b, and lets `layer.c` do them. What the product starts from is the kernel's fourth argument, which
// it adds to: so nothing need be known of it.
module attributes {transform.with_named_sequence} {
  func.func private @layer(tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?x?xf32> {hal.tied = 3 : i32})
    attributes {hal.objects = [{path = "layer.o"}], hal.workgroups = @rows}
  func.func private @rows(%x0: index, %x1: index, %w0: index, %w1: index, %b0: index, %o0: index, %o1: index, %r0: index, %r1: index)
      -> (index, index, index) {
    %one = arith.constant 1 : index
    return %x0, %one, %one : index, index, index
  }

  transform.named_sequence @is_layer(%sum: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %sum ["linalg.add"] : !transform.any_op
    %product = transform.get_producer_of_operand %sum[0] : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %product ["linalg.matmul"] : !transform.any_op
    %bias = transform.get_producer_of_operand %sum[1] : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %bias ["linalg.broadcast"] : !transform.any_op
    transform.yield %sum : !transform.any_op
  }

  transform.named_sequence @call_layer(%sum: !transform.any_op {transform.readonly}) {
    %product = transform.get_producer_of_operand %sum[0] : (!transform.any_op) -> !transform.any_op
    %bias = transform.get_producer_of_operand %sum[1] : (!transform.any_op) -> !transform.any_op
    %xw = transform.get_operand %product[0, 1] : (!transform.any_op) -> !transform.any_value
    %b = transform.get_operand %bias[0] : (!transform.any_op) -> !transform.any_value
    %init = transform.get_operand %product[2] : (!transform.any_op) -> !transform.any_value
    %ins = transform.merge_handles %xw, %b, %init : !transform.any_value
    %out = transform.get_result %sum[0] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @layer(%ins) -> %out after %sum {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @__transform_main(%model: !transform.any_op) {
    transform.foreach_match in %model @is_layer -> @call_layer : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
