#!/usr/bin/env python3
"""Writes a model as its users change it before they run it: quantised, in half precision, with sizes left open.

usage: convert.py qdq|dynamic-quantized|f16 IN.onnx OUT.onnx       # by onnxruntime's tools
       convert.py symbolic IN.onnx OUT.onnx SIZE=INPUT:AXIS[,INPUT:AXIS…] …

`qdq` calibrates with seeded random inputs, quantises per channel, weights signed and activations unsigned. `symbolic` gives axes
of inputs a name for a size; reshapes keep the dimensions that stay where they are, so that any size will do.
"""

import argparse
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper, shape_inference

CALIBRATIONS = 4


def feeds(model, seed=1):
    """Seeded inputs of a model, by name, without end."""
    stored, rng = {t.name for t in model.graph.initializer}, np.random.default_rng(seed)
    while True:
        found = {}
        for value in model.graph.input:
            if value.name in stored:
                continue
            shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
            whole = value.type.tensor_type.elem_type == TensorProto.INT64
            found[value.name] = rng.integers(0, 100, shape) if whole else rng.standard_normal(shape).astype(np.float32)
        yield found


def quantise(source, target, statically):
    """Quantises a model as onnxruntime recommends."""
    from onnxruntime import quantization as q

    with tempfile.NamedTemporaryFile(suffix=".onnx") as ready:
        q.shape_inference.quant_pre_process(source, ready.name, skip_symbolic_shape=True)
        if not statically:
            q.quantize_dynamic(ready.name, target, weight_type=q.QuantType.QInt8)
            return
        model, left = onnx.load(source), [CALIBRATIONS]

        class Reader(q.CalibrationDataReader):
            def __init__(self):
                self.inputs = feeds(model)

            def get_next(self):
                left[0] -= 1
                return next(self.inputs) if left[0] >= 0 else None

        q.quantize_static(ready.name, target, Reader(), quant_format=q.QuantFormat.QDQ, per_channel=True)


def halve(source, target):
    """Computes in half precision; inputs and outputs stay f32."""
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=True), target)


def open_sizes(source, target, names):
    """Gives axes of inputs names: {(INPUT, AXIS): SIZE}."""
    model = shape_inference.infer_shapes(onnx.load(source))
    graph = model.graph
    sizes = lambda value: [d.dim_value for d in value.type.tensor_type.shape.dim]
    shapes = {v.name: sizes(v) for v in [*graph.value_info, *graph.input, *graph.output]}
    stored = {t.name: t for t in graph.initializer}
    for node in graph.node:
        shape = stored.get(node.input[1]) if node.op_type == "Reshape" else None
        if shape is None or node.input[0] not in shapes:
            continue
        before, wanted = shapes[node.input[0]], numpy_helper.to_array(shape).copy()
        kept = [
            i for i, n in enumerate(wanted) if i < len(before) and before[i] == n and before[:i] == list(wanted[:i])
        ]
        wanted[kept] = 0
        own = numpy_helper.from_array(wanted, f"{node.output[0]}.shape")
        graph.initializer.append(own)
        node.input[1] = own.name
    for value in graph.input:
        for axis, d in enumerate(value.type.tensor_type.shape.dim):
            if (value.name, axis) in names:
                d.dim_param = names[value.name, axis]
    for value in graph.output:
        for d in value.type.tensor_type.shape.dim:
            d.Clear()
    del graph.value_info[:]
    onnx.save(shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True), target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["qdq", "dynamic-quantized", "f16", "symbolic"])
    parser.add_argument("source", metavar="IN.onnx")
    parser.add_argument("target", metavar="OUT.onnx")
    parser.add_argument("sizes", nargs="*", metavar="SIZE=INPUT:AXIS,…")
    a = parser.parse_args()
    if bool(a.sizes) != (a.kind == "symbolic"):
        parser.error("`symbolic` needs names for sizes, and nothing else takes them")
    if a.kind == "f16":
        halve(a.source, a.target)
    elif a.kind == "symbolic":
        names = {}
        for size, places in (text.split("=") for text in a.sizes):
            for name, axis in (place.split(":") for place in places.split(",")):
                names[name, int(axis)] = size
        open_sizes(a.source, a.target, names)
    else:
        quantise(a.source, a.target, a.kind == "qdq")


if __name__ == "__main__":
    main()
