"""What other tools let pass or answer with a traceback, row by row: a clear error here, or the right thing. Run in an empty folder."""

import concurrent.futures
import subprocess
import sys

FILES = {
    "m.mlir": """func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
""",
    "bad.mlir": "func.func @f( {\n",
    "other.mlir": "func.func @g() { return }\n",
    # Two sequences; the first is not the one that runs unless it is named.
    "s.mlir": """module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile(%m: !transform.any_op {transform.readonly}) {
    %t = transform.param.constant 8 : i64 {name = "tile"} -> !transform.param<i64>
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %r, %l = transform.structured.tile_using_for %mm tile_sizes [%t, 0, 0] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @annot(%m: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.annotate %mm "seen" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @nothing(%m: !transform.any_op {transform.consumed}) {
    transform.foreach_match in %m @is_conv -> @mark : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @is_conv(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.conv_2d"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @mark(%op: !transform.any_op {transform.readonly}) {
    transform.annotate %op "conv" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @fails(%m: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %mm : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
""",
    "noattr.mlir": """module {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) { transform.yield }
}
""",
    "g.py": 'def create_schedule(tile=8):\n    return open("s.mlir").read()\n\n\ndef other(x):\n    return x\n',
    "broken.py": "def create_schedule(:\n",
    "pdl.mlir": """pdl.pattern @conv : benefit(1) {
  %t = pdl.type
  %x = pdl.operand
  %op = pdl.operation "linalg.conv_2d"(%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %op { pdl.replace %op with (%x : !pdl.value) }
}
""",
    "empty.yaml": "pipeline:\n",
    "none.yaml": "description: x\n",
    "strings.yaml": "pipeline:\n  - cse\n",
    "key.yaml": "pipeline:\n  - foo: cse\n",
    "extra.yaml": "pipeline:\n  - pass: cse\n    with: {a: 1}\n",
    "unset.yaml": "pipeline:\n  - pass: canonicalize{max-iterations=$it}\n",
    "clobber.yaml": "variables: {tile: 4, tile_size: 8}\npipeline:\n  - schedule: 's.mlir[tile]{tile=${tile_size}}'\n  - pass: canonicalize{max-iterations=${tile}}\n",
    "tile.yaml": "variables: {size: 16}\npipeline:\n  - transform: s.mlir[tile]{tile=${size}}\n",
    "loop-a.yaml": "pipeline:\n  - include: loop-b.yaml\n",
    "loop-b.yaml": "pipeline:\n  - include: loop-a.yaml\n",
    "missing.yaml": "pipeline:\n  - include: nowhere.yaml\n",
    "cse": "module {}\n",
}


def opt(*stages, **rest):
    flags = [f"--stage={s}" for s in stages]
    return (["hal-opt", rest.get("input", "m.mlir"), *flags, *rest.get("flags", [])], rest["code"], rest["says"])


ROWS = [
    # Stages.
    opt("nosuchpass", code=2, says=["unknown pass `nosuchpass`"]),
    opt("canonicalize{max-iterations=zz}", code=2, says=["cannot be set up", "'zz' value invalid"]),
    opt("canonicalize{no-such-option=1}", code=2, says=["no such option no-such-option"]),
    opt("canonicalize[foo=1]", code=2, says=["expected `,` or the end of the pipeline, found `[`"]),
    opt("nope.mlir", code=3, says=["cannot read `nope.mlir`", "looked for in the working directory"]),
    opt("nope.yaml", code=3, says=["cannot read `nope.yaml`"]),
    opt("nope.py", code=3, says=["cannot read `nope.py`"]),
    opt("nope.txt", code=2, says=["unknown pass `nope.txt`"]),
    opt("cse", code=0, says=[]),
    opt("file:cse", code=1, says=["contains neither a transform script nor PDL patterns"]),
    opt("noattr.mlir", code=1, says=["with_named_sequence"]),
    opt("s.mlir", code=2, says=["has no sequence `@__transform_main`", "it has `@tile`, `@annot`"]),
    opt("s.mlir[seq=doesnotexist]{tile=32}", code=2, says=["has no sequence `@doesnotexist`"]),
    opt("s.mlir[seq=annot]", code=0, says=[], flags=["--stage=s.mlir[seq=tile]{tile=32}"]),
    opt("s.mlir[seq=tile]{tiles=32}", code=2, says=["has no parameter `tiles`", "did you mean `tile`?"]),
    opt("s.mlir[seq=annot]{tile=32}", code=2, says=["has no parameter `tile`", "it has no parameters"]),
    opt("s.mlir[seq=fails]", code=1, says=["`s.mlir[seq=fails]` failed"]),
    opt("s.mlir[tile]{it=4=5}", code=2, says=["expected the end of the value, found `=`"]),
    opt("s.mlir[tile]{tile=32", code=2, says=["are not closed with `}`"]),
    opt("s.mlir[tile]{tile=[1, 2]}", code=2, says=["takes an integer (`i64`), not a list"]),
    opt("g.py[gen=nope]", code=2, says=["has no function `nope`"]),
    opt("g.py{tiles=8}", code=2, says=["has no option `tiles`"]),
    opt("g.py[gen=other]", code=2, says=["`x`"]),
    opt("broken.py", code=4, says=["SyntaxError", "broken.py"]),
    opt("cse", input="bad.mlir", code=1, says=["bad.mlir:1:"]),
    opt("cse", input="no-such.mlir", code=3, says=["cannot read `no-such.mlir`"]),
    # Pipeline files.
    opt("empty.yaml", code=1, says=["`pipeline` has to be a list"]),
    opt("none.yaml", code=1, says=["the pipeline file has no `pipeline`"]),
    opt("strings.yaml", code=1, says=["has to be keys with values", "write `- pass: NAME`"]),
    opt("key.yaml", code=1, says=["unknown key `foo`"]),
    opt("extra.yaml", code=1, says=["unknown key `with`"]),
    opt("unset.yaml", code=1, says=["`$` stands before the name of a variable in braces", "write `${it}`"]),
    opt("clobber.yaml", code=0, says=[]),
    opt("tile.yaml{size=32}", code=0, says=[]),
    opt("tile.yaml{sizes=32}", code=2, says=["has no variable `sizes`", "did you mean `size`?"]),
    opt("llvm-lowering.yaml{index-bits=64}", input="other.mlir", code=0, says=[]),
    opt("loop-a.yaml", code=1, says=["includes itself", "the cycle is `loop-a.yaml`, `loop-b.yaml`, `loop-a.yaml`"]),
    opt("missing.yaml", code=3, says=["cannot read `nowhere.yaml`", "missing.yaml:2"]),
    # A pipeline before executables are formed that is malformed, or would do nothing.
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--preprocess-global-with=builtin.module(nosuchpass)"],
        2,
        ["unknown pass `nosuchpass`"],
    ),
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--preprocess-global-with=builtin.module(cse"],
        2,
        ["expected `)` to close `builtin.module(`"],
    ),
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--preprocess-global-with=builtin.module(builtin.module(cse))"],
        1,
        ["would do nothing"],
    ),
    # Schedules and patterns: missing, not MLIR, without the sequence, without a match.
    (["hal-compile", "m.mlir", "-o", "x.so", "--stage=input:nope.mlir"], 3, ["cannot read `nope.mlir`"]),
    (["hal-compile", "m.mlir", "-o", "x.so", "--stage=executables:bad.mlir"], 1, ["bad.mlir:1:"]),
    (["hal-compile", "m.mlir", "-o", "x.so", "--stage=input:s.mlir[seq=no]"], 2, ["has no sequence `@no`"]),
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--stage=input:s.mlir[seq=nothing]"],
        0,
        ["matched nothing", "`--require-match` makes this an error"],
    ),
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--stage=input:s.mlir[seq=nothing]", "--require-match"],
        1,
        ["matched nothing"],
    ),
    (["hal-compile", "m.mlir", "-o", "x.so", "--stage=input:pdl.mlir", "--require-match"], 1, ["matched nothing"]),
    (["hal-compile", "m.mlir", "-o", "x.so", "--stage=input:pdl.mlir[pattern=no]"], 2, ["has no pattern `@no`"]),
    (
        [
            "hal-compile",
            "m.mlir",
            "-o",
            "x.so",
            "--stage=input:cse",
            "--stage=input:s.mlir[tile]",
            "--stage=input:pdl.mlir",
        ],
        0,
        ["matched nothing"],
    ),
    # Code generation by a schedule: missing, damaged, matching nothing.
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--preprocess-executables-with=nope.mlir"],
        3,
        ["cannot read `nope.mlir`"],
    ),
    (["hal-compile", "m.mlir", "-o", "x.so", "--preprocess-executables-with=bad.mlir"], 1, ["bad.mlir:1:"]),
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--preprocess-executables-with=s.mlir[nothing]", "--require-match"],
        1,
        ["matched nothing"],
    ),
    (["hal-compile", "m.mlir", "-o", "x.so", "--pipeline=cpu=nope.yaml"], 3, ["cannot read `nope.yaml`"]),
    # Plugins: unknown, missing.
    (["hal-compile", "m.mlir", "-o", "x.so", "--plugin=nope"], 3, ["`nope`"]),
    (["hal-compile", "m.mlir", "-o", "x.so", "--load-pass-plugin=nope.so"], 3, ["cannot read `nope.so`"]),
    (["hal-compile", "m.mlir", "-o", "x.so", "--iree-load-plugin=nope.so"], 2, ["--load-pass-plugin"]),
    (
        ["hal-compile", "m.mlir", "-o", "x.so", "--iree-codegen-transform-dialect-library=l.mlir"],
        2,
        ["--preprocess-executables-with"],
    ),
    (["hal-opt", "m.mlir", "--load-pass-plugin=m.mlir", "--stage=cse"], 3, ["is MLIR text, not a shared library"]),
]


def run(row):
    words, code, says = row
    if words[0] == "hal-compile":
        words = (
            [*words, "-o", f"{ROWS.index(row)}.so"]
            if "-o" not in words
            else [w if w != "x.so" else f"{ROWS.index(row)}.so" for w in words]
        )
    got = subprocess.run(words, capture_output=True, text=True)
    said = got.stderr + got.stdout if code else got.stderr
    missing = [w for w in says if w not in said]
    ours = "site-packages" in said or "panicked" in said or "RecursionError" in said
    if got.returncode == code and not missing and not ours:
        return []
    return [f"{' '.join(words)}\nended with {got.returncode}, not {code}; not said: {missing}\n{got.stderr}"]


for name, text in FILES.items():
    open(name, "w").write(text)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    bad = [problem for problems in pool.map(run, ROWS) for problem in problems]
# Standard input, as `-`, is the same as the file.
piped = subprocess.run(
    ["hal-opt", "-", "--stage=tile.yaml{size=32}"], stdin=open("m.mlir"), capture_output=True, text=True
)
named = subprocess.run(["hal-opt", "m.mlir", "--stage=tile.yaml{size=32}"], capture_output=True, text=True)
if piped.stdout != named.stdout or "%c32 " not in piped.stdout:
    bad.append(f"a pipe gives something else:\n{piped.stdout}{piped.stderr}")
# The name of one variable is not replaced inside of another's.
clobbered = subprocess.run(["hal-opt", "m.mlir", "--stage=clobber.yaml", "--expand"], capture_output=True, text=True)
if clobbered.stdout != "s.mlir[tile]{tile=8}\ncanonicalize{max-iterations=4}\n":
    bad.append(f"variables: {clobbered.stdout}")
print("\n".join(bad))
sys.exit(f"{len(bad)} wrong" if bad else None)
