"""Models of one node with symbolic sizes, and what becomes of inputs that fit and of inputs that do not."""

import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

# Inputs are written as numpy types; a shape stands for random numbers of it.
TYPES = {"f": (T.FLOAT, np.float32), "l": (T.INT64, np.int64), "i": (T.INT32, np.int32), "b": (T.BOOL, np.bool_), "u": (T.UINT8, np.uint8),
         "c": (T.INT8, np.int8), "h": (T.FLOAT16, np.float16), "d": (T.DOUBLE, np.float64)}  # fmt: skip
# A program that computes longer than this has failed.
TIMEOUT = 120


class Row:
    """A node, its inputs as `name:type[sizes]`, and arguments for them: `legal` ones, and `illegal` ones with what the error says.

    `op` is an operator or a list of nodes, of which the last is the one that errors name. Inputs that are arrays are initialisers.
    """

    def __init__(
        self,
        op,
        inputs,
        legal,
        illegal,
        outputs="f",
        opset=21,
        name=None,
        consts=None,
        node=None,
        shapes=None,
        **attributes,
    ):
        self.shapes = shapes or {}
        self.op, self.inputs, self.legal, self.illegal = op, inputs.split(), legal, illegal
        self.outputs, self.opset, self.consts, self.attributes = outputs, opset, consts or {}, attributes
        self.name = name or (op if isinstance(op, str) else op[-1].op_type)
        self.node = node or ("the_node" if isinstance(op, str) else op[-1].name)

    def infos(self):
        """[(name, type letter, sizes)] of the inputs."""
        found = [re.fullmatch(r"(\w+):(\w)\[(.*)\]", text).groups() for text in self.inputs if ":" in text]
        return [
            (name, kind, [int(d) if d.isdigit() else d for d in sizes.split(",") if d]) for name, kind, sizes in found
        ]

    def model(self):
        """The model. Inputs of the node are named in order; `-` is one that is left out, a name without a type a constant."""
        names = ["" if text == "-" else text.split(":")[0] for text in self.inputs]
        outputs = [f"y{i}" for i in range(len(self.outputs))]
        nodes = self.op
        if isinstance(nodes, str):
            nodes = [helper.make_node(self.op, names, outputs, name="the_node", **self.attributes)]
        graph = helper.make_graph(
            nodes, "g", [helper.make_tensor_value_info(n, TYPES[k][0], s) for n, k, s in self.infos()],
            [helper.make_tensor_value_info(o, TYPES[k][0], self.shapes.get(o)) for o, k in zip(outputs, self.outputs)],
            [onnx.numpy_helper.from_array(np.asarray(v), n) for n, v in self.consts.items()],
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)

    def arrays(self, given):
        """Arguments as arrays."""
        random = np.random.default_rng(1)
        made = []
        for (_, kind, _), value in zip(self.infos(), given, strict=True):
            dtype = TYPES[kind][1]
            if isinstance(value, tuple):
                value = random.standard_normal(value) if kind in "fhd" else random.integers(0, 2, value)
            made.append(np.asarray(value, dtype))
        return made


def reference(model, arrays):
    """The outputs by onnxruntime, or, where it does not take the model, by the reference evaluator of ONNX; `None`: they are empty."""
    import onnxruntime

    feeds = dict(zip([i.name for i in model.graph.input], arrays))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(
            None, feeds
        )
    except Exception:
        from onnx.reference import ReferenceEvaluator

        try:
            return ReferenceEvaluator(model).run(None, feeds)
        except Exception:
            # Some layers do not compute empty batches, for which there is but one answer.
            if not any(a.size == 0 for a in arrays):
                raise
            return None


def run(folder, arrays, count, device):
    """(exit code, messages, outputs) of the program in a folder."""
    for i, array in enumerate(arrays):
        np.save(f"{folder}/in{i}.npy", array)
    for i in range(count):
        if os.path.exists(f"{folder}/out{i}.npy"):
            os.remove(f"{folder}/out{i}.npy")
    command = ["hal-run", "model.so", f"--device={device}", *[f"--input=@in{i}.npy" for i in range(len(arrays))],
               *[f"--output=out{i}.npy" for i in range(count)]]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT, check=False)
    made = [np.load(f"{folder}/out{i}.npy") for i in range(count) if os.path.exists(f"{folder}/out{i}.npy")]
    return done.returncode, done.stderr.decode(errors="replace"), made, done.stdout


def look(task):
    """Compiles a row and runs all of its arguments; returns its name, how many were right, and what was wrong."""
    row, target = task
    good, wrong = 0, []
    folder = tempfile.mkdtemp(prefix="hal-illegal-")
    try:
        model = row.model()
        onnx.save(model, f"{folder}/model.onnx")
        done = subprocess.run(["hal-compile", "model.onnx", "-o", "model.so", "-j1", f"--target={target}"], cwd=folder,
                              capture_output=True, timeout=TIMEOUT, check=False)  # fmt: skip
        if done.returncode:
            return row.name, 0, [f"does not compile: {done.stderr.decode(errors='replace')}"]
        for given in row.legal:
            arrays = row.arrays(given)
            code, said, made, _ = run(folder, arrays, len(row.outputs), target)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = reference(model, arrays)
            shapes = [a.shape for a in arrays]
            if code:
                wrong.append(f"refuses {shapes}: {said.strip()}")
                continue
            wanted = wanted or [np.zeros((0, *a.shape[1:]), a.dtype) for a in made]
            bad = [
                i
                for i, (a, b) in enumerate(zip(made, wanted))
                if a.shape != b.shape or not np.allclose(a, b, 1e-3, 1e-4, equal_nan=True)
            ]
            if bad:
                wrong.append(f"is wrong for {shapes}: {made[bad[0]]!r} instead of {wanted[bad[0]]!r}"[:600])
            else:
                good += 1
        for *given, expected in row.illegal:
            code, said, made, out = run(folder, row.arrays(given), len(row.outputs), target)
            texts = [f"`{row.node}`", *([expected] if isinstance(expected, str) else expected)]
            missing = [t for t in texts if t not in said]
            if code != 1 or made or out or missing or "1844674" in said:
                numbers = f" and gives {made[0].ravel()[:4]}" if made else ""
                wrong.append(f"takes {[np.shape(a) if not isinstance(a, tuple) else a for a in given]}: exit code {code}{numbers}, "
                             f"no {missing} in: {said.strip()[-400:]}")  # fmt: skip
            else:
                good += 1
    except Exception as e:
        wrong.append(f"{type(e).__name__}: {e}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return row.name, good, wrong


def main(rows, target="cpu", jobs=None):
    """Looks at rows; ends the process."""
    illegal, legal = sum(len(r.illegal) for r in rows), sum(len(r.legal) for r in rows)
    failures, right = 0, 0
    with multiprocessing.get_context("fork").Pool(jobs or os.cpu_count()) as pool:
        for name, good, wrong in pool.imap(look, [(row, target) for row in rows]):
            right += good
            failures += len(wrong)
            for what in wrong:
                print(f"{name} {what}", flush=True)
    print(
        f"{right} of {illegal + legal} arguments are right: {illegal} illegal ones of {len(rows)} models, {legal} legal ones"
    )
    sys.exit(failures > 0)
