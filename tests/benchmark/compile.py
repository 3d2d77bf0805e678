#!/usr/bin/env python3
"""How long compiling light_resnet50 takes, cold: hal-compile against iree-import-onnx and iree-compile (llvm-cpu).

usage: compile.py [--model NAME] [--rounds N]
"""
import os

from peers import WORK, arguments, by_turns, light_model, peers, record, seconds, tool

args = arguments(__doc__, 7, "resnet50")
model, iree = light_model(args.model), peers()
linked, imported, module = (os.path.join(WORK, f"{args.model}-cold.{e}") for e in ("so", "mlir", "vmfb"))
ours = [tool("hal-compile"), "-q", model, "-o", linked]
# Its importer reads recent opsets only; this upgrades the model.
importing = [os.path.join(iree, "iree-import-onnx"), "--opset-version=17", model, "-o", imported]
compiling = [os.path.join(iree, "iree-compile"), "--iree-hal-target-backends=llvm-cpu", imported, "-o", module]
seconds(importing)
samples = by_turns(
    {"hal-compile": lambda: seconds(ours), "iree-import-onnx": lambda: seconds(importing), "iree-compile": lambda: seconds(compiling)},
    args.rounds,
)
record(f"compile-{args.model}", samples, commands={"hal-compile": "hal-compile MODEL -o OUT.so", "iree-compile": "iree-compile --iree-hal-target-backends=llvm-cpu"})
