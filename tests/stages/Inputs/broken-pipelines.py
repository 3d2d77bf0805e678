"""Pipeline files in the place of default pipelines that are wrong, as a table: what is said, with which exit code."""

import concurrent.futures
import os
import re
import subprocess
import sys

CPU = """\
description: the default
pipeline:
  - pass: hal-tile-and-vectorize
  - when: tensors
    include: cpu-bufferize.yaml
  - pass: hal-kernel-signature
  - when: wrapped
    pass: scf-forall-to-for,hal-copies-to-linalg,func.func(convert-linalg-to-loops),fold-memref-alias-ops,canonicalize,cse
  - pass: hal-fast-math
  - include: cpu-to-llvm.yaml
"""


def stages(*lines):
    return "pipeline:\n" + "".join(f"  - {line}\n" for line in lines)


def without(line):
    assert line in CPU
    return "\n".join(other for other in CPU.splitlines() if line not in other) + "\n"


ALL = stages("include: cpu.yaml")
IMPORT, DISPATCH = stages("include: import.yaml"), stages("include: dispatch.yaml")
# Pipeline, text of the pipeline file, exit code, what is said.
CASES = [
    # What is wrong is told before anything is read, with the line.
    (
        "cpu",
        stages("pass: hal-tile-and-vectorise"),
        1,
        [
            "b.yaml:2:11: error: unknown pass `hal-tile-and-vectorise`",
            "did you mean the step `hal-tile-and-vectorize`?",
        ],
    ),
    (
        "cpu",
        stages("pass: hal-tile-and-vectorize{width=8}"),
        1,
        ["b.yaml:2:34: error: step `hal-tile-and-vectorize` has no option `width`", "it has `vector-bits`"],
    ),
    (
        "cpu",
        stages("pass: hal-tile-and-vectorize{l1=big}"),
        1,
        ["b.yaml:2:37: error: option `l1` takes a number above zero, not big"],
    ),
    (
        "cpu",
        stages("pass: hal-tile-and-vectorize{registers=0}"),
        1,
        ["b.yaml:2:44: error: option `registers` takes a number above zero, not 0"],
    ),
    (
        "cpu",
        stages("pass: hal-fast-math{fast=1}"),
        1,
        ["b.yaml:2:30: error: option `fast` takes `true` or `false`, not 1"],
    ),
    (
        "cpu",
        stages("pass: hal-decompose{x}"),
        1,
        ["b.yaml:2:25: error: step `hal-decompose` has no option `x`", "it has none"],
    ),
    (
        "cpu",
        stages("pass: cse,hal-sink-reshapes"),
        1,
        ["b.yaml:2:15: error: step `hal-sink-reshapes` runs in the pipeline `dispatch` of hal-import only"],
    ),
    (
        "dispatch",
        stages("pass: hal-decompose"),
        1,
        ["b.yaml:2:11: error: step `hal-decompose` runs in the pipeline `cpu` of hal-translate only"],
    ),
    (
        "cpu",
        stages("pass: func.func(hal-decompose)"),
        1,
        ["b.yaml:2:21: error: unknown pass `hal-decompose`", "a step cannot be nested"],
    ),
    (
        "cpu",
        stages("when: tensor_s\n    pass: cse"),
        1,
        [
            "b.yaml:2:11: error: `tensor_s` is no condition",
            "it may be `tensors`, `tiled` or `wrapped`, a dialect or an operation",
        ],
    ),
    (
        "import",
        stages("when: tiled\n    pass: cse"),
        1,
        ["b.yaml:2:11: error: `tiled` is neither a dialect nor an operation"],
    ),
    ("cpu", stages("when: scf.foral\n    pass: cse"), 1, ["b.yaml:2:11: error: `scf.foral` is no condition"]),
    ("cpu", stages("when: not\n    pass: cse"), 1, ["b.yaml:2:14: error: expected a condition, found the end"]),
    ("cpu", stages("pipeline: [pass: cse]"), 1, ["b.yaml:2:5: error: a pipeline inside of a pipeline needs `when`"]),
    ("cpu", stages("when: tosa"), 1, ["b.yaml:2:5: error: a stage of a pipeline file is missing"]),
    (
        "cpu",
        stages("pass: cse\n    include: cpu.yaml"),
        1,
        ["b.yaml:3:5: error: a stage of a pipeline file has one key"],
    ),
    ("cpu", stages("include: b.yaml"), 1, ["pipeline file `b.yaml` includes itself"]),
    (
        "cpu",
        stages("include: cpu-to-lvm.yaml"),
        3,
        ["b.yaml:2:14: error: cannot read `cpu-to-lvm.yaml`", "did you mean the built-in `cpu-to-llvm.yaml`?"],
    ),
    ("cpu", stages("schedule: tile.mlir{row=4}"), 1, ["b.yaml:2:25: error: sequence `@matmul` has no parameter `row`"]),
    # What runs and does not do what it has to.
    (
        "cpu",
        stages("pass: builtin.module(builtin.module(func.func(cse)))", "include: cpu.yaml"),
        1,
        ["would do nothing: no `builtin.module` stands directly in a `builtin.module`", "of `b.yaml`"],
    ),
    (
        "cpu",
        stages("pass: canonicalize"),
        1,
        ["operation `func.func` cannot be translated for a CPU", "that is what `b.yaml` made"],
    ),
    (
        "cpu",
        without("cpu-to-llvm.yaml"),
        1,
        ["cannot be translated for a CPU", "compare it with the default one: `hal-opt --show-stage=cpu.yaml`"],
    ),
    (
        "cpu",
        stages("pass: func.func(linalg-generalize-named-ops)", "include: cpu-to-llvm.yaml"),
        1,
        ["operation `func.func` cannot be translated", "that is what `b.yaml` made"],
    ),
    (
        "cpu",
        stages("include: kernel-loops.yaml", "include: cpu-to-llvm.yaml"),
        1,
        ["does not have the kernel signature", "the step `hal-kernel-signature` gives it one"],
    ),
    (
        "cpu",
        stages("pass: symbol-privatize,symbol-dce", "include: cpu.yaml"),
        1,
        ["export `@mm_dispatch_0_matmul_128x96x64_f32` is gone"],
    ),
    (
        "cpu",
        stages("include: cpu.yaml", "schedule: ../rename.mlir"),
        1,
        ["export `@mm_dispatch_0_matmul_128x96x64_f32` is gone", "that is what `b.yaml` made"],
    ),
    (
        "dispatch",
        stages("pass: one-shot-bufferize{bufferize-function-boundaries=true}"),
        1,
        ["that is what `b.yaml` made, which runs in place of the pipeline `dispatch`"],
    ),
    (
        "import",
        stages("pass: one-shot-bufferize{bufferize-function-boundaries=true}"),
        1,
        ["that is what `b.yaml` made, which runs in place of the pipeline `import`"],
    ),
    (
        "import",
        stages("pass: symbol-privatize,symbol-dce", "include: import.yaml"),
        1,
        ["the module has no function", "of `b.yaml`"],
    ),
]
# Flags, exit code, what is said.
FLAGS = [
    (
        ["hal-translate", "p.mlir", "--pipeline=cpu"],
        2,
        "write NAME=FILE.yaml; NAME is `import`, `dispatch`, `cpu` or `vulkan`",
    ),
    (["hal-translate", "p.mlir", "--pipeline=gpu=b.yaml"], 2, "there is no pipeline `gpu`"),
    (["hal-translate", "p.mlir", "--pipeline=import=b.yaml"], 2, "`--pipeline=import` would never run here"),
    (
        ["hal-translate", "p.mlir", "--pipeline=cpu=b.yaml", "--pipeline=cpu=c.yaml"],
        2,
        "`--pipeline=cpu` is given twice",
    ),
    (["hal-translate", "p.mlir", "--pipeline=cpu=no.yaml"], 3, "cannot read `no.yaml`"),
    (["hal-import", "model.mlir", "--pipeline=cpu=b.yaml"], 2, "`--pipeline=cpu` would never run here"),
    (["hal-import", "input.mlir", "--pipeline=import=import.yaml"], 2, "`--pipeline=import` would never run"),
    (
        ["hal-compile", "model.mlir", "-o", "m.so", "--to=executables", "--pipeline=cpu=cpu.yaml"],
        2,
        "`--pipeline=cpu` would never run here",
    ),
    (
        ["hal-compile", "p.mlir", "-o", "m.so", "--pipeline=dispatch=cpu.yaml"],
        2,
        "`--pipeline=dispatch` would never run here",
    ),
    (
        ["hal-opt", "model.mlir", "--stage=cpu.yaml"],
        1,
        "step `hal-tile-and-vectorize` runs in the pipeline `cpu` of hal-translate only",
    ),
    (
        ["hal-opt", "model.mlir", "--stage=hal-decompose"],
        2,
        "step `hal-decompose` runs in the pipeline `cpu` of hal-translate only",
    ),
    (
        ["hal-opt", "p.mlir", "--preprocess-executables-with=stage:hal-decompose"],
        2,
        "step `hal-decompose` runs in the pipeline",
    ),
    (["hal-opt", "--show-stage=no.yaml"], 3, "cannot read `no.yaml`"),
]


def check(what, words, code, wanted):
    """What is wrong with what was said; a place and a message stand in lines of their own."""
    got = subprocess.run(words, capture_output=True, text=True)
    parts = [part for w in wanted for part in re.split(r": error: ", w)]
    missing = [w for w in parts if w not in got.stderr]
    if got.returncode == code and not missing:
        return []
    return [f"{what}: {' '.join(words)}\nended with {got.returncode}, not {code}; not said: {missing}\n{got.stderr}"]


def pipeline(i, name, text, code, wanted):
    folder = f"case{i}"
    os.mkdir(folder)
    open(f"{folder}/b.yaml", "w").write(text)
    words = ["hal-translate", "p.mlir"] if name == "cpu" else ["hal-import", "model.mlir"]
    wanted = [w.replace("b.yaml", f"{folder}/b.yaml") for w in wanted]
    return check(text, [*words, f"--pipeline={name}={folder}/b.yaml", "-o", os.devnull], code, wanted)


open("rename.mlir", "w").write(
    """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["llvm.func"]} in %m : (!transform.any_op) -> !transform.any_op
    %n = transform.param.constant "other" -> !transform.any_param
    transform.annotate %f "sym_name" = %n : !transform.any_op, !transform.any_param
    transform.yield
  }
}
"""
)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    jobs = [pool.submit(pipeline, i, *case) for i, case in enumerate(CASES)]
    jobs += [pool.submit(check, "flags", words, code, [wanted]) for words, code, wanted in FLAGS]
    bad = [problem for job in jobs for problem in job.result()]
# The text that the table is about is the default one.
for name, text in [("cpu", CPU), ("cpu", ALL)]:
    open("b.yaml", "w").write(text)
    bad += check(text, ["hal-translate", "p.mlir", f"--pipeline={name}=b.yaml", "-o", "same.mlir"], 0, [])
    if not bad and open("same.mlir").read() != open("objects.mlir").read():
        bad.append(f"not the same:\n{text}")
print("\n".join(bad))
sys.exit(f"{len(bad)} wrong" if bad else None)
