// From tensors to plain loops over buffers, as a schedule.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @loops(%module: !transform.any_op {transform.consumed}) {
    %0 = transform.apply_registered_pass "linalg-generalize-named-ops" to %module : (!transform.any_op) -> !transform.any_op
    %1 = transform.apply_registered_pass "one-shot-bufferize" with options = {"bufferize-function-boundaries" = true, "function-boundary-type-conversion" = "identity-layout-map"} to %0 : (!transform.any_op) -> !transform.any_op
    %2 = transform.apply_registered_pass "convert-linalg-to-loops" to %1 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
