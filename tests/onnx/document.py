#!/usr/bin/env python3
"""Writes docs/onnx-operators.md: what hal-import takes of ONNX, from its own list of operators, the schemas of the onnx wheel, and results of run.py.

tests/onnx/run.py --suite all --json all.json; tests/onnx/document.py all.json > docs/onnx-operators.md
"""

import collections
import json
import re
import subprocess
import sys
import warnings

import onnx
from onnx.backend.test.loader import load_model_tests

HEAD = """# The operators of ONNX

What `hal-import` takes of ONNX. `tests/onnx/document.py` generates this page from the tool's own list (`hal-import --list-onnx-operators`), the schemas of
onnx {version}, and a run of all its backend tests (`tests/onnx/run.py --suite all`). Every version of an operator is taken up to the newest one that the wheel
knows, with every element type of the specification, for sizes that are known and for symbols, unless a limit is named.

| suite | right | wrong | refused | tests |
|---|---:|---:|---:|---:|
{totals}

- **Sizes**: symbols stay open, and what operators assume of them is checked when the program runs ([exchange-form.md](exchange-form.md)). `--dim` fixes or bounds them,
  `--input-shape` gives inputs of unknown rank their shape. Axes, sizes, shapes, pads, steps, scales, counts may be data; the rank of every value must be known at import.
- **Types**: floats of 64, 32 and 16 bits (`float16`, `bfloat16`), integers of 8 to 64 bits, `bool`; `float8` of all kinds, `float4e2m1`, integers of 4 and 2 bits as bytes (`hal.element`).
  No complex numbers; strings are bytes and ends ([onnx.md](onnx.md)).
- **Sequences and optionals** are taken apart: a sequence is as many inputs or results as it has elements, `NAME.0`, `NAME.1`, …; of an input, `--input-shape` says how many there are.
- **Functions** of the model are inlined. Domains beyond those below need functions in the model, or a plugin that rewrites them.
- **Random numbers** come from a counter-based generator seeded by the node's `seed`, or by 0: the same in every run.
"""

# What holds of an operator beside the results of tests.
LIMITS = {
    (
        "ai.onnx",
        "Reshape",
    ): "a size that is computed from shapes, and 0 in a run, is 0 and does not stand for the input's",
    ("ai.onnx", "DFT"): "two tests of the inverse expect numpy's rounding (1.9e-7) where the result is 0",
    ("ai.onnx", "Bernoulli"): "the tests expect numpy's unseeded numbers",
    ("ai.onnx.preview.training", "Gradient"): "computes the gradient of a graph",
}


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as f:
        results = json.load(f)["results"]
    listed = subprocess.run(["hal-import", "--list-onnx-operators"], capture_output=True, text=True, check=True).stdout
    taken = {tuple(line.split()) for line in listed.splitlines()}
    operators = {}
    for kind in ("node", "simple", "pytorch-operator", "pytorch-converted"):
        for case in load_model_tests(kind=kind):
            model = case.model if case.model is not None else onnx.load(f"{case.model_dir}/model.onnx")
            functions = {f.name for f in model.functions}
            operators[kind, case.name.removeprefix("test_")] = {
                (n.domain or "ai.onnx", n.op_type) for n in model.graph.node if n.op_type not in functions
            }
    versions = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        versions[schema.domain or "ai.onnx", schema.name].append(schema.since_version)
    right, all_tests, why = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    for r in results:
        found = operators.get((r["suite"], r["name"]), set())
        # Expanded functions test what they are made of; a node test is about its operator.
        for op in found if r["suite"] == "node" and len(found) == 1 else ():
            all_tests[op] += 1
            right[op] += r["status"] == "passed"
        if r["status"] == "unsupported":
            for part in r["reason"].split("; "):
                m = re.match(r"`(?:([\w.]+)\.)?(\w+)` \(opset \d+\)[^:]*: (.*)", part)
                if m:
                    why[m[1] or "ai.onnx", m[2]][re.sub(r"`[^`]*`", "…", m[3]) if "type" not in m[3] else m[3]] += 1
    totals = []
    for suite in ("node", "simple", "pytorch-operator", "pytorch-converted"):
        own = [r["status"] for r in results if r["suite"] == suite]
        totals.append((suite, own.count("passed"), own.count("failed"), own.count("unsupported"), len(own)))
    totals.append(("**all**", *(sum(t[i] for t in totals) for i in range(1, 5))))
    rows = "\n".join(f"| {' | '.join(map(str, t))} |" for t in totals)
    out = [HEAD.format(version=onnx.__version__, totals=rows)]
    wrong = [r for r in results if r["status"] == "failed"]
    if wrong:
        reasons = collections.defaultdict(list)
        for r in wrong:
            known = [LIMITS[op] for op in operators.get((r["suite"], r["name"]), ()) if op in LIMITS]
            known += [text for (_, name), text in LIMITS.items() if r["name"].startswith(name.lower())]
            reasons[known[0] if known else r["reason"][:160].strip()].append(r["name"])
        out.append(
            "Not right:\n\n"
            + "\n".join(f"- `{'`, `'.join(names)}`: {why_not}" for why_not, names in reasons.items())
            + "\n"
        )
    refused = collections.defaultdict(list)
    for r in results:
        if r["status"] == "unsupported":
            refused[r["reason"].split("; ")[0][:200]].append(r["name"])
    if refused:
        out.append(
            "Refused:\n\n"
            + "\n".join(
                f"- {reason} ({len(names)}: `{'`, `'.join(names[:3])}`{' …' if len(names) > 3 else ''})"
                for reason, names in sorted(refused.items(), key=lambda kv: -len(kv[1]))
            )
            + "\n"
        )
    for domain in ("ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft"):
        names = sorted({n for d, n in taken if d == domain} | {n for d, n in versions if d == domain})
        out.append(f"## {domain}\n")
        if domain == "com.microsoft":
            out.append(
                "As onnxruntime's optimisers and quantisers write them; compared with onnxruntime.\n\n"
                + ", ".join(f"`{n}`" for n in names)
                + "\n"
            )
            continue
        out.append("| operator | versions | tests right | limits |\n|---|---|---:|---|")
        for name in names:
            op = domain, name
            own = ", ".join(map(str, sorted(versions[op]))) or "onnxruntime's"
            limits = [] if op in taken else ["not taken"]
            limits += [LIMITS[op]] if op in LIMITS else []
            limits += [w for w, _ in why[op].most_common(3) if w != "the operator has no lowering"]
            tests = f"{right[op]} of {all_tests[op]}" if all_tests[op] else ""
            out.append(f"| {name} | {own} | {tests} | {'; '.join(limits)} |")
        out.append("")
    sys.stdout.write("\n".join(out))


if __name__ == "__main__":
    main()
