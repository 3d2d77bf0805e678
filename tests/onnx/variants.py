"""Other models of the same tests: sizes and axes as constants, and dimensions of any size.

A variant is chosen with `HALYARD_TEST_CONSTANTS=1` and `HALYARD_TEST_SYMBOLIC=all` or `first`; both go together.
"""

import os

import numpy as np
import onnx

# Inputs of operators that stand for sizes, axes or counts, by the names in the specification.
SIZES = {
    "axes", "axis", "block_shape", "cond", "constant_value", "delta", "depth", "dft_length", "ends", "frame_length", "frame_step",
    "image_shape", "iou_threshold", "k", "K", "limit", "M", "max_output_boxes_per_class", "num_mel_bins", "output_shape", "pads",
    "position", "ratio", "repeats", "roi", "sample_rate", "scales", "score_threshold", "shape", "size", "sizes", "split", "start",
    "starts", "steps", "target_shape", "tiles", "training_mode",
}  # fmt: skip
CONSTANTS = os.environ.get("HALYARD_TEST_CONSTANTS") == "1"
SYMBOLIC = os.environ.get("HALYARD_TEST_SYMBOLIC", "")
ACTIVE = CONSTANTS or bool(SYMBOLIC)
# Why a test is left out that has no variant.
SAME = "the model has no such input"
# Why one is left out whose expected outputs are drawn: programs have numpy's generator only where the number of elements is known.
DRAWN = "numpy draws which elements are dropped"


def formal(schema, index):
    """The name that a schema has for an input."""
    inputs = schema.inputs
    if index < len(inputs):
        return inputs[index].name
    return inputs[-1].name if inputs else ""


def size_inputs(model):
    """Indices of the inputs that a node of the main graph reads as sizes, axes or counts."""
    graph, versions = model.graph, {o.domain: o.version for o in model.opset_import}
    found = set()
    for node in graph.node:
        try:
            schema = onnx.defs.get_schema(node.op_type, versions.get(node.domain, 1), node.domain)
        except onnx.defs.SchemaError:
            continue
        found |= {name for i, name in enumerate(node.input) if name and formal(schema, i) in SIZES}
    # The nodes that a function was expanded to no longer say what their inputs stand for.
    found |= {i.name for i in graph.input if i.name in SIZES}
    stored = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in stored]

    def short(info):
        tensor = info.type.tensor_type
        return info.type.HasField("tensor_type") and tensor.HasField("shape") and len(tensor.shape.dim) <= 1

    return [i for i, info in enumerate(inputs) if info.name in found and short(info)]


def draws(model, arrays):
    """Whether a `Dropout` of the main graph drops elements."""
    stored = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    values = stored | dict(zip([i.name for i in model.graph.input if i.name not in stored], arrays))

    def given(node, index, default):
        return (
            np.any(values.get(node.input[index], default)) if len(node.input) > index and node.input[index] else default
        )

    return any(n.op_type == "Dropout" and given(n, 2, False) and given(n, 1, True) for n in model.graph.node)


def with_constants(model, arrays):
    """The model with those inputs as initialisers, and the inputs that are left."""
    graph, chosen = model.graph, set(size_inputs(model))
    stored = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in stored]
    for i in sorted(chosen):
        if i < len(arrays) and isinstance(arrays[i], np.ndarray):
            graph.initializer.append(onnx.numpy_helper.from_array(arrays[i], inputs[i].name))
            graph.input.remove(inputs[i])
        else:
            chosen.discard(i)
    return [a for i, a in enumerate(arrays) if i not in chosen]


def with_symbols(model, mode):
    """Replaces sizes of the inputs by names, and forgets those of all that follows from them."""
    graph = model.graph
    stored = {t.name for t in graph.initializer}
    shared = None
    for info in graph.input:
        shape = info.type.tensor_type.shape
        if info.name in stored or not info.type.HasField("tensor_type") or not len(shape.dim):
            continue
        if mode == "all":
            for i, d in enumerate(shape.dim):
                d.dim_param = f"{info.name}_{i}"
        elif shape.dim[0].HasField("dim_value"):
            # Inputs of as many elements as the first are rows of one batch, as far as can be told.
            size = shape.dim[0].dim_value
            shared = size if shared is None else shared
            shape.dim[0].dim_param = "N" if size == shared else f"{info.name}_0"
    for n, info in enumerate(graph.output):
        if info.type.HasField("tensor_type"):
            for i, d in enumerate(info.type.tensor_type.shape.dim):
                d.dim_param = f"output{n}_{i}"
    del graph.value_info[:]


def variant(model, arrays):
    """The variant of a model that was chosen, and the inputs that it is run with."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    if CONSTANTS:
        arrays = with_constants(changed, arrays)
    if SYMBOLIC:
        with_symbols(changed, SYMBOLIC)
    return changed, arrays
