// A preprocessing spec in IREE's form: the sequence is `__transform_main`.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %found = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.annotate %found "found_by_spec" : !transform.any_op
    transform.yield
  }
}
