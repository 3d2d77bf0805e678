def schedule(tile, label):
    return f"""
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%m: !transform.any_op {{transform.readonly}}) {{
    %mm = transform.structured.match ops{{["linalg.matmul"]}} in %m : (!transform.any_op) -> !transform.any_op
    %t = transform.param.constant {tile} : i64 {{name = "size"}} -> !transform.param<i64>
    %r, %l = transform.structured.tile_using_for %mm tile_sizes [%t] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.annotate %r "{label}" : !transform.any_op
    transform.yield
  }}
  transform.named_sequence @mark(%m: !transform.any_op {{transform.readonly}}) {{
    %mm = transform.structured.match ops{{["linalg.matmul"]}} in %m : (!transform.any_op) -> !transform.any_op
    transform.annotate %mm "marked" : !transform.any_op
    transform.yield
  }}
}}
"""
