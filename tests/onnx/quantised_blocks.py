"""MatMulNBits against numpy in double precision: every width, block, kind of zero point, number of rows, and CPUs with and without products of
bytes. The error is that of sums of f32; with activations of 8 bits (`accuracy_level` 4) it is at most onnxruntime's and a third."""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OUT = Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
# Of the largest result of a row, in units of its root mean square.
EXACT, HALF = 6e-6, 3e-3
CPUS = ["cpu", "cpu:x86-64", "cpu:x86-64-v3"]


def unpacked(packed, bits, count):
    """Numbers of so many bits along the last dimension."""
    parts = [(packed >> at) & (2**bits - 1) for at in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*packed.shape[:-1], -1)[..., :count].astype(np.float64)


def model(name, n, k, block, bits=4, zero="", rows=1, dtype=np.float32, bias=False, level=0):
    """A model, and its weights as double precision has them."""
    rng = np.random.default_rng(abs(hash_of(name)))
    blocks = -(-k // block)
    numbers = rng.integers(0, 256, (n, blocks, block * bits // 8), dtype=np.uint8)
    scales = (rng.uniform(0.5, 1.5, (n, blocks)) * 0.01).astype(dtype)
    held = {"B": numbers, "S": scales}
    centre = np.full((n, blocks), 2.0 ** (bits - 1))
    if zero == "packed":
        held["Z"] = rng.integers(0, 256, (n, -(-blocks * bits // 8)), dtype=np.uint8)
        centre = unpacked(held["Z"], bits, blocks)
    elif zero == "floats":
        held["Z"] = rng.uniform(0, 2**bits - 1, (n, blocks)).astype(dtype)
        centre = held["Z"].astype(np.float64)
    weights = (unpacked(numbers, bits, block) - centre[..., None]) * scales[..., None].astype(np.float64)
    inputs = ["x", "B", "S", "Z" if zero else "", "", "bias" if bias else ""]
    added = np.zeros(n)
    if bias:
        held["bias"] = rng.normal(size=n).astype(dtype)
        added = held["bias"].astype(np.float64)
    while not inputs[-1]:
        inputs.pop()
    elem = {np.float32: TensorProto.FLOAT, np.float16: TensorProto.FLOAT16}[dtype]
    node = helper.make_node(
        "MatMulNBits",
        inputs,
        ["y"],
        domain="com.microsoft",
        K=k,
        N=n,
        bits=bits,
        block_size=block,
        accuracy_level=level,
    )
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", elem, [rows, k])],
        [helper.make_tensor_value_info("y", elem, [rows, n])],
        [numpy_helper.from_array(array, key) for key, array in held.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    path = OUT / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path, lambda x: x.astype(np.float64) @ weights.reshape(n, -1)[:, :k].T + added


def hash_of(name):
    return int.from_bytes(name.encode()[-7:], "little")


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def ours(path, x, target):
    program = path.with_suffix(".so")
    chosen = run("hal-compile", path, f"--target={target}", "--explain=schedule", "-o", program)
    if 'family = "block_product"' not in chosen:
        sys.exit(f"{path.name} for {target} is no product with packed numbers:\n{chosen}")
    np.save(OUT / "x.npy", x)
    run("hal-run", program, f"--input=x=@{OUT / 'x.npy'}", f"--output=y=@{OUT / 'y.npy'}")
    return np.load(OUT / "y.npy")


def error(got, want):
    """The largest difference, in units of the size of results."""
    return np.abs(got.astype(np.float64) - want).max() / np.sqrt((want**2).mean())


def activations(rows, k, dtype=np.float32):
    """Numbers of very different sizes, with those beside powers of two, where digits end."""
    rng = np.random.default_rng(rows * 1000 + k)
    x = rng.normal(size=(rows, k)) * 10.0 ** rng.uniform(-2, 2, (rows, -(-k // 32))).repeat(32, 1)[:, :k]
    x[0, :4] = [1.9921, -1.9922, 1.9999999, -127.9999]
    return x.astype(dtype)


def check(name, x, limit, targets, **options):
    path, want = model(name, **options)
    for target in targets:
        off = error(ours(path, x, target), want(x))
        if not off <= limit:
            sys.exit(f"{name} for {target}: an error of {off:.1e}, more than {limit:.0e}")


count = 0
for bits, block, zero in itertools.product([4, 8], [16, 32, 64, 128, 256], ["", "packed", "floats"]):
    rows = [1, 2, 5][count % 3]
    n, k = [(270, 300), (256, 512), (261, 100)][count // 2 % 3]
    where = [CPUS[0], CPUS[1 + count % 2]]
    check(
        f"b{bits}-{block}-{zero}",
        activations(rows, k),
        EXACT,
        where,
        n=n,
        k=k,
        block=block,
        bits=bits,
        zero=zero,
        rows=rows,
    )
    count += 1
check("bias", activations(3, 96), EXACT, CPUS, n=133, k=96, block=32, rows=3, bias=True)
check(
    "half", activations(3, 96, np.float16), HALF, CPUS, n=133, k=96, block=32, rows=3, dtype=np.float16, zero="packed"
)
# More rows than are prepared together, and a number of rows that only a run says.
check("many", activations(300, 64), EXACT, CPUS[:1], n=64, k=64, block=32, rows=300)
for rows in (1, 4, 259):
    check("any", activations(rows, 128), EXACT, CPUS[:1], n=300, k=128, block=64, rows="rows")

# What is next to nothing, or too much.
path, want = model("ends", n=96, k=64, block=32, rows=6)
x = np.zeros((6, 64), np.float32)
x[1], x[2, 40], x[3, 5], x[4] = 1e-30, 1e-38, np.inf, np.float32(3.39e38) * (np.arange(64) == 3)
got = ours(path, x, "cpu")
with np.errstate(invalid="ignore", over="ignore"):
    exact = want(np.nan_to_num(x, posinf=0))
# NaN by digits of integers; by definition with floats, as CPUs without products of bytes compute it.
with np.errstate(invalid="ignore", over="ignore"):
    defined = want(x)[3].astype(np.float32)
assert np.isnan(got[3]).all() or np.array_equal(got[3], defined, equal_nan=True), (got[3], defined)
assert not got[0].any(), got
assert np.abs(got[[1, 5]] - exact[[1, 5]]).max() <= 1e-6 * np.abs(exact[1]).max()
assert np.abs(got[2] - exact[2]).max() <= 1e-39
assert np.abs(got[4] - exact[4]).max() <= 1e-6 * np.abs(exact[4]).max()

# Activations of 8 bits where the model allows them.
x = activations(4, 512)
for name, block, zero in (("short", 32, ""), ("short-zero", 128, "packed")):
    path, want = model(name, n=96, k=512, block=block, zero=zero, rows=4, level=4)
    theirs = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    mine, other = (np.sqrt(((y - want(x)) ** 2).mean()) for y in (ours(path, x, "cpu"), theirs))
    if mine > 4 / 3 * other:
        sys.exit(f"{name}: an error of {mine:.2e}, onnxruntime's is {other:.2e}")
print("all right")
