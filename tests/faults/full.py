#!/usr/bin/env python3
"""A disk that is full: at each write of each tool, in real small file systems, and on standard output.

    PATH=$PWD/target/debug:$PATH tests/faults/full.py                # all
    PATH=$PWD/target/debug:$PATH tests/faults/full.py --sample=3 --only=hal-link

- `calls`: the N-th call that takes room fails with ENOSPC, and all later ones, in all processes together; each N until none fails. With
  a sample also the N-th alone (somebody else made room), and EDQUOT and EIO.
- `mount`: outputs, scratch and cache are in a tmpfs of 4 KiB, 8 KiB and so on, until it is large enough. Needs root.
- `stdout`: /dev/full.
"""

import os
import random
import subprocess

import harness

SAYS = "no space left|quota|input/output error|database or disk is full|disk I/O error|unable to open database"


def calls(bench, args):
    rng = random.Random(args.seed)
    for tool in bench.tools:
        bench.reset(tool)
        total = bench.run(tool, "write:ENOSPC:0").calls
        for n in harness.chosen(range(1, total + 3), args):
            for how in ["ENOSPC:{}:on"] + [rng.choice(["ENOSPC:{}", "EDQUOT:{}:on", "EIO:{}"])]:
                fault = f"write:{how.format(n)}"
                bench.reset(tool)
                result = bench.run(tool, fault)
                bench.judge(tool, result, fault, says=SAYS)


def mount(bench, args):
    if os.geteuid() != 0:
        return ["mount: skipped, needs root"]
    # A store that is too small for what it holds cannot be.
    for tool in (tool for tool in bench.tools if not tool.warm):
        sizes = harness.chosen([4 << i for i in range(14)], args)
        for size in sizes:
            bench.reset(tool)
            places = [bench.at("out"), bench.at("tmp"), bench.at("cache")]
            os.makedirs(bench.at("cache"), exist_ok=True)
            small = bench.at("small")
            os.makedirs(small, exist_ok=True)
            made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "faults", small])
            if made.returncode:
                return ["mount: skipped, a tmpfs cannot be mounted here"]
            try:
                for place in places:
                    name = os.path.join(small, os.path.basename(place))
                    os.mkdir(name)
                    subprocess.run(["mount", "--bind", name, place], check=True)
                result = bench.run(tool)
                bench.judge(tool, result, f"a disk of {size} KiB", says=SAYS, again=False)
            finally:
                for place in places:
                    subprocess.run(["umount", place])
                subprocess.run(["umount", small])
            if result.code == tool.code and size >= 64 and not result.text:
                break
    return []


def stdout(bench, args):
    for tool in bench.tools:
        if "<stdout>" not in tool.outputs:
            continue
        bench.reset(tool)
        with open("/dev/full", "w") as full:
            result = bench.run(tool, stdout=full)
        bench.judge(tool, result, "standard output is full", says=SAYS)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--part", choices=["calls", "mount", "stdout"], action="append")
    args = parser.parse_args()
    bench = harness.Bench(args.only)
    parts, notes = args.part or ["calls", "mount", "stdout"], []
    for part in parts:
        notes += {"calls": calls, "mount": mount, "stdout": stdout}[part](bench, args) or []
    bench.finish("full", args, notes)


if __name__ == "__main__":
    main()
