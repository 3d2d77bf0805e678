#!/usr/bin/env python3
"""Trains classical models and converts them to ONNX: FOLDER/NAME.onnx, and NAME.json and NAME.npz with rows to try.

build/wild/bin/python tests/wild/train.py build/wild/classical
build/wild/bin/python tests/wild/compare.py build/wild/classical
"""

import argparse
import json
import os
import re
import warnings

import numpy as np
from classical import ENTRIES
from skl2onnx import to_onnx
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType

warnings.simplefilter("ignore")
# How many rows a run has.
SIZES = (1, 7, 40)


def kind(array):
    """The type of an input for the converter."""
    types = {"f4": FloatTensorType, "f8": DoubleTensorType, "i8": Int64TensorType}
    return types.get(array.dtype.str[1:], StringTensorType)([None, array.shape[1]])


def train(entry, folder):
    x, y = entry.data()
    estimator = entry.build()
    if entry.inputs is not None:
        # Columns of different types are a frame of pandas for scikit-learn, and inputs of their own for ONNX.
        import pandas

        frame = pandas.DataFrame({k: v[:, 0] for k, v in x.items()})
        estimator.fit(frame, y)
        feeds = x
    else:
        estimator.fit(x) if y is None else estimator.fit(x, y)
        feeds = {"x": x}
    if entry.convert:
        model = entry.convert(estimator, x.shape[1])
    else:
        model = to_onnx(
            estimator,
            initial_types=[(k, kind(v)) for k, v in feeds.items()],
            options={id(estimator): entry.options} if entry.options else None,
        )
    names = [i.name for i in model.graph.input]
    r = np.random.default_rng(8)
    with open(os.path.join(folder, entry.name + ".onnx"), "wb") as f:
        f.write(model.SerializeToString())
    chosen = [r.integers(0, len(next(iter(feeds.values()))), n) for n in SIZES]
    arrays = {f"{k}.{name}": feeds[name][rows] for k, rows in enumerate(chosen) for name in names}
    np.savez(os.path.join(folder, entry.name + ".npz"), **arrays)
    with open(os.path.join(folder, entry.name + ".json"), "w", encoding="utf-8") as f:
        json.dump({"stored": [{name: f"{k}.{name}" for name in names} for k in range(len(SIZES))]}, f)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--filter", default="", metavar="REGEX")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    failed = 0
    for entry in [e for e in ENTRIES if re.search(a.filter, e.name)]:
        try:
            train(entry, a.folder)
        except Exception as e:  # noqa: BLE001
            failed += 1
            print(
                f"FAILED   {entry.name}: {type(e).__name__}: {str(e).strip().splitlines()[0][:200] if str(e) else ''}",
                flush=True,
            )
    print(f"{len(ENTRIES)} entries, {failed} not converted")


if __name__ == "__main__":
    main()
