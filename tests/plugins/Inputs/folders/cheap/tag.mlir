// Puts an attribute on every function.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @tag(%module: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %value = transform.param.constant "none" {name = "value"} -> !transform.any_param
    transform.annotate %functions "seen.global" = %value : !transform.any_op, !transform.any_param
    transform.yield
  }
}
