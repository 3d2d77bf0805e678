#!/usr/bin/env python3
"""How long large models compile, in how much memory, and what room the results take.

Each model is twelve products of one input with weights that lie in a file beside the model (external data of ONNX): `plain` f32,
`transposed` (Gemm with transB), `permuted` (Transpose before the product: new weights), `f16`,
`int8` (DequantizeLinear before the product), `bits4` (MatMulNBits), `inside` (f32, the weights are in the model's own file) and `sparse`, whose file of 20 GB is a hole but for some numbers in each row. They are compiled beside their weights,
which are referred to, and into another folder, for which weights are copied. Anonymous memory is what the system cannot give back; resident
memory has the pages of mapped files in it, too.

usage: large.py [--tools target/release] [--gigabytes 3.2] [--folder FOLDER] [--models plain,…] [--runs 3] [--record FILE.json]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

os.environ["HALYARD_CACHE"] = "off"

PRODUCTS = 12
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def external(name, data_type, shape, offset, length, location):
    tensor = onnx.TensorProto(name=name, data_type=data_type, dims=shape, data_location=T.EXTERNAL)
    for key, value in [("location", location), ("offset", offset), ("length", length)]:
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return tensor


class Weights:
    """A file of weights; each tensor starts at a multiple of 4096."""

    def __init__(self, path):
        self.path, self.file, self.number = path, open(path, "wb"), 0
        self.block = np.random.default_rng(0).standard_normal(1 << 22).astype(np.float32)

    def add(self, name, data_type, shape, size, sparse=False):
        offset = -(-self.file.tell() // 4096) * 4096
        self.file.seek(offset)
        self.number += 1
        if sparse:
            # A number in each of some rows.
            for at in range(0, size, max(4096, size // 64 // 4 * 4)):
                self.file.seek(offset + at)
                self.file.write(np.float32(self.number + at % 97).tobytes())
            self.file.seek(offset + size - 4)
            self.file.write(np.float32(1).tobytes())
        else:
            block = (
                (self.block * np.float32(1 + self.number / 64))
                .astype(np.float16 if data_type == T.FLOAT16 else np.float32)
                .tobytes()
            )
            for start in range(0, size, len(block)):
                self.file.write(block[: min(len(block), size - start)])
        return external(name, data_type, shape, offset, size, os.path.basename(self.path))


def model(kind, gigabytes, folder):
    """Writes a model. Gives its path and the bytes of its weights."""
    weights = Weights(os.path.join(folder, f"{kind}.bin"))
    each = gigabytes * 1e9 / PRODUCTS
    element = {"f16": 2, "int8": 1, "bits4": 0.5}.get(kind, 4)
    n = int((each / element) ** 0.5) // 256 * 256
    float_type = T.FLOAT16 if kind == "f16" else T.FLOAT
    nodes, tensors, outputs = [], [], []
    for i in range(PRODUCTS):
        w, y = f"w{i}", f"y{i}"
        outputs.append(helper.make_tensor_value_info(y, float_type, [1, n]))
        if kind == "transposed":
            tensors.append(weights.add(w, T.FLOAT, [n, n], 4 * n * n))
            nodes.append(helper.make_node("Gemm", ["x", w], [y], transB=1))
        elif kind == "permuted":
            tensors.append(weights.add(w, T.FLOAT, [n, n], 4 * n * n))
            nodes.append(helper.make_node("Transpose", [w], [f"t{i}"], perm=[1, 0]))
            nodes.append(helper.make_node("MatMul", ["x", f"t{i}"], [y]))
        elif kind == "int8":
            tensors.append(weights.add(w, T.INT8, [n, n], n * n))
            tensors.append(helper.make_tensor(f"s{i}", T.FLOAT, [], [0.01]))
            nodes.append(helper.make_node("DequantizeLinear", [w, f"s{i}"], [f"d{i}"]))
            nodes.append(helper.make_node("MatMul", ["x", f"d{i}"], [y]))
        elif kind == "bits4":
            tensors.append(weights.add(w, T.UINT8, [n, n // 32, 16], n * n // 2))
            tensors.append(weights.add(f"s{i}", T.FLOAT, [n * n // 32], n * n // 8))
            nodes.append(
                helper.make_node(
                    "MatMulNBits", ["x", w, f"s{i}"], [y], domain="com.microsoft", K=n, N=n, bits=4, block_size=32
                )
            )
        else:
            size = 2 if kind == "f16" else 4
            tensors.append(weights.add(w, float_type, [n, n], size * n * n, kind == "sparse"))
            nodes.append(helper.make_node("MatMul", ["x", w], [y]))
    weights.file.close()
    graph = helper.make_graph(nodes, kind, [helper.make_tensor_value_info("x", float_type, [1, n])], outputs, tensors)
    proto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)], ir_version=9
    )
    path = os.path.join(folder, f"{kind}.onnx")
    size = os.path.getsize(weights.path)
    if kind == "inside":
        onnx.load_external_data_for_model(proto, folder)
        os.remove(weights.path)
    onnx.save(proto, path)
    return path, size


def looked_at(pid):
    """The most resident memory so far, and the anonymous memory now. (What `wait4` says counts the memory of this process, too.)"""
    try:
        with (
            open(f"/proc/{pid}/status", encoding="utf-8") as status,
            open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as rollup,
        ):
            find = lambda f, key: next((int(line.split()[1]) * 1024 for line in f if line.startswith(key)), 0)
            return find(status, "VmHWM:"), find(rollup, "Anonymous:")
    except (OSError, StopIteration):
        return 0, 0


def measure(command):
    """Seconds, the most resident and the most anonymous memory of a command and its children."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most, ended = [(0, 0)], threading.Event()

    def look():
        while not ended.is_set():
            most.append(looked_at(child.pid))
            time.sleep(0.01)

    watcher = threading.Thread(target=look)
    watcher.start()
    _, status = os.waitpid(child.pid, 0)
    taken = time.monotonic() - start
    ended.set()
    watcher.join()
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return {"seconds": round(taken, 2), "resident": max(r for r, _ in most), "anonymous": max(a for _, a in most)}


def room(folder):
    """The room that the regular files of a folder take."""
    entries = [e for e in os.scandir(folder) if e.is_file(follow_symlinks=False)]
    return sum(e.stat().st_blocks * 512 for e in entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=os.path.join(TOP, "target", "release"))
    parser.add_argument("--gigabytes", type=float, default=3.2)
    parser.add_argument("--folder", default=None, help="where models are written; twice their size must be free")
    parser.add_argument("--models", default="plain,transposed,permuted,f16,int8,bits4,sparse")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--record")
    args = parser.parse_args()
    rows = []
    print(f"{'model':12}{'where':9}{'seconds':>9}{'resident':>10}{'anonymous':>11}{'room':>8}   (times the weights)")
    for kind in args.models.split(","):
        folder = tempfile.mkdtemp(dir=args.folder, prefix="large-")
        try:
            path, size = model(
                kind,
                20 if kind == "sparse" else min(args.gigabytes, 1.9) if kind == "inside" else args.gigabytes,
                folder,
            )
            before = room(folder)
            for where in ["beside", "copied"]:
                out = folder if where == "beside" else os.path.join(folder, "out")
                os.makedirs(out, exist_ok=True)
                for _ in range(args.runs):
                    row = measure(
                        [os.path.join(args.tools, "hal-compile"), "-q", path, "-o", os.path.join(out, f"{kind}.so")]
                    )
                    row.update(
                        model=kind, where=where, weights=size, room=room(out) - (before if where == "beside" else 0)
                    )
                    rows.append(row)
                row = sorted(
                    (r for r in rows if (r["model"], r["where"]) == (kind, where)), key=lambda r: r["seconds"]
                )[args.runs // 2]
                shares = [f"{row[k] / size:.2f}" for k in ["resident", "anonymous", "room"]]
                print(
                    f"{kind:12}{where:9}{row['seconds']:9.2f}{shares[0]:>10}{shares[1]:>11}{shares[2]:>8}", flush=True
                )
        finally:
            shutil.rmtree(folder)
    if args.record:
        with open(args.record, "w", encoding="utf-8") as f:
            json.dump({"tools": os.path.basename(args.tools), "cpus": os.cpu_count(), "rows": rows}, f, indent=1)
            f.write("\n")


main()
