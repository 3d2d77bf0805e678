"""From the bytes of a program to text of upstream MLIR."""

import os
import traceback

import jaxlib.mlir.ir as ir
import jaxlib.mlir.passmanager as passmanager
from jaxlib.mlir.dialects import stablehlo

from . import (
    bindings,
    calls,
    checks,
    complexes,
    control,
    dynamic_windows,
    float8,
    gather,
    linalg,
    ranges,
    scatter,
    shapes,
    signature,
    sort,
    tidy,
    topk,
    windows,
)
from .build import Unsupported, text, walk
from .inline import inline_calls

# In this order; inner operations first.
REWRITES = [
    ("stablehlo.custom_call", calls.custom_call),
    ("stablehlo.optimization_barrier", tidy.no_barrier),
    ("sdy.mesh", tidy.drop),
    ("sdy.sharding_constraint", tidy.no_barrier),
    ("stablehlo.reduce", tidy.reduce_nothing),
    ("stablehlo.reduce_window", windows.running),
    ("stablehlo.select_and_scatter", windows.select_and_scatter),
    *((f"stablehlo.{name}", tidy.wide_sums) for name in ("dot", "dot_general", "convolution", "dynamic_conv")),
    ("stablehlo.convolution", dynamic_windows.convolution),
    ("stablehlo.dynamic_conv", dynamic_windows.convolution),
    ("stablehlo.convert", ranges.cast),
    *((f"stablehlo.{name}", ranges.shift) for name in ("shift_left", "shift_right_logical", "shift_right_arithmetic")),
    ("stablehlo.sort", sort.sort),
    ("stablehlo.scatter", scatter.scatter),
    ("stablehlo.cholesky", linalg.cholesky),
    ("stablehlo.triangular_solve", linalg.triangular_solve),
    ("stablehlo.gather", gather.gather),
    ("stablehlo.dynamic_gather", gather.dynamic_gather),
    ("stablehlo.get_dimension_size", shapes.dimension_size),
    ("stablehlo.dynamic_reshape", shapes.dynamic_reshape),
    ("stablehlo.dynamic_update_slice", shapes.dynamic_update_slice),
    ("stablehlo.dynamic_broadcast_in_dim", shapes.dynamic_broadcast),
    ("stablehlo.while", control.while_loop),
    ("stablehlo.case", control.case),
    ("stablehlo.if", control.if_else),
    ("shape.assuming", shapes.assuming),
    ("shape.cstr_broadcastable", shapes.broadcastable),
    ("shape.const_shape", shapes.const_shape),
    ("shape.broadcast", shapes.shape_broadcast),
    ("shape.num_elements", shapes.num_elements),
    ("shape.shape_of", shapes.shape_of),
]
# What hal-import takes.
UPSTREAM = ("builtin", "func", "linalg", "tosa", "tensor", "arith", "math", "affine", "scf", "cf", "ml_program")


def run(module, *passes):
    for name in passes:
        passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)


def rewrite(module, name, function):
    for op in walk(module, name):
        function(op)


def parse(context, data):
    """Text, bytecode of StableHLO, or a portable artifact in VHLO."""
    if data[:4] != b"ML\xefR":
        return ir.Module.parse(data)
    try:
        return stablehlo.deserialize_portable_artifact(context, data)
    except Exception:
        return ir.Module.parse(data)  # plain bytecode


def lower(data, locations=False):
    """The lowered program, and what keeps it from being lowered: lines for standard error."""
    with bindings.context() as context, ir.Location.unknown():
        try:
            module = parse(context, data)
            return transform(module).get_asm(enable_debug_info=locations), []
        except Unsupported as e:
            return "", [line for line in report(e) if line]
        except Leftover as e:
            return "", e.lines
        except ir.MLIRError as e:
            return "", [f"error: {e}"]
        except Exception as e:
            *_, last = traceback.extract_tb(e.__traceback__)
            where = f"{os.path.basename(last.filename)}:{last.lineno}"
            return "", [f"error: a bug of the plugin, at {where}: {type(e).__name__}: {e}"]


def transform(module):
    """Lowers a module in place."""
    told = signature.names(module)
    signature.drop_foreign(module)
    checks.assertions(module)
    calls.with_functions(module)
    rewrite(module, "stablehlo.composite", calls.composite)
    run(module, "func.func(stablehlo-legalize-composite-to-call)")
    inline_calls(module)
    rewrite(module, "chlo.top_k", topk.top_k)
    run(
        module,
        "func.func(chlo-legalize-to-stablehlo)",
        "func.func(stablehlo-complex-math-expander)",
        "func.func(stablehlo-canonicalize-dynamism)",
    )
    complexes.split(module)
    float8.widen(module)
    tidy.empties(module)
    signature.annotate(module, told)
    for name, function in REWRITES:
        rewrite(module, name, function)
    run(module, "stablehlo-legalize-to-linalg", "stablehlo-convert-to-signless")
    rewrite(module, "shape.shape_of", shapes.shape_of)
    tidy.casts(module)
    check(module)
    return module.operation


class Leftover(Exception):
    """Operations that nothing lowered."""

    def __init__(self, lines):
        super().__init__(lines[0])
        self.lines = lines


def check(module):
    """Fails if something is left that is not upstream's."""
    left = {}

    def look(op):
        op = op.operation
        name = op.name
        if name.split(".")[0] not in UPSTREAM or name == "builtin.unrealized_conversion_cast":
            if name == "stablehlo.custom_call":
                name += " @" + text(op.attributes["call_target_name"])
            left.setdefault(name, op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    if len(left) > 1:
        left.pop("stablehlo.return", None)
    if left:
        raise Leftover([f"error: `{name}` is not lowered{types(op)}{place(op)}" for name, op in sorted(left.items())])


def types(op):
    return " for " + ", ".join(f"`{v.type}`" for v in op.operands) if len(op.operands) else ""


def place(op):
    """Where an operation stands, if the framework said it."""
    location = str(op.location).removeprefix("loc(").removesuffix(")")
    return f" (at {location[:200]})" if location not in ("unknown", "") else ""


def report(e):
    name = f"`{e.op.name}`: " if e.op is not None else ""
    yield f"error: {name}{e.why} is not supported{place(e.op) if e.op is not None else ''}"
    yield f"hint: {e.hint}" if e.hint else ""
