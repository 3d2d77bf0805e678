#!/usr/bin/env python3
"""How long each tool takes on a tiny module, from its start to its end; mlir-opt beside them.

usage: startup.py [--rounds N]
"""

import os

from peers.common import WORK, arguments, by_turns, record, seconds, tool

TINY = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
"""

args = arguments(__doc__, 30)
path = lambda name: os.path.join(WORK, name)  # noqa: E731
with open(path("tiny.mlir"), "w", encoding="utf-8") as f:
    f.write(TINY)
commands = {
    "hal-import": [path("tiny.mlir"), "-o", path("tiny.e.mlir")],
    "hal-opt": [path("tiny.e.mlir"), "-o", "/dev/null"],
    "hal-translate": [path("tiny.e.mlir"), "-o", path("tiny.o.mlir")],
    "hal-link": [path("tiny.o.mlir"), "-o", path("tiny.so")],
    "hal-run": [path("tiny.so"), "--input=1"],
    "hal-benchmark": [path("tiny.so"), "--runs=1", "--min-time=0", "--warmup=0", "-qq"],
    "hal-compile": ["-q", path("tiny.mlir"), "-o", path("tiny.so")],
}
mlir_opt = os.path.join(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"), "bin", "mlir-opt")
candidates = {name: (lambda c=[tool(name), *words]: seconds(c)) for name, words in commands.items()}
candidates["mlir-opt"] = lambda: seconds([mlir_opt, path("tiny.mlir"), "-o", "/dev/null"])
record("startup", by_turns(candidates, args.rounds))
