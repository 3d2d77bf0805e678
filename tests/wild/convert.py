#!/usr/bin/env python3
"""Converts functions of TensorFlow and models of Keras to ONNX by tf2onnx: FOLDER/NAME.onnx, and NAME.json with shapes to try.

build/flow/bin/python tests/wild/convert.py build/wild/converted
build/wild/bin/python tests/wild/compare.py build/wild/converted
"""

import argparse
import json
import logging
import os
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf2onnx  # noqa: E402
from flow import ENTRIES  # noqa: E402
from flow.lite import KINDS, lite  # noqa: E402

tf.get_logger().setLevel("ERROR")
logging.getLogger("tf2onnx").setLevel(logging.CRITICAL)


def randomize(model):
    """Weights that start as zeros or ones would hide what is wrong behind them."""
    r = np.random.default_rng(0)
    for w in model.weights:
        value = np.asarray(w.value)
        if value.dtype.kind == "f" and value.size > 1 and value.std() == 0:
            w.assign(np.abs(value + r.standard_normal(value.shape) * 0.1))


def hold(proto, concrete, count):
    """Numbers that a model captures, such as the mean of what it normalises, become part of it: tf2onnx makes inputs of them."""
    captured = {p.name: t.numpy() for t, p in concrete.graph.captures if t.dtype != tf.resource}
    for extra in list(proto.graph.input)[count:]:
        proto.graph.initializer.append(onnx.numpy_helper.from_array(captured[extra.name], extra.name))
        proto.graph.input.remove(extra)


def convert(entry, path, static, opset, kind=None):
    """Static: each symbol is the first of its sizes. `kind`: by way of TensorFlow Lite."""
    keras.utils.set_random_seed(0)
    tf.keras.backend.clear_session()
    made = entry.build()
    first = {s: v[0] for s, v in entry.sizes.items()}
    signature = [
        tf.TensorSpec(
            [d if isinstance(d, int) else first[d] if static else None for d in i.shape], i.dtype, name=f"x{k}"
        )
        for k, i in enumerate(entry.inputs)
    ]
    f = made
    if isinstance(made, keras.Model):
        randomize(made)
        f = lambda *args: made(list(args) if len(args) > 1 else args[0], training=False)  # noqa: E731
    traced = tf.function(f, autograph=False)
    concrete = traced.get_concrete_function(*signature)
    if kind:
        proto = lite(concrete, kind, entry.inputs, opset)
    else:
        proto, _ = tf2onnx.convert.from_function(traced, signature, opset=opset)
        hold(proto, concrete, len(signature))
    # What it cannot convert it leaves as it is.
    left = {n.op_type for n in proto.graph.node if not n.domain and not onnx.defs.has(n.op_type)}
    if left:
        raise NotImplementedError(f"tf2onnx has no {', '.join(sorted(left))}")
    onnx.save(proto, path)
    runs = [{s: v[k] for s, v in entry.sizes.items()} for k in range(1 if static else 3)]
    # TensorFlow Lite has them in an order of its own.
    order = [int(i.name.split(":")[0].removeprefix("x")) for i in proto.graph.input]
    inputs = [
        [
            {"dtype": i.dtype, "shape": i.sized(run), "low": i.low, "high": i.high}
            for i in map(entry.inputs.__getitem__, order)
        ]
        for run in runs
    ]
    # One step of 8 bits, here and there.
    coarse = {"tolerance": 3e-2} if kind in ("dynamic", "int8") else {}
    with open(path.removesuffix(".onnx") + ".json", "w", encoding="utf-8") as file:
        json.dump({"inputs": inputs, **coarse}, file)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--filter", default="", metavar="REGEX")
    p.add_argument("--static", action="store_true", help="with sizes as they are, instead of symbols")
    p.add_argument("--lite", choices=KINDS, help="by way of TensorFlow Lite, with numbers of that kind; needs --static")
    p.add_argument("--opset", type=int, default=18, help="the version of the operators (default: 18)")
    a = p.parse_args()
    if a.lite and not a.static:
        p.error("--lite needs --static")
    os.makedirs(a.folder, exist_ok=True)
    chosen = [e for e in ENTRIES if re.search(a.filter, e.name)]
    failed = 0
    for entry in chosen:
        way = a.lite or ("static" if a.static else "symbols")
        path = os.path.join(a.folder, f"{entry.name}.{way}.{a.opset}.onnx")
        try:
            convert(entry, path, a.static, a.opset, a.lite)
            print(f"converted {entry.name}", flush=True)
        except Exception as e:  # noqa: BLE001
            failed += 1
            if os.path.exists(path):
                os.remove(path)
            print(f"FAILED    {entry.name}: {type(e).__name__}: {' '.join(str(e).split())[:200]}", flush=True)
    print(f"{len(chosen)} entries, {failed} not converted")
    sys.exit(failed == len(chosen))


if __name__ == "__main__":
    main()
