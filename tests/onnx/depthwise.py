"""Random depthwise convolutions: any window, step, dilation, padding and size; with a bias, an activation, results with channels last, an
activation before, several results. Compiled for several CPUs, run, and compared with numpy in double precision.
usage: depthwise.py FOLDER [SEED [MODELS]]"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

OUT = Path(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20261126
MODELS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
TARGETS = ["cpu", "cpu:x86-64-v3"]
EACH = 12
rng = np.random.default_rng(SEED)


def number(*shape):
    return (rng.random(shape) * 2 - 1).astype(np.float32)


def pick(*choices):
    return choices[rng.integers(len(choices))]


def convolve(x, w, stride, dilation, pads):
    """In double precision."""
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation)]
    places = [(n - r) // s + 1 for n, r, s in zip(padded.shape[2:], reach, stride)]
    y = np.zeros((*x.shape[:2], *places))
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            rows = slice(i * dilation[0], i * dilation[0] + (places[0] - 1) * stride[0] + 1, stride[0])
            columns = slice(j * dilation[1], j * dilation[1] + (places[1] - 1) * stride[1] + 1, stride[1])
            y += padded[:, :, rows, columns] * w[None, :, 0, i, j, None, None]
    return y


def draw(at):
    """A convolution with what is around it: nodes, weights, input and results."""
    channels, images = int(rng.integers(8, 70)), pick(1, 1, 2, 3)
    window = [int(rng.integers(1, 8)) for _ in range(2)] if rng.random() < 0.7 else [pick(3, 5, 7, 9, 11)] * 2
    stride = [pick(1, 1, 2, 3), pick(1, 2, 2, 3, 4)] if rng.random() < 0.5 else [pick(1, 2)] * 2
    dilation = [pick(1, 1, 1, 2, 3)] * 2
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation)]
    pads = [int(rng.integers(0, r)) for r in [*reach, *reach]]
    size = [int(rng.integers(max(1, r - low - high), 34)) for r, low, high in zip(reach, pads[:2], pads[2:])]
    size = [max(n, r - low - high, 1) for n, r, low, high in zip(size, reach, pads[:2], pads[2:])]
    x, w, b = number(images, channels, *size), number(channels, 1, *window), number(channels)
    names = {n: f"{n}{at}" for n in "xwbpyzt"}
    before, after, kind = rng.random() < 0.3, rng.random() < 0.5, pick("plain", "last", "both", "plain")
    given, nodes = x, []
    source = names["x"]
    if before:
        given, source = np.maximum(x, 0), names["t"]
        nodes.append(h.make_node("Relu", [names["x"]], [source]))
    attributes = {"group": channels, "strides": stride, "dilations": dilation, "pads": pads}
    plain = names["y"] if kind == "both" or (kind == "plain" and not after) else names["p"]
    nodes.append(h.make_node("Conv", [source, names["w"], names["b"]], [plain], **attributes))
    y = convolve(given, w, stride, dilation, pads) + b[None, :, None, None]
    results = {names["y"]: y} if plain == names["y"] else {}
    if kind == "last":
        y, plain = y.transpose(0, 2, 3, 1), plain
        nodes.append(h.make_node("Transpose", [plain], [names["z"]], perm=[0, 2, 3, 1]))
        results[names["z"]] = y
    elif after or kind == "both":
        nodes.append(h.make_node("Relu", [plain], [names["z"]]))
        results[names["z"]] = np.maximum(y, 0)
    about = f"{images}x{channels}x{size} {window} /{stride} *{dilation} {pads} {kind}"
    return nodes, {names["w"]: w, names["b"]: b}, {names["x"]: x}, results, about


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stderr


OUT.mkdir(parents=True, exist_ok=True)
chosen = 0
for number_of_model in range(MODELS):
    nodes, weights, inputs, results, abouts = [], {}, {}, {}, []
    for at in range(EACH):
        drawn = draw(at)
        nodes += drawn[0]
        weights |= drawn[1]
        inputs |= drawn[2]
        results |= drawn[3]
        abouts.append(drawn[4])
    info = lambda n, a: h.make_tensor_value_info(n, T.FLOAT, a.shape)  # noqa: E731
    held = [nh.from_array(a, n) for n, a in weights.items()]
    graph = h.make_graph(
        nodes, "g", [info(n, a) for n, a in inputs.items()], [info(n, a) for n, a in results.items()], held
    )
    path = OUT / f"{number_of_model}.onnx"
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), path)
    for n, a in inputs.items():
        np.save(OUT / f"{n}.npy", a)
    for target in TARGETS:
        program = path.with_suffix(".so")
        told = run("hal-compile", path, f"--target={target}", "--explain=schedule", "-o", program)
        chosen += told.count('family = "depthwise_convolution"')
        given = [f"--input={n}=@{OUT / n}.npy" for n in inputs]
        run("hal-run", program, *given, *(f"--output={n}=@{OUT / n}.npy" for n in results))
        for n, want in results.items():
            got = np.load(OUT / f"{n}.npy")
            off = np.abs(got - want).max()
            if got.shape != want.shape or not off <= 1e-4:
                sys.exit(f"{path} for {target}: {n} is off by {off}: {abouts[int(n[1:])]}")
if chosen < MODELS * EACH // 2:
    sys.exit(f"lanes lay along the channels in {chosen} of {2 * MODELS * EACH} kernels only")
print("all right")
