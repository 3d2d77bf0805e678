"""Puts an attribute on every function."""


def make(name, factor):
    return f"""
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%module: !transform.any_op {{transform.readonly}}) {{
    %functions = transform.structured.match ops{{["func.func"]}} in %module : (!transform.any_op) -> !transform.any_op
    %value = transform.param.constant {factor} : f64 -> !transform.any_param
    transform.annotate %functions "seen.{name}" = %value : !transform.any_op, !transform.any_param
    transform.yield
  }}
}}"""
