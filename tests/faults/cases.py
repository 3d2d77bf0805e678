"""The tools that the harnesses run, and the model that they work on."""

import dataclasses


@dataclasses.dataclass
class Tool:
    """A command and its outputs: `bytes` are the same in each run, others are checked for being whole."""

    name: str
    words: list
    outputs: dict
    # A file that standard input comes from.
    stdin: str = ""
    # The code of success.
    code: int = 0
    # Whether it begins with a cache that has all executables.
    warm: bool = False


# All run in an empty folder; `in` beside it has what they read, `cache` is the cache.
TOOLS = [
    Tool(
        "hal-import",
        ["hal-import", "../in/m.mlir", "-o", "p", "--depfile=p.d", "--weights-to=w.safetensors"],
        {"p": "bytes", "p.d": "bytes", "w.safetensors": "bytes"},
    ),
    Tool("hal-import, standard streams", ["hal-import"], {"<stdout>": "bytes"}, stdin="m.mlir"),
    Tool("hal-opt", ["hal-opt", "../in/p", "--canonicalize", "--cse", "-o", "o"], {"o": "bytes"}),
    Tool(
        "hal-translate",
        ["hal-translate", "../in/p", "--cache=../cache", "-j2", "-o", "t", "--time-json=t.json"],
        {"t": "bytes", "t.json": "json"},
    ),
    Tool(
        "hal-translate, launcher",
        ["hal-translate", "../in/p", "--cache=off", "--launcher=env", "--launcher-jobs=2", "-o", "l"],
        {"l": "bytes"},
    ),
    Tool(
        "hal-extract", ["hal-extract", "../in/t", "--to=k", "--as=mlir,c,obj", "-o", "e"], {"e": "bytes", "k": "folder"}
    ),
    Tool(
        "hal-substitute", ["hal-substitute", "../in/p", "main_dispatch_0=../in/edited.mlir", "-o", "s"], {"s": "bytes"}
    ),
    Tool(
        "hal-link",
        ["hal-link", "../in/t", "-o", "n.so", "--depfile=n.d"],
        {"n.so": "bytes", "n.safetensors": "bytes", "n.d": "bytes"},
    ),
    Tool(
        "hal-run",
        ["hal-run", "../in/n.so", "--input=random:7", "--threads=2", "-o", "y.npy", "--trace=y.trace"],
        {"y.npy": "bytes", "y.trace": "some"},
    ),
    Tool(
        "hal-benchmark",
        ["hal-benchmark", "../in/n.so", "--runs=2", "--min-time=0", "--threads=1", "--json=b.json"],
        {"b.json": "json", "<stdout>": "some"},
    ),
    Tool("hal-report", ["hal-report", "../in/n.so", "--no-run", "-o", "r.html"], {"r.html": "html"}),
    Tool(
        "hal-tune", ["hal-tune", "../in/p", "--budget=1", "--tuning=u.db", "-o", "u"], {"u": "mlir", "u.db": "tuning"}
    ),
    Tool("hal-cache", ["hal-cache", "prune", "--to=1", "--cache=../cache"], {"<stdout>": "some"}, warm=True),
    Tool(
        "hal-compile",
        ["hal-compile", "../in/m.mlir", "-q", "--cache=../cache", "-o", "m.so", "--depfile=m.d", "--time-json=m.json"],
        {"m.so": "bytes", "m.d": "bytes", "m.json": "json"},
    ),
    Tool("hal-compile, graph", ["hal-compile", "../in/m.mlir", "--emit=ninja", "-o", "build"], {"build": "folder"}),
]


def model(executables=3, side=24):
    """A model with products of different sizes, and a weight that is not the same everywhere."""
    rows = ", ".join(
        "[" + ", ".join(f"{(i * 31 + j * 17) % 101 / 64:.4f}" for j in range(side)) + "]" for i in range(side)
    )
    lines = [f"func.func @main(%x: tensor<4x{side}xf32>) -> tensor<4x{side}xf32> {{", "  %z = arith.constant 0.0 : f32"]
    last, width = "%x", side
    for i in range(executables):
        to = side if i in (0, executables - 1) else side + i
        value = f"[{rows}]" if i == 0 else f"{1 / (8 + i):.6f}"
        lines.append(f"""  %w{i} = arith.constant dense<{value}> : tensor<{width}x{to}xf32>
  %e{i} = tensor.empty() : tensor<4x{to}xf32>
  %f{i} = linalg.fill ins(%z : f32) outs(%e{i} : tensor<4x{to}xf32>) -> tensor<4x{to}xf32>
  %a{i} = linalg.matmul ins({last}, %w{i} : tensor<4x{width}xf32>, tensor<{width}x{to}xf32>) outs(%f{i} : tensor<4x{to}xf32>) -> tensor<4x{to}xf32>""")
        last, width = f"%a{i}", to
    return "\n".join(lines) + f"\n  return {last} : tensor<4x{side}xf32>\n}}\n"
