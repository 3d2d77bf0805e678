#!/usr/bin/env python3
"""Language models in the form of onnxruntime-genai's model builder, compared with onnxruntime: every size is a symbol of the model, the lengths of
sequences follow from an attention mask, and caches are passed from call to call, or kept in the program. Then attention as PyTorch exports it, with
keys and values repeated for the heads that share them.

Usage: decoders.py FOLDER. FOLDER is for temporary files.
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, FEW, SIZE, WORDS, TAPS, WINDOW = 64, 6, 2, 16, 50, 3, 8
MS = "com.microsoft"
FLOAT, LONG, INT = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32


class Decoder:
    """A decoder with a layer of each kind: `full`, `sinks`, `smooth` and `sliding` attention, `convolution`."""

    def __init__(self, kinds):
        self.kinds, self.nodes, self.held = kinds, [], []
        self.rng = np.random.default_rng(len(kinds))
        self.inputs = [
            helper.make_tensor_value_info("input_ids", LONG, ["batch_size", "sequence_length"]),
            helper.make_tensor_value_info("attention_mask", LONG, ["batch_size", "total_sequence_length"]),
        ]
        self.outputs = [helper.make_tensor_value_info("logits", FLOAT, ["batch_size", "sequence_length", WORDS])]
        self.lengths()
        self.constant("embedding", self.random(WORDS, WIDTH))
        x = self.add("Gather", ["embedding", "input_ids"], "embedded")
        for at, kind in enumerate(kinds):
            x = self.layer(x, at, kind)
        self.linear(self.norm(x, "norm"), WORDS, "logits")
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, self.held)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MS, 1)]
        self.model = helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def random(self, *shape):
        return (self.rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    def constant(self, name, array):
        self.held.append(numpy_helper.from_array(array, name))
        return name

    def add(self, op, inputs, name, outputs=None, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs or [name], name, domain=domain, **attributes))
        return name

    def lengths(self):
        """The end of each row and the length of all, from the mask, as the builder computes them; angles of positions."""
        self.constant("one", np.array([1], np.int64))
        self.constant("1", np.array(1, np.int64))
        self.add("ReduceSum", ["attention_mask", "one"], "sum", keepdims=0)
        self.add("Cast", [self.add("Sub", ["sum", "one"], "last")], "ends", to=INT)
        self.add("Cast", [self.add("Gather", [self.add("Shape", ["attention_mask"], "s"), "1"], "t")], "total", to=INT)
        angles = np.arange(256)[:, None] / 1000.0 ** (np.arange(SIZE // 2) / (SIZE // 2))
        self.constant("cosine", np.cos(angles).astype(np.float32))
        self.constant("sine", np.sin(angles).astype(np.float32))

    def linear(self, x, n, name):
        return self.add("MatMul", [x, self.constant(f"{name}.w", self.random(WIDTH, n))], name)

    def norm(self, x, name):
        weight = self.constant(f"{name}.w", self.rng.uniform(0.8, 1.2, WIDTH).astype(np.float32))
        return self.add("SimplifiedLayerNormalization", [x, weight], name, axis=-1, epsilon=1e-6)

    def cache(self, name, kind):
        """The names of an input and of the result that replaces it."""
        shape = ["batch_size", FEW, "past_sequence_length", SIZE]
        if kind == "sliding":
            shape[2] = "past_sliding_length"
        elif kind == "convolution":
            shape = ["batch_size", WIDTH, TAPS - 1]
        self.inputs.append(helper.make_tensor_value_info(f"past.{name}", FLOAT, shape))
        later = [f"total_{d[5:]}" if str(d).startswith("past_") else d for d in shape]
        self.outputs.append(helper.make_tensor_value_info(f"present.{name}", FLOAT, later))
        return f"past.{name}", f"present.{name}"

    def layer(self, x, at, kind):
        name = f"layer{at}"
        inner = self.norm(x, f"{name}.norm")
        if kind == "convolution":
            past, present = self.cache(f"{at}.conv", kind)
            turned = self.add("Transpose", [inner], f"{name}.turned", perm=[0, 2, 1])
            weights = self.constant(f"{name}.taps", self.random(WIDTH, 1, TAPS))
            outputs = [f"{name}.conv", present]
            words = {"ndim": 1, "activation": "silu", "state_window": 0}
            self.add("CausalConvWithState", [turned, weights, "", past], name, outputs, MS, **words)
            mixed = self.add("Transpose", [f"{name}.conv"], f"{name}.back", perm=[0, 2, 1])
        else:
            caches = [self.cache(f"{at}.{which}", kind) for which in ("key", "value")]
            inputs = [self.linear(inner, (HEADS + 2 * FEW) * SIZE, f"{name}.qkv"), "", "", *(c[0] for c in caches)]
            inputs += ["ends", "total", "cosine", "sine"]
            words = {"num_heads": HEADS, "kv_num_heads": FEW, "do_rotary": 1}
            if kind == "sinks":
                sinks = self.rng.uniform(-1, 2, HEADS).astype(np.float32)
                inputs += ["", "", self.constant(f"{name}.sinks", sinks)]
            elif kind == "smooth":
                words |= {"smooth_softmax": 1, "softcap": 5.0}
            elif kind == "sliding":
                words |= {"local_window_size": WINDOW, "sliding_window_cache": 1}
            outputs = [f"{name}.attended", *(c[1] for c in caches)]
            self.add("GroupQueryAttention", inputs, name, outputs, MS, **words)
            projection = self.constant(f"{name}.o.w", self.random(HEADS * SIZE, WIDTH))
            mixed = self.add("MatMul", [f"{name}.attended", projection], f"{name}.o")
        return self.add("Add", [x, mixed], f"{name}.sum")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def feeds_of(decoder, rng, batch, new, past, room, pads):
    """Inputs at these sizes. `pads` are the tokens at the end of each row that are none."""
    mask = np.ones((batch, past + new), np.int64)
    for row, count in enumerate(pads):
        mask[row, past + new - count :] = 0
    sizes = {"batch_size": batch, "past_sequence_length": past, "past_sliding_length": room}
    feeds = {"input_ids": rng.integers(0, WORDS, (batch, new)), "attention_mask": mask}
    for info in decoder.inputs[2:]:
        shape = [d.dim_value or sizes[d.dim_param] for d in info.type.tensor_type.shape.dim]
        feeds[info.name] = rng.standard_normal(shape).astype(np.float32)
    return feeds


def resident(tokens, room):
    """How many tokens a sliding cache holds, by the operator's documentation."""
    step = room - WINDOW + 1
    return tokens if tokens <= room else tokens - step * -(-(tokens - room) // step)


def called(program, feeds, path, *flags):
    words = []
    for name, array in feeds.items():
        np.save(f"{path}-{name}.npy", array)
        words.append(f"--input={name}=@{path}-{name}.npy")
    run(["hal-run", program, *words, f"--output=@{path}-out.npz", "-q", *flags])
    return np.load(f"{path}-out.npz")


def close(got, wanted, what):
    assert got.shape == wanted.shape, (what, got.shape, wanted.shape)
    far = np.abs(got - wanted).max(initial=0) / max(1e-6, np.abs(wanted).max(initial=0))
    assert far < 2e-5, (what, far)


def compare(decoder, session, program, path, batch, new, past, room=WINDOW, pads=()):
    """Runs a call of both and compares what counts of the results."""
    rng = np.random.default_rng([batch, new, past, room])
    feeds = feeds_of(decoder, rng, batch, new, past, room, pads)
    wanted = dict(zip([o.name for o in decoder.outputs], session.run(None, feeds), strict=True))
    got = called(program, feeds, path)
    pads = list(pads) or [0] * batch
    for name, value in wanted.items():
        what = (batch, new, past, room, pads, name)
        sliding = name.startswith("present") and decoder.kinds[int(name.split(".")[1])] == "sliding"
        assert got[name].shape == value.shape, (what, got[name].shape, value.shape)
        for row, count in enumerate(pads):
            if name == "logits":
                part = slice(0, new - count)
                close(got[name][row, part], value[row, part], what)
            elif "conv" not in name or not count:
                end = resident(past + new - count, room) if sliding else past + new - count
                part = (row, slice(None), slice(0, end)) if "conv" not in name else row
                close(got[name][part], value[part], what)


def in_place(decoder, session, path, room):
    """A session: what the caches hold is compared by what later calls make of it."""
    sizes = {"batch_size": "1", "past_sequence_length": f"{room}", "total_sequence_length": f"1..{room}"}
    dims = [f"--dim={name}={size}" for name, size in sizes.items()]
    program = f"{path}-state.so"
    run(["hal-compile", f"{path}.onnx", *dims, "--state=past.*=present.*", "-o", program, "-q"])
    listed = run(["hal-run", "--list", program])
    assert f"past.0.key: 1x{FEW}x{room}x{SIZE}xf32" in listed, listed
    rng, done, saved = np.random.default_rng(0), 0, f"{path}-session.npz"
    past = {
        name: array[:, :, :0] for name, array in feeds_of(decoder, rng, 1, 1, 1, room, ()).items() if "past" in name
    }
    past = {name: np.zeros((1, WIDTH, TAPS - 1), np.float32) if "conv" in name else a for name, a in past.items()}
    for new in (7, 1, 1, 4, 1, 17, 1):
        done += new
        feeds = {"input_ids": rng.integers(0, WORDS, (1, new)), "attention_mask": np.ones((1, done), np.int64)}
        names = [o.name for o in decoder.outputs]
        wanted = dict(zip(names, session.run(None, {**feeds, **past}), strict=True))
        past = {name.replace("present", "past"): a for name, a in wanted.items() if name != "logits"}
        flags = [f"--state-out={saved}"] + ([f"--state-in={saved}"] if done > new else [])
        close(called(program, feeds, path, *flags)["logits"], wanted["logits"], ("state", done))


def written_out():
    """Attention in standard operators."""
    nodes, held = [], []
    add = lambda op, inputs, output, **words: nodes.append(helper.make_node(op, inputs, [output], **words)) or output
    constant = lambda name, array: held.append(numpy_helper.from_array(array, name)) or name
    constant("axis", np.array([2], np.int64))
    constant("times", np.array([1, 1, HEADS // FEW, 1, 1], np.int64))
    constant("all", np.array([0, HEADS, -1, SIZE], np.int64))
    constant("scale", np.array(SIZE**-0.25, np.float32))
    for name in ("key", "value"):
        add("Concat", [f"past_{name}", name], f"present_{name}", axis=2)
        repeated = add("Expand", [add("Unsqueeze", [f"present_{name}", "axis"], f"{name}.5"), "times"], f"{name}.r")
        add("Reshape", [repeated, "all"], f"{name}.all")
    turned = add("Transpose", ["key.all"], "turned", perm=[0, 1, 3, 2])
    scores = add("MatMul", [add("Mul", ["query", "scale"], "q"), add("Mul", [turned, "scale"], "k")], "scores")
    weights = add("Softmax", [add("Add", [scores, "mask"], "masked")], "weights", axis=-1)
    add("MatMul", [weights, "value.all"], "result")
    shapes = {"query": HEADS, "key": FEW, "value": FEW, "past_key": FEW, "past_value": FEW}
    inputs = [
        helper.make_tensor_value_info(name, FLOAT, ["B", count, "P" if "past" in name else "S", SIZE])
        for name, count in shapes.items()
    ]
    inputs.append(helper.make_tensor_value_info("mask", FLOAT, ["B", 1, "S", "T"]))
    outputs = [helper.make_tensor_value_info("result", FLOAT, ["B", HEADS, "S", SIZE])]
    graph = helper.make_graph(nodes, "attention", inputs, outputs, held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def compare_written_out(path):
    """Heads that share keys are rows of one product, whatever is done to the keys in between."""
    model = written_out()
    onnx.save(model, f"{path}.onnx")
    session = onnxruntime.InferenceSession(f"{path}.onnx", providers=["CPUExecutionProvider"])
    run(["hal-compile", f"{path}.onnx", "-o", f"{path}.so", "-q"])
    listed = run(["hal-run", "--list", f"{path}.so"])
    assert f"batch_matmul_Dx{FEW}xDxDx{SIZE}_f32" in listed and f"batch_matmul_Dx{FEW}xDx{SIZE}xD_f32" in listed, listed
    assert "broadcast" not in listed, listed
    rng = np.random.default_rng(3)
    for batch, new, past in [(1, 1, 90), (3, 1, 9), (2, 5, 6), (1, 7, 0), (1, 40, 24), (1, 0, 5)]:
        sizes = {"B": batch, "S": new, "P": past, "T": past + new}
        feeds = {
            i.name: rng.standard_normal(
                [d.dim_value or sizes[d.dim_param] for d in i.type.tensor_type.shape.dim]
            ).astype(np.float32)
            for i in model.graph.input
        }
        close(called(f"{path}.so", feeds, path)["result"], session.run(None, feeds)[0], (batch, new, past))
    print("attention that is written out is right, and repeats nothing")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, kinds in {"whole": ["full", "sinks", "smooth", "convolution"], "sliding": ["sliding", "full"]}.items():
        path = os.path.join(folder, name)
        decoder = Decoder(kinds)
        onnx.save(decoder.model, f"{path}.onnx")
        session = onnxruntime.InferenceSession(f"{path}.onnx", providers=["CPUExecutionProvider"])
        program = f"{path}.so"
        run(["hal-compile", f"{path}.onnx", "-o", program, "-q"])
        first = [(1, 7, 0), (2, 5, 0), (1, 1, 0), (1, 40, 0)]
        later = [(1, 1, 9), (3, 1, 11), (1, 4, 6), (1, 1, 100), (1, 20, 30)]
        for batch, new, past in first + later:
            rooms = (WINDOW, WINDOW + 1, 30) if "sliding" in kinds else (WINDOW,)
            for room in rooms:
                compare(decoder, session, program, path, batch, new, past, room)
        if name == "whole":
            compare(decoder, session, program, path, 2, 6, 0, pads=(0, 2))
            in_place(decoder, session, path, 40)
        print(f"{name}: {', '.join(kinds)} are right")
    compare_written_out(os.path.join(folder, "written-out"))


if __name__ == "__main__":
    main(sys.argv[1])
