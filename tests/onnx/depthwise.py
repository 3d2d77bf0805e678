"""Random depthwise convolutions: any window, step, dilation, padding and size; with a bias, an activation, results with channels last, an
activation before, several results. Compiled for several CPUs, run, and compared with numpy in double precision; those of f16 ("halves") round
each result, and those of bytes, of any sign and zero point, with quantised results, must be equal.
usage: depthwise.py FOLDER floats|halves|bytes [SEED [MODELS]]"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper as h
from onnx import numpy_helper as nh

OUT = Path(sys.argv[1])
KIND = sys.argv[2]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 20261126
MODELS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
TARGETS = ["cpu", "cpu:x86-64-v3"]
# CPUs that multiply four bytes at once, with vectors of 256 bits, and without an instruction that puts bytes in any order.
DOTS = {"avx_vnni": "cpu:x86-64-v3,+avxvnni", "avx512_vnni": "cpu:x86-64-v4,+avx512vnni"}
EACH = 12
if KIND == "bytes":
    here = Path("/proc/cpuinfo").read_text().split()
    TARGETS += [target for flag, target in DOTS.items() if flag in here]
rng = np.random.default_rng(SEED)


def number(*shape):
    return (rng.random(shape) * 2 - 1).astype(np.float16 if KIND == "halves" else np.float32)


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


def shapes():
    """A convolution: its attributes, the shape of its input, and that of its filters."""
    channels, images = int(rng.integers(8, 70)), pick(1, 1, 2, 3)
    window = [int(rng.integers(1, 8)) for _ in range(2)] if rng.random() < 0.7 else [pick(3, 5, 7, 9, 11)] * 2
    stride = [pick(1, 1, 2, 3), pick(1, 2, 2, 3, 4)] if rng.random() < 0.5 else [pick(1, 2)] * 2
    dilation = [pick(1, 1, 1, 2, 3)] * 2
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation)]
    pads = [int(rng.integers(0, r)) for r in [*reach, *reach]]
    largest = pick(34, 34, 34, 150)
    size = [int(rng.integers(max(1, r - low - high), largest)) for r, low, high in zip(reach, pads[:2], pads[2:])]
    size = [max(n, r - low - high, 1) for n, r, low, high in zip(size, reach, pads[:2], pads[2:])]
    attributes = {"group": channels, "strides": stride, "dilations": dilation, "pads": pads}
    return attributes, (images, channels, *size), (channels, 1, *window)


def convolved(x, w, attributes):
    return convolve(x, w, attributes["strides"], attributes["dilations"], attributes["pads"])


def floats(at):
    """A convolution with what is around it: nodes, weights, input and results."""
    attributes, shape, window = shapes()
    x, w, b = number(*shape), number(*window), number(window[0])
    names = {n: f"{n}{at}" for n in "xwbpyzt"}
    before, after, kind = rng.random() < 0.3, rng.random() < 0.5, pick("plain", "last", "both", "plain")
    given, nodes = x, []
    source = names["x"]
    if before:
        given, source = np.maximum(x, 0), names["t"]
        nodes.append(h.make_node("Relu", [names["x"]], [source]))
    plain = names["y"] if kind == "both" or (kind == "plain" and not after) else names["p"]
    nodes.append(h.make_node("Conv", [source, names["w"], names["b"]], [plain], **attributes))
    y = convolved(given, w, attributes) + b[None, :, None, None].astype(np.float64)
    results = {names["y"]: y} if plain == names["y"] else {}
    if kind == "last":
        y, plain = y.transpose(0, 2, 3, 1), plain
        nodes.append(h.make_node("Transpose", [plain], [names["z"]], perm=[0, 2, 3, 1]))
        results[names["z"]] = y
    elif after or kind == "both":
        nodes.append(h.make_node("Relu", [plain], [names["z"]]))
        results[names["z"]] = np.maximum(y, 0)
    return nodes, {names["w"]: w, names["b"]: b}, {names["x"]: x}, results, f"{shape} {attributes} {kind}"


def some_bytes(kind, shape):
    """Bytes of a type, its ends among them."""
    ends = np.iinfo(kind)
    array = rng.integers(ends.min, ends.max + 1, shape).astype(kind)
    array.flat[:2] = (ends.min, ends.max)[: array.size]
    return array


def bytes_(at):
    """A convolution of bytes less a zero point: sums, numbers that are quantised again, or both."""
    attributes, shape, window = shapes()
    x, w = some_bytes(pick(np.uint8, np.uint8, np.int8), shape), some_bytes(pick(np.int8, np.int8, np.uint8), window)
    zeros = [pick(None, *some_bytes(a.dtype, (3,))) for a in (x, w)]
    names = {n: f"{n}{at}" for n in "xwzvypqrscduea"}
    weights, operands = {names["w"]: w}, [names["x"], names["w"]]
    if any(zero is not None for zero in zeros):
        for name, zero, a in zip("zv", zeros, (x, w)):
            weights[names[name]] = np.array(zero or 0, a.dtype)
            operands.append(names[name])
    kind = pick("sums", "quantised", "quantised", "last", "both", "residual")
    inputs = {names["x"]: x}
    sums = names["y"] if kind in ("sums", "both") else names["p"]
    nodes = [h.make_node("ConvInteger", operands, [sums], **attributes)]
    total = convolved(x.astype(np.int64) - int(zeros[0] or 0), w.astype(np.int64) - int(zeros[1] or 0), attributes)
    results = {sums: total.astype(np.int32)} if sums == names["y"] else {}
    if kind != "sums":
        to = pick(np.uint8, np.int8)
        # One factor per channel, so that many results lie on the borders between integers, and some beyond all of them.
        factor = pick(np.float32(1), np.float32(0.5), number(window[0], 1, 1) * np.float32(0.2))
        scale, zero = (
            np.float32(pick(1, 2, 0.7, 37.3, *np.abs(number(2)) * 100 + 0.01)),
            some_bytes(to, (4,))[pick(0, 1, 2, 3)],
        )
        weights |= {names["s"]: np.asarray(factor), names["c"]: scale, names["d"]: np.array(zero, to)}
        nodes += [
            h.make_node("Cast", [sums], [names["q"]], to=1),
            h.make_node("Mul", [names["q"], names["s"]], [names["r"]]),
        ]
        last = names["r"]
        y = total.astype(np.float32) * factor
        if kind == "residual":
            inputs[names["e"]] = number(*total.shape) * np.float32(100)
            nodes.append(h.make_node("Add", [last, names["e"]], [names["a"]]))
            y, last = y + inputs[names["e"]], names["a"]
        y = np.rint(y / scale) + np.float32(zero)
        y = np.clip(y, np.iinfo(to).min, np.iinfo(to).max).astype(to)
        if kind == "last":
            nodes.append(h.make_node("Transpose", [last], [names["u"]], perm=[0, 2, 3, 1]))
            y, last = y.transpose(0, 2, 3, 1), names["u"]
        result = f"t{at}"
        nodes.append(h.make_node("QuantizeLinear", [last, names["c"], names["d"]], [result]))
        results[result] = y
    return nodes, weights, inputs, results, f"{shape} {x.dtype} {w.dtype} {zeros} {attributes} {kind}"


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
        drawn = {"floats": floats, "halves": floats, "bytes": bytes_}[KIND](at)
        nodes += drawn[0]
        weights |= drawn[1]
        inputs |= drawn[2]
        results |= drawn[3]
        abouts.append(drawn[4])
    info = lambda n, a: h.make_tensor_value_info(n, h.np_dtype_to_tensor_dtype(a.dtype), a.shape)  # noqa: E731
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
            off = np.abs(got.astype(np.float64) - want).max()
            # Of f16 the sum is rounded, and rounded again with its bias.
            allowed = {"floats": 1e-4, "halves": np.abs(want).max() * 2e-3 + 1e-3, "bytes": 0}[KIND]
            if got.shape != want.shape or not off <= allowed:
                sys.exit(f"{path} for {target}: {n} is off by {off}: {abouts[int(n[1:])]}")
if chosen < len(TARGETS) * MODELS * EACH // 4:
    sys.exit(f"{chosen} of {len(TARGETS) * MODELS * EACH} kernels only were of the family")
print("all right")
