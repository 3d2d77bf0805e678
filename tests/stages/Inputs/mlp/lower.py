"""From tensors to loops, and on to the LLVM dialect, as schedules made in Python."""

LLVM = "convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts"
BUFFERIZE = 'with options = {"bufferize-function-boundaries" = true, "function-boundary-type-conversion" = "identity-layout-map"}'


def create_schedule(skip_llvm=True, lower=True):
    """Lowers to loops; unless skip_llvm, to the LLVM dialect."""
    passes = [("canonicalize", "")]
    if lower:
        passes += [("one-shot-bufferize", BUFFERIZE), ("convert-linalg-to-loops", "")]
    if not skip_llvm:
        passes += [(name, "") for name in LLVM.split(",")]
    any_op = "(!transform.any_op) -> !transform.any_op"
    steps = [
        f'%{i + 1} = transform.apply_registered_pass "{p}" {o} to %{i} : {any_op}' for i, (p, o) in enumerate(passes)
    ]
    body = "\n".join(steps).replace("%0 ", "%module ")
    return f"""module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%module: !transform.any_op {{transform.consumed}}) {{
    {body}
    transform.yield
  }}
}}"""


def cleanup():
    """Folds, and changes nothing else."""
    return create_schedule(lower=False)
