#!/usr/bin/env python3
"""What one convolution in the place of several that read one input would gain: models fused by this script beside the models.

The 1x1 convolutions that read one tensor (the reductions of inception modules) become one with all of their filters, whose
result is split, which costs nothing: the parts are planes one after the other. HALYARD_PEERS and HALYARD_TOOLS as for run.py.

usage: horizontal.py [MODEL …] [--threads 1,2] [--rounds 5]
"""

import argparse
import json
import os
import statistics
import subprocess

import common

common.enter_peers()

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402


def mergeable(node, weights):
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    ones = lambda name: all(v == 1 for v in attributes.get(name, []))  # noqa: E731
    plain = attributes.get("group", 1) == 1 and ones("strides") and not any(attributes.get("pads", []))
    return (
        node.op_type == "Conv"
        and node.input[1] in weights
        and list(weights[node.input[1]].dims[2:]) == [1, 1]
        and plain
    )


def merged(model):
    """Merges in place; gives how many convolutions became how many."""
    graph, before, after = model.graph, 0, 0
    weights = {t.name: t for t in graph.initializer}
    readers = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    groups = {}
    for node in graph.node:
        if mergeable(node, weights):
            groups.setdefault(node.input[0], []).append(node)
    added, gone = {}, set()
    for i, (source, nodes) in enumerate(g for g in groups.items() if len(g[1]) > 1):
        before, after = before + len(nodes), after + 1
        joined = [
            np.concatenate([numpy_helper.to_array(weights[n.input[k]]) for n in nodes])
            for k in range(1, len(nodes[0].input))
        ]
        names = [f"merged{i}.{k}" for k in range(len(joined))]
        graph.initializer.extend(numpy_helper.from_array(a, n) for a, n in zip(joined, names))
        made, y, results = (
            [helper.make_node("Conv", [source, *names], [f"merged{i}"], kernel_shape=[1, 1])],
            f"merged{i}",
            [n.output[0] for n in nodes],
        )
        if all([r.op_type for r in readers[n.output[0]]] == ["Relu"] for n in nodes):
            results = [readers[n.output[0]][0].output[0] for n in nodes]
            made, y = [*made, helper.make_node("Relu", [y], [f"{y}.relu"])], f"{y}.relu"
        sizes = [weights[n.input[1]].dims[0] for n in nodes]
        if model.opset_import[0].version < 13:
            made.append(helper.make_node("Split", [y], results, axis=1, split=sizes))
        else:
            graph.initializer.append(numpy_helper.from_array(np.array(sizes, np.int64), f"{y}.sizes"))
            made.append(helper.make_node("Split", [y, f"{y}.sizes"], results, axis=1))
        added[nodes[0].output[0]] = made
        gone |= {n.output[0] for n in nodes} | set(results)
    kept = []
    for node in graph.node:
        kept += added.get(node.output[0], [])
        kept += [] if node.output[0] in gone else [node]
    used = {name for node in kept for name in node.input}
    for field, items in (
        ("node", kept),
        ("initializer", [t for t in graph.initializer if t.name in used]),
        ("input", [v for v in graph.input if v.name in used]),
    ):
        items = list(items)
        graph.ClearField(field)
        getattr(graph, field).extend(items)
    return before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=["inception_v1", "inception_v2", "inception_v3"], metavar="MODEL")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    a = parser.parse_args()
    os.makedirs(common.WORK, exist_ok=True)
    rows = []
    for name in a.models:
        model = onnx.load(common.model(name))
        before, after = merged(model)
        path = os.path.join(common.WORK, f"{name}-merged.onnx")
        onnx.save(model, path)
        programs = {"as it is": (common.model(name), f"{name}.so"), "merged": (path, f"{name}-merged.so")}
        for source, program in programs.values():
            common.seconds([common.tool("hal-compile"), "-q", source, "-o", os.path.join(common.WORK, program)])
        for threads in a.threads.split(","):

            def measure(program):
                command = [
                    common.tool("hal-benchmark"),
                    os.path.join(common.WORK, program),
                    f"--threads={threads}",
                    "--min-time=0.3",
                    "--runs=3",
                    "--json=-",
                    "-qq",
                ]
                said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                return statistics.median(json.loads(said)["results"][0]["samples"])

            samples = common.by_turns({label: (lambda p=p: measure(p)) for label, (_, p) in programs.items()}, a.rounds)
            common.save(f"horizontal-{name}-{threads}t", samples, threads=int(threads), convolutions=[before, after])
            plain, fused = (statistics.median(samples[label]) * 1e3 for label in programs)
            rows.append([name, threads, f"{before} to {after}", f"{plain:.2f}", f"{fused:.2f}", f"{plain / fused:.2f}"])
    common.print_table(
        "Convolutions that read one input, merged",
        ["model", "threads", "convolutions", "as it is ms", "merged ms", "ratio"],
        rows,
    )


if __name__ == "__main__":
    main()
