"""Caches of fixed size as states, call by call, beside numpy and onnxruntime; what is out of range is refused, and the cache stays."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper

OUT = Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
RNG = np.random.default_rng(3)
ROOM, SIZE = 128, 64
ELEMS = {np.float32: T.FLOAT, np.float16: T.FLOAT16}
random = lambda *shape: RNG.normal(size=shape).astype(np.float32)


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


class Program:
    """A model whose states are kept in a file between calls."""

    def __init__(self, name, node, inputs, outputs, states, opset=21):
        kinds = {np.dtype(k): v for k, v in ELEMS.items()} | {np.dtype("i8"): T.INT64, np.dtype("i4"): T.INT32}
        infos = lambda of: [helper.make_tensor_value_info(n, kinds[np.dtype(t)], s) for n, t, s in of]
        graph = helper.make_graph([node], "g", infos(inputs), infos(outputs))
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
        self.model, self.program, self.kept = OUT / f"{name}.onnx", OUT / f"{name}.so", OUT / f"{name}.npz"
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), self.model)
        flags = [f"--state={past}={present}" for past, present in states.items()]
        text = run("hal-import", self.model, *flags).stdout
        # The kernel that writes a part has the cache's memory, and nothing else makes a cache.
        tied = [line for line in text.splitlines() if "func.func @" in line and "hal.tied" in line]
        assert len(tied) >= len(states) and all("insert" in line for line in tied), text
        done = run("hal-compile", self.model, *flags, "-q", "-o", self.program)
        assert done.returncode == 0, done.stderr
        self.started = False

    def call(self, inputs, outputs=()):
        words = []
        for name, array in inputs.items():
            np.save(OUT / f"{name}.npy", array)
            words.append(f"--input={name}=@{OUT / f'{name}.npy'}")
        words += [f"--output={name}=@{OUT / f'{name}.npy'}" for name in outputs]
        words += [f"--state-in={self.kept}"] if self.started else []
        done = run("hal-run", self.program, *words, f"--state-out={self.kept}")
        if done.returncode == 0:
            self.started = True
            return [np.load(OUT / f"{name}.npy") for name in outputs]
        return done.stderr

    def state(self, name):
        return np.load(self.kept)[name]


def tensor_scatter():
    shape = [2, 2, ROOM, SIZE]
    node = helper.make_node("TensorScatter", ["past", "x", "at"], ["present"], axis=2)
    given = [("x", "f4", [2, 2, 3, SIZE]), ("at", "i8", [2]), ("past", "f4", shape)]
    program = Program("tensor", node, given, [("present", "f4", shape)], {"past": "present"}, 24)
    want = np.zeros(shape, "f4")
    for at in [(0, 5), (3, 8), (ROOM - 3, 6)]:
        x = random(2, 2, 3, SIZE)
        for batch, start in enumerate(at):
            want[batch, :, start : start + 3] = x[batch]
        program.call({"x": x, "at": np.array(at)})
        assert (program.state("past") == want).all(), at
    for at, said in ([(0, ROOM - 2), f"is {ROOM - 2}"], [(-1, 0), "is -1"]):
        message = program.call({"x": random(2, 2, 3, SIZE), "at": np.array(at)})
        assert "TensorScatter" in message and said in message, message
        assert (program.state("past") == want).all(), at
    print("TensorScatter is right")


def scatter_nd():
    node = helper.make_node("ScatterND", ["past", "at", "x"], ["present"])
    given = [("x", "f4", [2, SIZE]), ("at", "i8", [2, 2]), ("past", "f4", [2, ROOM, SIZE])]
    program = Program("nd", node, given, [("present", "f4", [2, ROOM, SIZE])], {"past": "present"})
    want = np.zeros((2, ROOM, SIZE), "f4")
    for at in [[(0, 1), (1, 7)], [(1, -1), (-2, 0)], [(0, 1), (0, 2)]]:
        x = random(2, SIZE)
        for row, place in enumerate(at):
            want[place] = x[row]
        program.call({"x": x, "at": np.array(at)})
        assert (program.state("past") == want).all(), at
    for wrong in (ROOM, -ROOM - 1):
        message = program.call({"x": random(2, SIZE), "at": np.array([(0, 0), (1, wrong)])})
        assert "ScatterND" in message and str(wrong) in message, message
    print("ScatterND is right")


def group_query(dtype, limit):
    heads, few, batch = 6, 2, 2
    width, narrow, shape = heads * SIZE, few * SIZE, [batch, few, ROOM, SIZE]
    names = ["q", "k", "v", "past_k", "past_v", "seen", "total"]
    made = ["y", "present_k", "present_v"]
    node = helper.make_node(
        "GroupQueryAttention", names, made, domain="com.microsoft", num_heads=heads, kv_num_heads=few
    )
    given = [("q", dtype, [batch, 1, width]), ("k", dtype, [batch, 1, narrow]), ("v", dtype, [batch, 1, narrow])]
    given += [("past_k", dtype, shape), ("past_v", dtype, shape), ("seen", "i4", [batch]), ("total", "i4", [])]
    results = [("y", dtype, [batch, 1, width]), ("present_k", dtype, shape), ("present_v", dtype, shape)]
    states = {"past_k": "present_k", "past_v": "present_v"}
    name = np.dtype(dtype).name
    program = Program(f"gqa-{name}", node, given, results, states)
    session = onnxruntime.InferenceSession(program.model, providers=["CPUExecutionProvider"])
    old = [np.zeros(shape, dtype), np.zeros(shape, dtype)]
    for total, seen in [(1, (0, 0)), (2, (1, 1)), (3, (2, 1)), (4, (3, 2))]:
        feeds = {n: random(batch, 1, w).astype(dtype) for n, w in (("q", width), ("k", narrow), ("v", narrow))}
        feeds |= {"seen": np.array(seen, np.int32), "total": np.array(total, np.int32)}
        y, *old = session.run(made, feeds | {"past_k": old[0], "past_v": old[1]})
        got = program.call(feeds, ["y"])
        assert isinstance(got, list), got
        assert np.abs(got[0].astype(np.float64) - y).max() <= limit, (total, np.abs(got[0] - y).max())
        for which, past in zip(("past_k", "past_v"), old):
            for row, last in enumerate(seen):
                assert (program.state(which)[row, :, : last + 1] == past[row, :, : last + 1]).all(), (which, total)
    feeds["total"], before = np.array(ROOM + 1, np.int32), program.state("past_k")
    message = program.call(feeds, ["y"])
    assert f"`total_sequence_length` is {ROOM + 1}, but the cache has room for {ROOM}" in message, message
    assert (program.state("past_k") == before).all()
    print(f"GroupQueryAttention {'f32' if dtype == np.float32 else 'f16'} is right")


tensor_scatter()
scatter_nd()
group_query(np.float32, 2e-6)
group_query(np.float16, 2e-3)
