"""Writes weights and models that lack them, for weights-by-name.test, into the working directory; `small`: small weights only."""

import copy
import json
import os
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from safetensors.numpy import save_file

RNG = np.random.default_rng(1)


def gguf(path, tensors):
    """A GGUF file of tensors (name, shape, ggml type, bytes)."""
    text = lambda s: struct.pack("<Q", len(s)) + s.encode()
    head = (
        b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 1) + text("general.name") + struct.pack("<I", 8) + text("test")
    )
    offset = 0
    for name, shape, kind, data in tensors:
        head += (
            text(name)
            + struct.pack("<I", len(shape))
            + struct.pack(f"<{len(shape)}Q", *reversed(shape))
            + struct.pack("<IQ", kind, offset)
        )
        offset += -(-len(data) // 32) * 32
    with open(path, "wb") as f:
        f.write(head + bytes(-len(head) % 32))
        for _, _, _, data in tensors:
            f.write(data + bytes(-len(data) % 32))


def random_blocks(count, bytes_per_block, halves):
    """Blocks of random bytes, with small halves as scales at some places."""
    blocks = RNG.integers(0, 256, (count, bytes_per_block), dtype=np.uint8)
    for at in halves:
        scale = RNG.uniform(0.01, 0.05, count).astype(np.float16)
        blocks[:, at : at + 2] = scale.view(np.uint8).reshape(count, 2)
    return blocks


def half(blocks, at):
    return blocks[:, at : at + 2].copy().view(np.float16).astype(np.float32)


def nibbles(bytes_):
    return np.concatenate([bytes_ & 15, bytes_ >> 4], axis=1)


def fifth(bytes_):
    return np.unpackbits(bytes_, axis=1, bitorder="little")


def six_bits(s):
    """Scales and minima of Q4_K and Q5_K, from 12 bytes."""
    low, high, mixed = s[:, 0:4], s[:, 4:8], s[:, 8:12]
    scales = np.concatenate([low & 63, mixed & 15 | low >> 6 << 4], axis=1)
    minima = np.concatenate([high & 63, mixed >> 4 | high >> 6 << 4], axis=1)
    return scales.astype(np.float32), minima.astype(np.float32)


def k_parts(b, first):
    """The eight parts of 4 bits of a block of 256."""
    q = b[:, first : first + 128].reshape(-1, 4, 1, 32)
    return np.concatenate([q & 15, q >> 4], axis=2).reshape(-1, 8, 32)


def k_values(b, q):
    scales, minima = six_bits(b[:, 4:16])
    d, least = half(b, 0), half(b, 2)
    return ((d * scales)[:, :, None] * q.astype(np.float32) - (least * minima)[:, :, None]).reshape(len(b), 256)


def q5_k(b):
    high = np.stack([b[:, 16:48] >> part & 1 for part in range(8)], axis=1)
    return k_values(b, k_parts(b, 48) | high << 4)


def q6_k(b):
    low, high = b[:, :128].reshape(-1, 2, 2, 32), b[:, 128:192].reshape(-1, 2, 32)
    out = np.zeros((len(b), 2, 4, 32), np.float32)
    scales = b[:, 192:208].view(np.int8).reshape(-1, 2, 4, 2)
    for part in range(4):
        q = (low[:, :, part % 2] >> (4 * (part // 2)) & 15) | (high >> (2 * part) & 3) << 4
        scale = np.repeat(scales[:, :, part], 16, axis=2).astype(np.float32)
        out[:, :, part] = half(b, 208)[:, :, None] * scale * (q.astype(np.float32) - 32)
    return out.reshape(len(b), 256)


# Name, ggml's number, elements and bytes of a block, where halves are, the numbers of blocks.
FORMATS = [
    ("Q4_0", 2, 32, 18, [0], lambda b: (nibbles(b[:, 2:]).astype(np.float32) - 8) * half(b, 0)),
    ("Q4_1", 3, 32, 20, [0, 2], lambda b: nibbles(b[:, 4:]).astype(np.float32) * half(b, 0) + half(b, 2)),
    (
        "Q5_0",
        6,
        32,
        22,
        [0],
        lambda b: ((nibbles(b[:, 6:]) | fifth(b[:, 2:6]) << 4).astype(np.float32) - 16) * half(b, 0),
    ),
    (
        "Q5_1",
        7,
        32,
        24,
        [0, 2],
        lambda b: (nibbles(b[:, 8:]) | fifth(b[:, 4:8]) << 4).astype(np.float32) * half(b, 0) + half(b, 2),
    ),
    ("Q8_0", 8, 32, 34, [0], lambda b: b[:, 2:].view(np.int8).astype(np.float32) * half(b, 0)),
    ("Q4_K", 12, 256, 144, [0, 2], lambda b: k_values(b, k_parts(b, 16))),
    ("Q5_K", 13, 256, 176, [0, 2], q5_k),
    ("Q6_K", 14, 256, 210, [208], q6_k),
]


def small():
    save_file({"a": np.ones((2, 3), np.float32), "b": np.zeros(3, np.float16)}, "two.safetensors")
    with open("index.json", "w", encoding="utf-8") as f:
        json.dump({"weight_map": {"a": "two.safetensors", "b": "two.safetensors"}}, f)
    plain = [
        ("f32", (2, 3), 0, bytes(24)),
        ("f16", (4,), 1, bytes(8)),
        ("bf16", (2, 2), 30, bytes(8)),
        ("i8", (5,), 24, bytes(5)),
        ("other", (256,), 10, bytes(84)),
    ]
    gguf("plain.gguf", plain)
    gguf(
        "blocks.gguf",
        [
            (name, (2, elements), kind, random_blocks(2, size, halves).tobytes())
            for name, kind, elements, size, halves, _ in FORMATS
        ],
    )


def main():
    w = RNG.standard_normal((64, 128)).astype(np.float32)
    b = RNG.standard_normal(128).astype(np.float32)
    x = RNG.standard_normal((3, 64)).astype(np.float32)
    np.save("x.npy", x)
    np.save("y.npy", x @ w + b)
    save_file({"lin.w": w, "lin.b": b}, "w.safetensors")
    save_file({"lin.w": w}, "part1.safetensors")
    save_file({"lin.b": b, "extra": b}, "part2.safetensors")
    with open("w.safetensors.index.json", "w", encoding="utf-8") as f:
        json.dump({"weight_map": {"lin.w": "part1.safetensors", "lin.b": "part2.safetensors"}}, f)
    gguf("w.gguf", [("blk.0.w", (64, 128), 0, w.tobytes()), ("blk.0.b", (128,), 1, b.astype(np.float16).tobytes())])
    np.save("y16.npy", x @ w + b.astype(np.float16).astype(np.float32))

    nodes = [helper.make_node("MatMul", ["x", "lin.w"], ["m"]), helper.make_node("Add", ["m", "lin.b"], ["y"])]
    value = lambda name, *shape: helper.make_tensor_value_info(name, T.FLOAT, shape)

    def model(inputs, initialisers):
        graph = helper.make_graph(nodes, "g", inputs, [value("y", "n", 128)], initialisers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    onnx.save(model([value("x", "n", 64), value("lin.w", 64, 128), value("lin.b", 128)], []), "inputs.onnx")
    full = model([value("x", "n", 64)], [numpy_helper.from_array(w, "lin.w"), numpy_helper.from_array(b, "lin.b")])
    for name in ["data", "gone"]:
        # Writing takes the data away.
        onnx.save(
            copy.deepcopy(full), f"{name}.onnx", save_as_external_data=True, location=f"{name}.bin", size_threshold=0
        )
    os.remove("gone.bin")

    tensors, arguments, results, expected = [], [], [], {}
    for name, kind, elements, size, halves, numbers in FORMATS:
        blocks = random_blocks(6 * (512 // elements), size, halves)
        expected[name] = numbers(blocks).reshape(6, 512)
        tensors.append((name, (6, 512), kind, blocks.tobytes()))
        arguments.append(f'%{name}: tensor<6x512xf32> {{hal.name = "{name}"}}')
        results.append(name)
    gguf("blocks.gguf", tensors)
    np.savez("blocks.npz", **expected)
    types = ", ".join(["tensor<6x512xf32>"] * len(results))
    named = ", ".join(f'tensor<6x512xf32> {{hal.name = "{r}"}}' for r in results)
    with open("blocks.mlir", "w", encoding="utf-8") as f:
        f.write(
            f"func.func @main({', '.join(arguments)}) -> ({named}) {{ return {', '.join('%' + r for r in results)} : {types} }}\n"
        )


small() if sys.argv[1:] == ["small"] else main()
