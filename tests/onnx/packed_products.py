"""Random products with weights of f32 that are packed, and what surrounds them: a normalisation before, a bias, an activation, a residual,
the product as a second result, a transposed result; rows in several dimensions, of known and unknown number. Compiled for several CPUs, run,
and compared with numpy in double precision. usage: packed_products.py FOLDER [SEED [MODELS]]"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper as h
from onnx import numpy_helper as nh

OUT = Path(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20261126
MODELS = int(sys.argv[3]) if len(sys.argv) > 3 else 25
TARGETS = ["cpu", "cpu:x86-64-v3"]
rng = np.random.default_rng(SEED)


def number(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stderr


def draw():
    """Nodes, weights, inputs, results, and whether the rows have a name in place of a number."""
    lead = [int(n) for n in rng.integers(1, 5, rng.integers(0, 3))]
    m, k, n = (int(rng.integers(*bounds)) for bounds in [(1, 70), (100, 300), (170, 400)])
    x, r = number(*lead, m, k), number(*lead, m, n)
    weights = {"w": number(k, n) / np.float32(k**0.5), "b": number(n), "g": number(k)}
    nodes, y, last, results = [], x.astype(np.float64), "x", {}
    if rng.random() < 0.4:
        nodes.append(h.make_node("LayerNormalization", [last, "g"], ["normal"], axis=-1, epsilon=1e-5))
        y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5) * weights["g"]
        last = "normal"
    nodes.append(h.make_node("MatMul", [last, "w"], ["product"]))
    y, last = y @ weights["w"], "product"
    if rng.random() < 0.7:
        nodes.append(h.make_node("Add", [last, "b"], ["biased"]))
        y, last = y + weights["b"], "biased"
    if rng.random() < 0.3:
        results[last] = y
    if rng.random() < 0.4:
        nodes.append(h.make_node("Tanh", [last], ["active"]))
        y, last = np.tanh(y), "active"
    if rng.random() < 0.5:
        nodes.append(h.make_node("Add", [last, "r"], ["summed"]))
        y, last = y + r, "summed"
    if rng.random() < 0.25:
        order = [*range(y.ndim - 2), y.ndim - 1, y.ndim - 2]
        nodes.append(h.make_node("Transpose", [last], ["turned"], perm=order))
        y, last = y.transpose(order), "turned"
    results[last] = y
    return nodes, weights, {"x": x, "r": r}, results, rng.random() < 0.3


OUT.mkdir(parents=True, exist_ok=True)
packed = 0
for at in range(MODELS):
    nodes, weights, inputs, results, open_rows = draw()
    named = lambda a: [*a.shape[:-2], "M", a.shape[-1]] if open_rows else a.shape  # noqa: E731
    unknown = lambda a: [None] * a.ndim if open_rows else a.shape  # noqa: E731
    graph = h.make_graph(
        nodes,
        "g",
        [h.make_tensor_value_info(n, 1, named(a)) for n, a in inputs.items()],
        [h.make_tensor_value_info(n, 1, unknown(a)) for n, a in results.items()],
        [nh.from_array(a, n) for n, a in weights.items()],
    )
    path = OUT / f"{at}.onnx"
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), path)
    for n, a in inputs.items():
        np.save(OUT / f"{n}.npy", a)
    given = [f"--input={n}=@{OUT / n}.npy" for n in inputs]
    for target in TARGETS:
        told = run("hal-compile", path, f"--target={target}", "--explain=schedule", "-o", OUT / "p.so")
        packed += 'family = "panel_product"' in told
        run("hal-run", OUT / "p.so", *given, *(f"--output={n}=@{OUT / n}.npy" for n in results))
        for n, want in results.items():
            got = np.load(OUT / f"{n}.npy")
            if got.shape != want.shape or not np.abs(got - want).max() <= 2e-4:
                sys.exit(f"{path} for {target}: `{n}` is wrong: {[node.op_type for node in nodes]}")
if packed < MODELS:
    sys.exit(f"the panel family took {packed} of {2 * MODELS} products only")
print("all right")
