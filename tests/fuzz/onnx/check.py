"""Compiles and runs a grown graph, and compares what comes out with what it was grown with, and with onnxruntime."""

import os
import re
import subprocess

import ml_dtypes  # noqa: F401  numpy learns of bfloat16
import numpy as np
import onnx
from grow import KINDS, session

# How far a result may be from its reference beside what its shadow says: so many times the noise of its type.
SLACK = 10


class Wrong(Exception):
    """A program crashed, was refused where it runs, or gave other results."""


class Refused(Exception):
    """The tools said what they do not take."""


def tool(command, folder, limit):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{command[0]} ran longer than {limit} s") from None
    return done.returncode, done.stderr.decode(errors="replace").strip()


def reason(message):
    """What was refused, without what differs from model to model."""
    lines = [x for x in message.splitlines() if x.strip()]
    head = next((x for x in lines if "error" in x), lines[0] if lines else "no message")
    notes = [x.strip(" =|") for x in lines if re.match(r"\s*(=|note)", x)]
    return re.sub(r"`[^`]*`|\b[vcx]\d+\b|\d+", "_", " ".join([head, *notes[:1]]))[:200]


def build(model, folder, level, target, limit=300, flags=()):
    """A model becomes a program, or the reason why not."""
    onnx.save(model, os.path.join(folder, "model.onnx"))
    command = ["hal-compile", "model.onnx", "-o", f"model{level}.so", f"-O{level}", "-j1", f"--target={target}", *flags]
    code, message = tool(command, folder, limit)
    if code == 1 and not re.search(r"internal error|panicked|is a bug|read them wrongly", message):
        raise Refused(message)
    if code:
        raise Wrong(f"{' '.join(command)}: exit code {code}\n{message}")
    return f"model{level}.so"


class Lacking(Exception):
    """The driver ends loops that an executable needs, as the program states: a limit that a translation cannot know."""


def run(program, inputs, outputs, k, folder, device, flags=(), limit=300):
    """The results for binding k."""
    command = ["hal-run", program, f"--device={device}", "--threads=1", *flags]
    for i, v in enumerate(inputs):
        path = os.path.join(folder, f"in{k}_{i}.npy")
        if not os.path.exists(path):
            np.save(path, v.arrays[k])
        command.append(f"--input=@in{k}_{i}.npy")
    command += [f"--output=out{i}.npy" for i in range(len(outputs))]
    code, message = tool(command, folder, limit)
    if (
        code
        and "error[missing-features]" in message
        and "needs `LongLoops` (" in message
        and device != "cpu"
        and not flags
    ):
        raise Lacking(message)
    if code:
        raise Wrong(f"{program}, binding {k}: hal-run ended with exit code {code}\n{message}")
    return [restore(np.load(os.path.join(folder, f"out{i}.npy")), v.dtype) for i, v in enumerate(outputs)]


def restore(array, dtype):
    """numpy writes bf16 as two opaque bytes, and MLIR's integers have no sign."""
    same_bits = array.dtype.kind + dtype.kind in ("iu", "ui") and array.dtype.itemsize == dtype.itemsize
    return array.view(dtype) if same_bits or array.dtype.kind == "V" else array


def difference(got, value, k, want=None):
    """What is wrong with a result for binding k, or None."""
    want = value.arrays[k] if want is None else want
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"`{value.name}` is {got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    if value.dtype not in KINDS:
        far = got != want
    else:
        _, noise, relative, _ = KINDS[value.dtype]
        a, b = got.astype(np.float64), want.astype(np.float64)
        size = np.abs(b[np.isfinite(b)]).max(initial=0)
        allowed = relative * np.abs(b) + SLACK * value.deviation(k) + noise * (size + 0.01)
        far = ~((np.abs(a - b) <= allowed) | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not far.any():
        return None
    at = tuple(int(i) for i in np.argwhere(far)[0]) if want.ndim else ()
    return f"`{value.name}`{list(want.shape)} of {want.dtype}: {int(far.sum())} of {want.size} differ, first at {list(at)}: {got[at]}, expected {want[at]}"


class Second:
    """onnxruntime's results, node by node as they are asked for; of what it does not take, those of the reference evaluator."""

    def __init__(self, graph, nodes, inputs):
        self.opset, self.inputs = graph.opset, inputs
        self.makers = {v.name: n for n in (graph.nodes if nodes is None else nodes) for v in n.makes}
        self.made = {}

    def __call__(self, value, k):
        if (value.name, k) not in self.made:
            node = self.makers.get(value.name)
            if node is None:
                return value.arrays[k]
            reads = [self(v, k) for v in node.reads]
            for v, array in zip(node.makes, node.second(reads, k, self.opset)):
                self.made[v.name, k] = array
        return self.made[value.name, k]


def whole(model, inputs, k):
    """onnxruntime's results of the whole graph, or None: nodes that hold graphs read what the second reference does not see."""
    try:
        return session(model).run(None, {v.name: np.asarray(v.arrays[k]) for v in inputs})
    except Exception:  # noqa: BLE001  it does not take the graph
        return None


def compare(results, outputs, k, second, third):
    """Raises Wrong if results are neither those of the first reference nor those of the others. Says whether others were asked."""
    asked, last = False, None
    for i, (got, value) in enumerate(zip(results, outputs)):
        wrong = difference(got, value, k)
        if not wrong:
            continue
        asked, other = True, second(value, k)
        if difference(got, value, k, other) is not None:
            last = last if last is not None else third() or []
            if i < len(last) and difference(got, value, k, last[i]) is None:
                continue
            agree = "agrees with the reference" if difference(other, value, k) is None else "has yet another result"
            raise Wrong(f"binding {k}: {wrong} (onnxruntime {agree})")
    return asked


def check(graph, folder, levels=(0, 3), target="cpu", nodes=None, outputs=None, bindings=None, spoil=None):
    """Compiles and runs a graph or a part of it. Raises Refused or Wrong. The result is "fallback" if executables ran on the CPU
    because the device lacks what they need, else "second" if onnxruntime decided, else "passed". With `spoil`, results are made
    wrong where the graph has an operator of that name: what becomes of a mistake can be tested so."""
    model, inputs, outputs = graph.model(nodes, outputs)
    second, asked, device = Second(graph, nodes, inputs), False, target.split(":")[0].split(",")[0]
    fell = False
    for level in levels:
        program, flags = build(model, folder, level, target), ()
        for k in range(graph.bindings) if bindings is None else bindings:
            try:
                try:
                    results = run(program, inputs, outputs, k, folder, device, flags)
                except Lacking:
                    fell, flags = True, ("--fallback=cpu",)
                    program = build(model, folder, level, f"{target},cpu")
                    results = run(program, inputs, outputs, k, folder, device, flags)
                if any(n.proto.op_type == spoil for n in (graph.nodes if nodes is None else nodes)):
                    results = [~r if r.dtype.kind == "b" else (r + 3).astype(r.dtype) for r in results]
                asked |= compare(results, outputs, k, second, lambda k=k: whole(model, inputs, k))
            except Wrong as e:
                raise Wrong(f"-O{level}: {e}") from None
    return "fallback" if fell else "second" if asked else "passed"
