"""A schedule for matrix products, with tile sizes for each shape from a table."""

import json
import os

MATCHER = """
  transform.named_sequence @is_{name}(%op: !transform.any_op {{transform.readonly}}) -> !transform.any_op {{
    transform.match.operation_name %op ["linalg.matmul"] : !transform.any_op
    transform.match.structured %op : !transform.any_op {{
    ^bb0(%matmul: !transform.any_op):{sizes}
      transform.match.structured.yield
    }}
    transform.yield %op : !transform.any_op
  }}
  transform.named_sequence @tile_{name}(%op: !transform.any_op {{transform.consumed}}) {{
    %tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes {tile}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile : !transform.any_op
    transform.yield
  }}"""

SIZE = """
      %size{i} = transform.match.structured.dim %matmul[{i}] : (!transform.any_op) -> !transform.param<i64>
      %wanted{i} = transform.param.constant {size} : i64 -> !transform.param<i64>
      transform.match.param.cmpi eq %size{i}, %wanted{i} : !transform.param<i64>"""

MAIN = """
module attributes {{transform.with_named_sequence}} {{{sequences}
  transform.named_sequence @__transform_main(%module: !transform.any_op {{transform.consumed}}) {{
    %tiled = transform.foreach_match in %module {pairs} : (!transform.any_op) -> !transform.any_op
    %functions = transform.structured.match ops{{["func.func"]}} in %tiled : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {{
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    }} : !transform.any_op
    transform.apply_patterns to %functions {{
      transform.apply_patterns.vector.lower_contraction lowering_strategy = outerproduct
      transform.apply_patterns.canonicalization
    }} : !transform.any_op
    transform.yield
  }}
}}
"""


def create_schedule(table=os.path.join(os.path.dirname(__file__), "table.json")):
    """Tiles and vectorises each product whose rows x columns x depth stand in the table; leaves the others alone."""
    with open(table) as file:
        entries = {shape: tile for shape, tile in json.load(file).items() if tile}
    sequences, pairs = "", []
    for shape, tile in entries.items():
        sizes = "".join(SIZE.format(i=i, size=size) for i, size in enumerate(shape.split("x")))
        sequences += MATCHER.format(name=shape, sizes=sizes, tile=tile)
        pairs.append(f"@is_{shape} -> @tile_{shape}")
    if not pairs:
        raise ValueError(f"{table} has tile sizes for no shape")
    return MAIN.format(sequences=sequences, pairs=", ".join(pairs))
