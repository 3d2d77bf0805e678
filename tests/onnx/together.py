"""Many small models as one: a test that makes a model per case would start the tools for each of them, which takes longer than what it tests.

A case is a model of its own, with its inputs; in the program its names have a prefix, by which the origins of executables tell the cases apart.
"""

import argparse
import os
import re
import subprocess

import numpy as np
import onnx

FIELDS = ("node", "input", "output", "value_info", "initializer")


def arguments():
    """The folder of a test, and the seed and number of its random cases: `FOLDER [--seed=N] [--count=N]`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    given = parser.parse_args()
    return given.folder, given.seed, given.count


def run(*command):
    """What a tool prints on its standard streams; it must succeed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def prefix_names(graph, prefix):
    """Names all values, nodes and sizes of a graph and of the graphs in its nodes anew."""
    new = lambda name: name and prefix + name
    for node in graph.node:
        node.name = new(node.name)
        node.input[:], node.output[:] = map(new, node.input), map(new, node.output)
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs] if attribute.HasField("g") else attribute.graphs:
                prefix_names(inner, prefix)
    for value in [*graph.input, *graph.output, *graph.value_info, *graph.initializer]:
        value.name = new(value.name)
    for value in [*graph.input, *graph.output, *graph.value_info]:
        for size in value.type.tensor_type.shape.dim:
            if size.HasField("dim_param"):
                size.dim_param = new(size.dim_param)


def merged(models):
    """One model with the nodes, inputs, results and constants of all; the names of model 3 begin with `c3_`."""
    whole = onnx.ModelProto()
    whole.CopyFrom(models[0])
    for field in FIELDS:
        del getattr(whole.graph, field)[:]
    for at, model in enumerate(models):
        assert list(whole.opset_import) == list(model.opset_import), f"model {at} has other operator sets"
        graph = onnx.GraphProto()
        graph.CopyFrom(model.graph)
        prefix_names(graph, f"c{at}_")
        for field in FIELDS:
            getattr(whole.graph, field).extend(getattr(graph, field))
    return whole


class Together:
    """Models in one program, `m.onnx` in a folder, and what the tools say and give for each of them."""

    def __init__(self, folder, models):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.count = folder, len(models)
        self.path, self.mlir, self.program = (os.path.join(folder, f"m.{end}") for end in ("onnx", "mlir", "so"))
        self.results = [[value.name for value in model.graph.output] for model in models]
        onnx.save(merged(models), self.path)
        self.cases = None

    def imported(self):
        """The imported program; which case an executable is from is known afterwards."""
        run("hal-import", self.path, "--weights-to=embed", "-o", self.mlir)
        with open(self.mlir) as file:
            text = file.read()
        origins = re.findall(r"module @(\w+) attributes \{hal\.executable.*?hal\.origin = \[(.*?)\]", text)
        self.cases = {name: {int(at) for at in re.findall(r'"c(\d+)_', origin)} for name, origin in origins}
        seen = set().union(*self.cases.values())
        assert seen == set(range(self.count)), f"no executable is from {set(range(self.count)) - seen}"
        return text

    def by_case(self, parts):
        """Pairs of an executable's name and a text, joined for each case."""
        if self.cases is None:
            self.imported()
        texts = [""] * self.count
        for name, text in parts:
            for at in self.cases[name]:
                texts[at] += text
        return texts

    def translated(self, *flags):
        """For each case what `--explain` says, and the MLIR of its executables."""
        if self.cases is None:
            self.imported()
        objects = os.path.join(self.folder, "m.objects.mlir")
        explained = run("hal-translate", self.mlir, "--explain", "-o", objects, *flags)
        with open(objects) as file:
            modules = re.split(r"^  module @(?=\w+ attributes \{hal\.executable)", file.read(), flags=re.MULTILINE)[1:]
        return self.explanations(explained), self.by_case((re.match(r"\w+", text)[0], text) for text in modules)

    def explanations(self, said):
        """For each case its lines of what `--explain` or `--explain=schedule` said."""
        return self.by_case(re.findall(r"^@(\w+)(::.*\n(?:  .*\n)*)", said, flags=re.MULTILINE))

    def compiled(self, *flags):
        """Compiles the program for `run`; gives what was said."""
        return run("hal-compile", self.path, "-o", self.program, *flags)

    def linked(self):
        """Links what `translated` made last."""
        run("hal-link", os.path.join(self.folder, "m.objects.mlir"), "-o", self.program)

    def run(self, inputs, *flags):
        """Runs the program with the inputs of each case; gives their results, in the model's order."""
        given, made = (os.path.join(self.folder, f"{name}.npz") for name in ("given", "made"))
        np.savez(given, **{f"c{at}_{name}": array for at, case in enumerate(inputs) for name, array in case.items()})
        run("hal-run", self.program, f"--input={given}", f"--output={made}", *flags)
        with np.load(made) as arrays:
            return [[arrays[f"c{at}_{name}"] for name in names] for at, names in enumerate(self.results)]
