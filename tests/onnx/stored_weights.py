"""Products with constant weights that a model stores short (f16, bf16, integers with scales), against numpy in double precision: MatMul and
Gemm, turned or not, every kind of scale and zero point, numbers of rows, and CPUs with and without products of bytes. The error is that of
sums of f32. Kernels must be those that read the weights as they are stored, except where `FAMILY` is empty."""

import itertools
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OUT = Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
# Of the largest error, in units of the root mean square of results.
EXACT, HALF, SHORT = 6e-6, 3e-3, 3e-2
CPUS = ["cpu", "cpu:x86-64", "cpu:x86-64-v3"]
FLOATS = {"f32": (TensorProto.FLOAT, np.float32), "f16": (TensorProto.FLOAT16, np.float16)}
SHORTS = {**FLOATS, "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}
INTEGERS = {
    "i8": (TensorProto.INT8, -128, 127),
    "u8": (TensorProto.UINT8, 0, 255),
    "i4": (TensorProto.INT4, -8, 7),
    "u4": (TensorProto.UINT4, 0, 15),
}
count = 0


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def constant(name, elem, array):
    """A tensor of a type that numpy may lack, of numbers."""
    if elem in (TensorProto.FLOAT, TensorProto.FLOAT16):
        return numpy_helper.from_array(array.astype({1: np.float32, 10: np.float16}[elem]), name)
    if elem == TensorProto.BFLOAT16:
        raw = array.astype(ml_dtypes.bfloat16)
        return helper.make_tensor(name, elem, raw.shape, raw.tobytes(), raw=True)
    return helper.make_tensor(name, elem, array.shape, array.astype(np.int32).ravel().tolist())


def check(name, nodes, held, weights, x, family, targets=CPUS[:1], limit=EXACT, rows=None, flags=()):
    """A model with one product, whose weights are `[K, N]` in double precision."""
    global count
    count += 1
    elem = helper.np_dtype_to_tensor_dtype(x.dtype)
    shape = [*x.shape[:-2], rows or x.shape[-2], x.shape[-1]]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", elem, shape)],
        [helper.make_tensor_value_info("y", elem, [*shape[:-1], weights.shape[1]])],
        held,
    )
    path = OUT / f"{count}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    np.save(OUT / "x.npy", x)
    want = x.astype(np.float64) @ weights
    for target in targets:
        program = path.with_suffix(".so")
        chosen = run("hal-compile", path, f"--target={target}", "--explain=schedule", *flags, "-o", program)
        if family and f'family = "{family}"' not in chosen:
            sys.exit(f"{name} for {target} is no {family}:\n{chosen}")
        run("hal-run", program, f"--input=x=@{OUT / 'x.npy'}", f"--output=y=@{OUT / 'y.npy'}")
        got = np.load(OUT / "y.npy")
        off = np.abs(got.astype(np.float64) - want).max() / np.sqrt((want**2).mean()) if want.size else 0
        if got.shape != want.shape or not off <= limit:
            sys.exit(f"{name} for {target}: an error of {off:.1e}, more than {limit:.0e}")
    path.unlink()
    program.unlink()


def product(how, weights):
    """The nodes of a product with `w`, and `w` as they want it."""
    if how == "gemm":
        return [helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)], weights.T
    if how == "turned":
        nodes = [helper.make_node("Transpose", ["w"], ["t"]), helper.make_node("MatMul", ["x", "t"], ["y"])]
        return nodes, weights.T
    return [helper.make_node("MatMul", ["x", "w"], ["y"])], weights


def activations(*shape, dtype=np.float32):
    rng = np.random.default_rng(sum(shape))
    return (rng.normal(size=shape) * 10.0 ** rng.uniform(-1, 1, shape)).astype(dtype)


def floats(stored, how, shape, n, k, targets=CPUS[:1], family="panel_product", rows=None, given="f32"):
    elem, dtype = SHORTS[stored]
    weights = np.random.default_rng(n * k).normal(size=(k, n)).astype(dtype).astype(np.float64)
    nodes, laid = product(how, weights)
    held = [constant("s" if stored != given else "w", elem, laid)]
    if stored != given:
        nodes = [helper.make_node("Cast", ["s"], ["w"], to=FLOATS[given][0]), *nodes]
    x = activations(*shape, k, dtype=FLOATS[given][1])
    limit = EXACT if given == "f32" else HALF
    check(f"{stored} {how} {shape}", nodes, held, weights, x, family, targets, limit, rows)


# Floats: with and without whole panels and vectors, of few and of many rows.
for stored, how in itertools.product(["f16", "bf16"], ["matmul", "gemm", "turned"]):
    floats(stored, how, [1], 270, 131, CPUS)
    floats(stored, how, [5], 256, 512)
for rows in (2, 3, 8, 13, 29, 300):
    floats("f16", "matmul", [rows], 300, 120, CPUS[:1] if rows < 29 else [CPUS[0], CPUS[2]])
for rows in (1, 6, 258):
    floats("bf16", "matmul", [rows], 130, 260, rows="rows")
floats("f16", "matmul", [1, 3], 260, 136)
floats("f16", "matmul", [2, 3], 260, 136, given="f16")
floats("f32", "matmul", [1], 129, 140, CPUS)
floats("f32", "matmul", [1, 8], 129, 140)
# Of f32, also for many rows in several dimensions, whose number may not be known; the last panel lacks lanes or whole vectors.
for shape, columns in itertools.product(([9], [49], [300], [2, 30], [3, 1, 17]), (129, 144, 160)):
    floats("f32", "matmul", shape, columns, 140, CPUS)
for rows in (9, 25, 270):
    floats("f32", "gemm", [rows], 134, 131)
    floats("f32", "turned", [rows], 134, 131)
for shape in ([0], [1], [7], [530], [3, 0], [3, 70], [2, 3, 5]):
    floats("f32", "matmul", shape, 150, 133, CPUS if shape == [7] else CPUS[:1], rows="rows")
for rows in (1, 8):
    floats("f32", "gemm", [rows], 134, 131)
# For one row, a panel that is mostly padding takes longer to read than the matrix.
floats("f32", "gemm", [1], 40, 512, family="nest")
floats("f32", "gemm", [2], 40, 512)
floats("f16", "matmul", [1], 40, 20, family="")


def integers(
    kind, how, rows, n, k, block=0, scales="axis", zero=False, family="block_product", targets=CPUS[:1], **rest
):
    elem, low, high = INTEGERS[kind]
    rng = np.random.default_rng(n + k + block)
    numbers = rng.integers(low, high + 1, (k, n))
    blocks = {"axis": (1, n), "tensor": (1, 1), "steps": (k, 1), "blocks": (-(-k // max(block, 1)), n)}[scales]
    scale = rng.uniform(0.5, 1.5, blocks).astype(np.float16).astype(np.float64) * 2.0**-6
    middle = rng.integers(low, high + 1, blocks) if zero else np.zeros(blocks, int)
    full = lambda a: a.repeat(block, 0)[:k] if scales == "blocks" else a
    weights = (numbers - full(middle)) * full(scale)
    nodes, laid = product(how, numbers)
    turned = laid.shape != numbers.shape
    listed = lambda a: a.reshape({"tensor": (), "blocks": a.shape}.get(scales, -1)).T
    listed = listed if turned or scales != "blocks" else (lambda a: a)
    axis = (0 if scales in ("blocks", "steps") else 1) ^ turned
    held = [constant("q", elem, laid), constant("s", TensorProto.FLOAT, listed(scale))]
    inputs = ["q", "s"]
    if zero:
        held.append(constant("z", elem, listed(middle)))
        inputs.append("z")
    extra = {"block_size": block} if scales == "blocks" else {}
    nodes = [helper.make_node("DequantizeLinear", inputs, ["w"], axis=axis, **extra), *nodes]
    name = f"{kind} {how} {scales} {block} {zero}"
    check(name, nodes, held, weights, activations(rows, k), family, targets, **rest)


# Integers: scales for all, for each column, for blocks along the sum.
for kind, how, zero in itertools.product(["i8", "u8", "i4", "u4"], ["matmul", "gemm", "turned"], [False, True]):
    integers(kind, how, 1 + count % 3, 133, 100, zero=zero, targets=[CPUS[0], CPUS[1 + count % 2]])
    integers(kind, how, 1 + count % 5, 70, 256, 32, "blocks", zero)
integers("i8", "matmul", 1, 200, 64, scales="tensor", zero=True, targets=CPUS)
integers("i4", "gemm", 2, 96, 160, 16, "blocks", True)
integers("i4", "matmul", 2, 96, 160, 64, "blocks", True)
integers("u4", "matmul", 1, 96, 300, 128, "blocks", True)
# Blocks of other sizes, and scales along the sum, are made floats before.
integers("i4", "matmul", 2, 96, 144, 24, "blocks", True, family="")
integers("i8", "matmul", 2, 96, 144, scales="steps", zero=True, family="")
# Activations of 8 bits, where they are asked for.
integers("i4", "matmul", 3, 256, 512, 32, "blocks", limit=SHORT, flags=["--fast-math=activations"])
print("all right")
