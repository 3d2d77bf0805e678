#!/usr/bin/env python3
"""How long resnet50 with realistic weights runs on one thread: hal-benchmark against iree-benchmark-module.

IREE is compiled with default flags, and for this machine's CPU (which it does not do by default). Outputs are compared
before anything is timed. Each sample is the mean of at least a second of calls.

usage: run.py [--model NAME] [--rounds N]
"""
import json
import os
import subprocess

from peers import WORK, arguments, by_turns, light_model, peers, record, seconds, tool

args = arguments(__doc__, 7, "resnet50")
model, iree = light_model(args.model, realistic=True), peers()
path = lambda suffix: os.path.join(WORK, f"{args.model}{suffix}")  # noqa: E731
output = lambda command: subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: E731

seconds([tool("hal-compile"), "-q", model, "-o", path(".so")])
# The importer reads recent opsets only; this upgrades the model.
seconds([os.path.join(iree, "iree-import-onnx"), "--opset-version=17", model, "-o", path(".mlir")])
compiling = [os.path.join(iree, "iree-compile"), "--iree-hal-target-backends=llvm-cpu", path(".mlir")]
modules = {"iree": path("-default.vmfb"), "iree, host CPU": path("-host.vmfb")}
seconds([*compiling, "-o", modules["iree"]])
seconds([*compiling, "--iree-llvmcpu-target-cpu=host", "-o", modules["iree, host CPU"]])

# The same random input for all, and the same results.
seconds([tool("hal-run"), path(".so"), "--input=random:0", "-o", path(".out.npy")])
with open(path(".mlir"), encoding="utf-8") as f:
    function = next(line for line in f if "func.func @" in line).split("@")[1].split("(")[0]
output([os.path.join(iree, "python"), "-c", f"""
import json, numpy as np, onnx
graph = onnx.load({model!r}).graph
shape = [d.dim_value for d in graph.input[0].type.tensor_type.shape.dim]
mask, step = (1 << 64) - 1, 6364136223846793005
increment = 0xa02bdbf7bb3c0a7 << 1 | 1
state = (increment * step + increment) & mask
values = np.empty(int(np.prod(shape)))
for i in range(len(values)):
    bits = 0
    for _ in range(2):
        mixed, turn = (state >> 18 ^ state) >> 27 & 0xffffffff, state >> 59
        bits = bits << 32 | (mixed >> turn | mixed << (-turn & 31)) & 0xffffffff
        state = (state * step + increment) & mask
    values[i] = (bits >> 11) / 2 ** 53 * 2 - 1
np.save({path('.in.npy')!r}, values.astype(np.float32).reshape(shape))
"""])
running = lambda module: [f"--module={module}", "--device=local-sync", f"--function={function}", f"--input=@{path('.in.npy')}"]  # noqa: E731
for module in modules.values():
    seconds([os.path.join(iree, "iree-run-module"), *running(module), f"--output=@{path('.peer.npy')}"])
    seconds([tool("hal-run"), path(".so"), f"--input=@{path('.in.npy')}", f"--expect=@{path('.peer.npy')}", "--rtol=1e-3", "--atol=1e-3"])


def ours():
    command = [tool("hal-benchmark"), path(".so"), "--threads=1", f"--input=@{path('.in.npy')}", "--json=-", "-qq"]
    return json.loads(output(command))["results"][0]["mean"]


def theirs(module):
    command = [os.path.join(iree, "iree-benchmark-module"), *running(module), "--benchmark_min_time=1s", "--benchmark_format=json"]
    result = json.loads(output(command))["benchmarks"][0]
    return result["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[result["time_unit"]]


candidates = {"hal-benchmark": ours}
candidates.update({name: (lambda module=module: theirs(module)) for name, module in modules.items()})
record(f"run-{args.model}", by_turns(candidates, args.rounds, warmup=1), threads=1, input="random:0")
