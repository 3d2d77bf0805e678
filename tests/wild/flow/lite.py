"""TensorFlow Lite in between: models as they are made for phones, which tf2onnx also converts."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tf2onnx
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

# What the converter makes of the numbers: as they are, weights of 16 or 8 bits, or all of 8 bits by what samples give.
KINDS = ("float", "float16", "dynamic", "int8")


def lite(concrete, kind, inputs, opset):
    """The model that tf2onnx makes of the one that TensorFlow Lite runs. `inputs` are entries of the table, whose sizes the function has."""
    converter = tf.lite.TFLiteConverter.from_concrete_functions([convert_variables_to_constants_v2(concrete)])
    if kind != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if kind == "int8":
        r = np.random.default_rng(2)

        def samples():
            for _ in range(8):
                yield [some(r, i, s) for i, s in zip(inputs, concrete.inputs)]

        converter.representative_dataset = samples
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.tflite")
        with open(path, "wb") as f:
            f.write(converter.convert())
        proto, _ = tf2onnx.convert.from_tflite(path, opset=opset)
    return proto


def some(r, entry, tensor):
    shape = tensor.shape.as_list()
    if entry.dtype.startswith("float"):
        return r.standard_normal(shape).astype(entry.dtype)
    return r.integers(entry.low, entry.high, shape).astype(entry.dtype)
