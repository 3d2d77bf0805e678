"""A generator with three options and a tag for its results, whose schedule has three sequences with two parameters each."""


def create_schedule(tag, a=1, b="x", c=(0,)):
    value = ", ".join([str(a), f'"{b}"', "[" + ", ".join(map(str, c)) + "]"])
    sequence = """
      transform.named_sequence @%(name)s(%%m: !transform.any_op {transform.readonly}) {
        %%f = transform.structured.match ops{["func.func"]} in %%m : (!transform.any_op) -> !transform.any_op
        %%o = transform.param.constant [%(value)s] -> !transform.any_param
        %%p = transform.param.constant 10 : i64 {name = "p"} -> !transform.any_param
        %%q = transform.param.constant "q" {name = "q"} -> !transform.any_param
        transform.annotate %%f "%(tag)s.%(name)s.options" = %%o : !transform.any_op, !transform.any_param
        transform.annotate %%f "%(tag)s.%(name)s.p" = %%p : !transform.any_op, !transform.any_param
        transform.annotate %%f "%(tag)s.%(name)s.q" = %%q : !transform.any_op, !transform.any_param
        transform.yield
      }"""
    sequences = "".join(sequence % {"name": name, "value": value, "tag": tag} for name in ("one", "two", "three"))
    return "module attributes {transform.with_named_sequence} {" + sequences + "}"
