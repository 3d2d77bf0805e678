// The pass of the plugin, where a schedule says.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %options = transform.param.constant false {name = "exact"} -> !transform.any_param
    transform.apply_registered_pass "reciprocal-division" with options = {"exact-only" = %options} to %functions
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    transform.yield
  }
}
