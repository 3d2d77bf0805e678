"""Custom calls: what JAX exports by name."""

from . import decompositions, dynamic_windows, eigen, lapack
from .build import Unsupported, before, integer, ir, replace, shape, shaped, text, walk
from .topk import largest


def forward(op):
    """A call that says something about its operand, which is its result."""
    replace(op, list(op.operands)[: len(op.results)])


def top_k(op):
    """`@mhlo.topk`, `@TopK`."""
    attrs = ir.DictAttr(op.attributes["mhlo.attributes"]) if "mhlo.attributes" in op.attributes else {}
    k = integer(attrs["k"]) if "k" in attrs else list(ir.RankedTensorType(op.results[0].type).shape)[-1]
    smallest = "largest" in attrs and not ir.BoolAttr(attrs["largest"]).value
    with before(op):
        replace(op, largest(op.operands[0], k, op.results[0].type, op.results[1].type, smallest))


CALLS = {
    "Sharding": forward,
    "annotate_device_placement": forward,
    "SPMDFullToShardShape": forward,
    "SPMDShardToFullShape": forward,
    "xla.sdy.FuncResultSharding": forward,
    "LayoutConstraint": forward,
    "LuDecomposition": decompositions.lu,
    "Qr": decompositions.qr,
    "ProductOfElementaryHouseholderReflectors": decompositions.householder,
    "Eigh": eigen.eigh,
    "mhlo.topk": top_k,
    "TopK": top_k,
}


def custom_call(op):
    """Replaces a call that is known; others are reported at the end."""
    name = text(op.attributes["call_target_name"])
    lowering = lapack.call if name.startswith("lapack_") else CALLS.get(name)
    if lowering:
        lowering(op)


def composite(op):
    """Takes the composites that are done better than by their decomposition."""
    if text(op.attributes["name"]) in ("chlo.top_k", "mhlo.topk"):
        with before(op):
            k = shape(op.results[0])[-1]
            replace(op, largest(op.operands[0], k, op.results[0].type, op.results[1].type))


def approximate_top_k(op, comparator):
    """`@ApproxTopK` along the last dimension, exactly; its comparator says which end is wanted."""
    config = ir.DictAttr(op.attributes["mhlo.backend_config"])
    x = op.operands[0]
    if len(op.results) != 2 or integer(config["reduction_dim"]) != shaped(x).rank - 1:
        raise Unsupported(op, "an approximate top-k along another dimension than the last")
    if shape(op.results[0])[-1] != integer(config["top_k"]):
        raise Unsupported(op, "an approximate top-k without aggregation")
    compares = [o.operation for o in comparator.operations if o.operation.name == "stablehlo.compare"]
    smallest = any("LT" in str(o.attributes["comparison_direction"]) for o in compares)
    with before(op):
        replace(op, largest(x, integer(config["top_k"]), op.results[0].type, op.results[1].type, smallest))


WITH_FUNCTIONS = {"stablehlo.dynamic_reduce_window": dynamic_windows.reduce_window, "ApproxTopK": approximate_top_k}


def with_functions(module):
    """Calls that name functions for their elements; these go away with the calls."""
    functions = {
        text(f.attributes["sym_name"]): f.operation for f in module.body.operations if f.operation.name == "func.func"
    }
    used = set()
    for op in walk(module, "stablehlo.custom_call"):
        lowering = WITH_FUNCTIONS.get(text(op.attributes["call_target_name"]))
        if lowering:
            name = ir.FlatSymbolRefAttr(ir.ArrayAttr(op.attributes["called_computations"])[0]).value
            lowering(op, functions[name].regions[0].blocks[0])
            used.add(name)
    for name in used:
        functions[name].erase()
