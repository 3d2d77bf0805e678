module attributes {transform.with_named_sequence} {
  transform.named_sequence @mark(%module: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.annotate %f "two" : !transform.any_op
    transform.yield
  }
}
