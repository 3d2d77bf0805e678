#!/usr/bin/env python3
"""What stages cost: a pipeline of one pass beside mlir-opt, ten stages in Python beside one, an edited pipeline beside the default one.

usage: stages.py [--rounds N]
"""

import os
import subprocess

from peers.common import WORK, arguments, by_turns, record, seconds, tool

TINY = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
"""
GENERATOR = '''def create_schedule(tag):
    return f"""module attributes {{transform.with_named_sequence}} {{
      transform.named_sequence @__transform_main(%m: !transform.any_op {{transform.readonly}}) {{
        %f = transform.structured.match ops{{["func.func"]}} in %m : (!transform.any_op) -> !transform.any_op
        transform.annotate %f "{tag}" : !transform.any_op
        transform.yield
      }}
    }}"""
'''

args = arguments(__doc__, 30)
path = lambda name: os.path.join(WORK, name)  # noqa: E731
for name, text in [("tiny.mlir", TINY), ("tag.py", GENERATOR)]:
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(text)
subprocess.run([tool("hal-import"), path("tiny.mlir"), "-o", path("tiny.e.mlir")], check=True)
with open(path("cpu.yaml"), "wb") as f:
    f.write(subprocess.run([tool("hal-opt"), "--show-stage=cpu.yaml"], check=True, capture_output=True).stdout)
mlir_opt = os.path.join(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"), "bin", "mlir-opt")
python = [f"--stage={path('tag.py')}{{tag=t{i}}}" for i in range(10)]
commands = {
    "mlir-opt, one pass": [mlir_opt, path("tiny.mlir"), "--canonicalize", "-o", "/dev/null"],
    "hal-opt, one pass": [tool("hal-opt"), path("tiny.mlir"), "--canonicalize", "-o", "/dev/null"],
    "hal-opt, one stage in Python": [tool("hal-opt"), path("tiny.mlir"), *python[:1], "-o", "/dev/null"],
    "hal-opt, ten stages in Python": [tool("hal-opt"), path("tiny.mlir"), *python, "-o", "/dev/null"],
    "hal-translate": [tool("hal-translate"), path("tiny.e.mlir"), "-o", "/dev/null"],
    "hal-translate, a copy of its pipeline": [
        tool("hal-translate"),
        path("tiny.e.mlir"),
        f"--pipeline=cpu={path('cpu.yaml')}",
        "-o",
        "/dev/null",
    ],
}
record("stages", by_turns({name: (lambda c=c: seconds(c)) for name, c in commands.items()}, args.rounds))
