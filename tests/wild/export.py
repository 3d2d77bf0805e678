#!/usr/bin/env python3
"""Exports models that people use to ONNX, with random weights: FOLDER/NAME.onnx, and NAME.json with shapes to try.

    tests/wild/setup                                    # once: torch, torchvision, timm, transformers, diffusers, … by pip, into build/wild
    build/wild/bin/python tests/wild/export.py build/wild/models
    build/wild/bin/python tests/wild/compare.py build/wild/models

A model is exported with sizes as they are and with symbols (`NAME.dynamic.onnx`), by the exporter that its entry names.
"""

import argparse
import contextlib
import inspect
import io
import json
import os
import re
import sys
import traceback
import warnings

import torch
from zoo import ENTRIES

warnings.simplefilter("ignore")


def flat(values):
    """The tensors of nested arguments, in order."""
    if isinstance(values, torch.Tensor):
        return [values]
    if isinstance(values, dict):
        values = values.values()
    return (
        [t for v in values for t in flat(v)] if isinstance(values, (list, tuple)) or hasattr(values, "__iter__") else []
    )


def export(entry, folder, dynamic, legacy, opset=None):
    torch.manual_seed(0)
    module, names, make, axes = entry.build()
    module = module.eval()
    # Weights that start as zeros or ones would hide what is wrong behind them.
    for p in module.parameters():
        if p.is_floating_point() and p.numel() > 1 and p.std() == 0:
            p.data.add_(torch.randn_like(p) * 0.1)
    args = make({k: v[0] for k, v in axes.items()}) if axes else make({})
    path = os.path.join(
        folder,
        entry.name
        + (".dynamic" if dynamic else "")
        + (".legacy" if legacy else "")
        + (f".{opset}" if opset else "")
        + ".onnx",
    )
    words = {"input_names": list(names), "opset_version": opset or (17 if legacy else 20), "dynamo": not legacy}
    if dynamic and legacy:
        words["dynamic_axes"] = {name: {int(i): s for i, s in dims.items()} for name, dims in names.items() if dims}
    elif dynamic:
        symbols = {
            s: torch.export.Dim(s, min=1 if s == "past" else 2, max=4096)
            for dims in names.values()
            for s in dims.values()
        }
        shapes = [{int(i): symbols[s] for i, s in dims.items()} or None for dims in names.values()]
        # The arguments behind a star are one.
        plain = [q for q in inspect.signature(module.forward).parameters.values() if q.kind is not q.VAR_POSITIONAL]
        starred = [tuple(shapes[len(plain) :])] if len(shapes) > len(plain) else []
        words["dynamic_shapes"] = tuple(shapes[: len(plain)] + starred)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), torch.no_grad():
        torch.onnx.export(module, tuple(args), path, **words)
    # Each shape: the sizes of the symbols, from which the inputs are made again.
    sizes = [{k: v[i] for k, v in axes.items()} for i in range(3)] if dynamic else [{k: v[0] for k, v in axes.items()}]
    inputs = []
    for symbols in sizes:
        torch.manual_seed(1)
        inputs.append([{"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), "low": int(t.min()) if t.numel() and not t.is_floating_point() else 0,
                        "high": int(t.max()) + 1 if t.numel() and not t.is_floating_point() else 1} for t in flat(make(symbols))])  # fmt: skip
    with open(path.removesuffix(".onnx") + ".json", "w", encoding="utf-8") as f:
        json.dump({"inputs": inputs}, f)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--filter", default="", metavar="REGEX")
    p.add_argument("--static", action="store_true", help="also with sizes as they are")
    p.add_argument("--legacy", action="store_true", help="by the exporter that traces, instead of torch.export")
    p.add_argument("--opset", type=int, help="the version of the operators (default: 20, 17 for --legacy)")
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    failed = 0
    for entry in [e for e in ENTRIES if re.search(a.filter, e.name)]:
        for dynamic in [True] if not a.static else [True, False]:
            try:
                export(entry, a.folder, dynamic, a.legacy, a.opset)
                print(f"exported {entry.name}{' (dynamic)' if dynamic else ''}", flush=True)
            except Exception as e:  # noqa: BLE001
                failed += 1
                text = (
                    traceback.format_exception_only(e)[-1].strip().splitlines()[0]
                    if not os.environ.get("TRACE")
                    else traceback.format_exc()
                )
                print(f"FAILED   {entry.name}{' (dynamic)' if dynamic else ''}: {text[:300]}", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
