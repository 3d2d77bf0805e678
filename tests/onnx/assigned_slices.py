#!/usr/bin/env python3
"""`ScatterND` as exporters write the assignment to a slice, beside numpy: indices at equal distances, as numbers or made of ranges; no loop
writes them one by one. Other indices, which are repeated or not in order, are written as before.

usage: assigned_slices.py FOLDER [--seed N] [--count N]
"""

import argparse
import os
import random
import subprocess

import numpy as np
import onnx
from onnx import helper, numpy_helper

COMBINE = {"none": lambda old, new: new, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def axis(r, size, forward):
    """Indices along one dimension, at equal distances."""
    if not forward and size > 1:
        return list(range(size - 1, -1, -1))
    step = r.choice([1, 1, 1, 2, 3])
    start = r.randrange(size)
    stop = r.randrange(start + 1, size + 1)
    indices = list(range(start, stop, step)) if r.random() < 0.8 else list(range(size))
    return [i - size for i in indices] if r.random() < 0.2 else indices


class Case:
    def __init__(self, r, big):
        self.r = r
        rank = r.randrange(1, 5)
        self.shape = [r.choice([1, 2, 5, 8, 17, 33]) for _ in range(rank)]
        if big:
            self.shape[-1] = 400
        self.depth = r.randrange(1, rank + 1)
        # A list that goes backwards, or along which elements are written again.
        self.other = r.choice(["", "", "", "backwards", "again"])
        self.axes = [axis(r, size, self.other != "backwards") for size in self.shape[: self.depth]]
        self.outer = [len(a) for a in self.axes] + ([3] if self.other == "again" else [])
        self.reduction = r.choice([*COMBINE, "none", "none"])
        self.form = r.choice(["numbers", "ranges"])
        whole = [len(a) for a in self.axes] == self.shape[: self.depth]
        in_order = not self.other or (self.other == "backwards" and all(len(a) == 1 for a in self.axes))
        self.is_part = in_order and (self.reduction == "none" or whole)

    def indices(self):
        grid = np.stack(np.meshgrid(*self.axes, indexing="ij"), -1)
        return np.repeat(grid[..., None, :], 3, -2) if self.other == "again" else grid

    def model(self):
        update = self.outer + self.shape[self.depth :]
        nodes, constants = [], {}
        if self.form == "numbers":
            constants["indices"] = self.indices().astype(np.int64)
        else:
            constants |= {"all": np.array(self.outer, np.int64), "last": np.array([-1], np.int64)}
            for d, positions in enumerate(self.axes):
                behind = len(self.outer) - d - 1
                constants[f"a{d}"] = np.array(positions, np.int64).reshape([-1] + [1] * behind)
                nodes.append(helper.make_node("Expand", [f"a{d}", "all"], [f"e{d}"]))
                nodes.append(helper.make_node("Unsqueeze", [f"e{d}", "last"], [f"u{d}"]))
            lists = [f"u{d}" for d in range(self.depth)]
            nodes.append(helper.make_node("Concat", lists, ["indices"], axis=-1))
        nodes.append(helper.make_node("ScatterND", ["x", "indices", "v"], ["y"], reduction=self.reduction))
        value = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        inputs, outputs = [value("x", self.shape), value("v", update)], [value("y", self.shape)]
        weights = [numpy_helper.from_array(array, name) for name, array in constants.items()]
        graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), update

    def result(self, x, v):
        y, combine, indices = x.copy(), COMBINE[self.reduction], self.indices()
        for at in np.ndindex(*indices.shape[:-1]):
            place = tuple(indices[at])
            y[place] = combine(y[place], v[at])
        return y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--target", default="cpu")
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    path = lambda name: os.path.join(a.folder, name)
    parts = 0
    for number in range(a.count):
        case = Case(random.Random(a.seed * 1000 + number), number % 3 == 0)
        numbers = np.random.default_rng(number)
        model, update = case.model()
        onnx.save(model, path("m.onnx"))
        x, v = (numbers.standard_normal(shape).astype(np.float32) for shape in (case.shape, update))
        for name, array in (("x", x), ("v", v), ("y", case.result(x, v))):
            np.save(path(f"{name}.npy"), array)
        what = f"{number}: {case.shape} {case.axes} {case.other} {case.reduction} {case.form}"
        subprocess.run(["hal-import", "-q", path("m.onnx"), "-o", path("m.mlir")], check=True)
        with open(path("m.mlir")) as text:
            is_loop = "scf.for" in text.read()
        assert not (case.is_part and is_loop), f"{what}: a loop"
        parts += case.is_part
        subprocess.run(["hal-compile", "-q", f"--target={a.target}", path("m.mlir"), "-o", path("m.so")], check=True)
        given = [f"--input={name}=@{path(name)}.npy" for name in ("x", "v")]
        check = ["hal-run", path("m.so"), *given, f"--expect=@{path('y')}.npy", "--rtol=1e-6", "--atol=1e-6"]
        done = subprocess.run(check, capture_output=True, text=True)
        assert done.returncode == 0, f"{what}: {done.stderr}"
    print(f"{a.count} right, {parts} of them parts")


main()
