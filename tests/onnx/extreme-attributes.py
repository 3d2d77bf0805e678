#!/usr/bin/env python3
"""Node tests of ONNX in which an attribute, a size of an input, or a constant is as large or as small as it can be: each is imported, or
refused with an error.

usage: extreme-attributes.py FOLDER SEED COUNT
"""

import os
import random
import subprocess
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

NUMBERS = [0, -1, -2, 7, 2**31 - 1, -(2**31), 2**31, 2**62, 2**63 - 1, -(2**63)]


def is_constant(value):
    return isinstance(value, np.ndarray) and value.dtype == np.int64 and 0 < value.size <= 8


def with_constants(model, values):
    """Small inputs of int64 become constants, with one element changed."""
    for given, value in zip(list(model.graph.input), values):
        if is_constant(value):
            value = value.copy()
            value.flat[random.randrange(value.size)] = random.choice(NUMBERS)
            model.graph.initializer.append(numpy_helper.from_array(value, given.name))
            model.graph.input.remove(given)


def change(model):
    """Changes up to two attributes and sizes."""
    places = []
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.INT:
                places.append(lambda n, a=attribute: setattr(a, "i", n))
            elif attribute.type == onnx.AttributeProto.INTS:
                for i in range(len(attribute.ints)):
                    places.append(lambda n, a=attribute, i=i: a.ints.__setitem__(i, n))
    for given in model.graph.input:
        for size in given.type.tensor_type.shape.dim:
            if size.HasField("dim_value"):
                places.append(lambda n, d=size: setattr(d, "dim_value", max(n, 3)))
    for place in random.sample(places, min(2, len(places))):
        place(random.choice(NUMBERS))


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    file = lambda name: os.path.join(folder, name)
    with warnings.catch_warnings():
        # Some references overflow on purpose.
        warnings.simplefilter("ignore")
        cases = [case for case in collect_testcases(None) if case.model is not None]
    random.seed(seed)
    imported = refused = 0
    for case in random.choices(cases, k=count):
        model = onnx.ModelProto()
        model.CopyFrom(case.model)
        if random.random() < 0.6:
            with_constants(model, case.data_sets[0][0])
        change(model)
        onnx.save(model, file("m.onnx"))
        command = ["hal-import", "--cache=off", file("m.onnx"), "-o", file("m.mlirbc")]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert ran.returncode in (0, 1, 3), f"{case.name}: {ran.returncode}, {ran.stderr}\n{file('m.onnx')}"
        imported += ran.returncode == 0
        refused += ran.returncode != 0
    print(f"{count} models: {imported} are imported, {refused} are refused")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
