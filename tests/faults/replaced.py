#!/usr/bin/env python3
"""Programs and inputs that change while they are used.

    PATH=$PWD/target/debug:$PATH tests/faults/replaced.py

A program that runs is replaced by a rename (as all tools write their outputs), removed, cut short, or overwritten in place, at random
moments. After a replacement the run ends as if nothing happened, with the old program or with the new one. Nothing can save a
program that somebody else cuts short under a running process: then there is an error, no output, and nothing is left.
"""

import os
import random
import shutil
import time

import harness


def change(bench, how, path, delay):
    """Changes a file after a delay, while a tool runs."""

    def during(_):
        time.sleep(delay)
        if how == "replaced":
            shutil.copy(path, path + ".new")
            os.rename(path + ".new", path)
        elif how == "replaced by another":
            shutil.copy(bench.at("in", "other.so"), path + ".new")
            os.rename(path + ".new", path)
        elif how == "removed":
            os.remove(path)
        elif how == "cut short":
            os.truncate(path, os.path.getsize(path) // 3)
        elif how == "emptied":
            os.truncate(path, 0)
        elif how == "overwritten":
            with open(path, "r+b") as f:
                f.write(b"\xcc" * os.path.getsize(path))

    return during


# Tools, and the files that change.
VICTIMS = {
    "hal-run": "n.so",
    "hal-benchmark": "n.so",
    "hal-report": "n.so",
    "hal-link": "t",
    "hal-translate": "p",
    "hal-import": "m.mlir",
}
HARMLESS = ["replaced", "removed"]
HARMFUL = ["replaced by another", "cut short", "emptied", "overwritten"]


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--count", type=int, default=20, help="attempts of each kind")
    args = parser.parse_args()
    bench = harness.Bench(args.only or f"^({'|'.join(VICTIMS)})$")
    rng = random.Random(args.seed)
    # The same function and inputs, other numbers.
    with open(bench.at("in", "other.mlir"), "w") as f:
        f.write(harness.model(executables=4))
    tool = harness.Tool(
        "other",
        ["hal-compile", "../in/other.mlir", "--cache=off", "-q", "-o", "../in/other.so", "--weights-to=embed"],
        {},
    )
    bench.run(tool)
    for tool in bench.tools:
        name = VICTIMS[tool.name]
        bench.reset(tool)
        took = bench.run(tool).seconds
        kept = harness.contents(bench.at("in", name))
        # More calls, so that something runs while the file changes.
        words = ["--runs=2000" if word == "--runs=2" else word for word in tool.words] + ["--calls=200"] * (
            tool.name == "hal-run"
        )
        for how in HARMLESS + HARMFUL:
            for _ in range(args.count):
                bench.reset(tool)
                during = change(bench, how, bench.at("in", name), rng.random() * took * 1.5)
                result = bench.run(tool, during=during, words=words)
                with open(bench.at("in", name + ".kept"), "wb") as f:
                    f.write(kept)
                os.rename(bench.at("in", name + ".kept"), bench.at("in", name))
                if how == "replaced by another" and result.code == 0:
                    # Either one is right.
                    bench.counts[tool.name, f"{how}: succeeds"] += 1
                    continue
                codes = (1, 3, 4) if how != "replaced" else ()
                bench.judge(
                    tool,
                    result,
                    f"`{name}` is {how}",
                    codes=codes,
                    crash=how in HARMFUL and tool.name not in ("hal-run", "hal-benchmark"),
                    scratch=result.code >= 0,
                )
    bench.finish("replaced", args)


if __name__ == "__main__":
    main()
