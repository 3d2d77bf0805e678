"""Changes the first element of an initialiser: tamper.py MODEL NAME OUTPUT."""

import sys

import onnx
from onnx import numpy_helper

model = onnx.load(sys.argv[1])
tensor = next(t for t in model.graph.initializer if t.name == sys.argv[2])
array = numpy_helper.to_array(tensor).copy()
array.reshape(-1)[0] += 1
tensor.CopyFrom(numpy_helper.from_array(array, sys.argv[2]))
onnx.save(model, sys.argv[3])
