"""Schedules for linear algebra."""


def tile(op="linalg.matmul", sizes=((32, 32),), label="tiled"):
    """Tiles each operation of a kind at several levels, outermost first, then the reduced dimension by `inner`."""
    steps, current = [], "%op"
    for level, (rows, columns) in enumerate(sizes):
        steps.append(
            f"%t{level}, %l{level}:2 = transform.structured.tile_using_for {current} tile_sizes [{rows}, {columns}, 0]"
            " : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)"
        )
        current = f"%t{level}"
    body = "\n      ".join(steps)
    return f"""
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%module: !transform.any_op {{transform.readonly}}) {{
    %inner = transform.param.constant 16 : i64 {{name = "inner"}} -> !transform.param<i64>
    %ops = transform.structured.match ops{{["{op}"]}} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %ops : !transform.any_op {{
    ^bb0(%op: !transform.any_op):
      {body}
      %done, %l = transform.structured.tile_using_for {current} tile_sizes [0, 0, %inner]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.annotate %done "{label}" : !transform.any_op
      transform.yield
    }}
    transform.yield
  }}
}}
"""
