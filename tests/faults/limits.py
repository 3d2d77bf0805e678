#!/usr/bin/env python3
"""Limits of the system: memory, file descriptors, processes and threads.

    PATH=$PWD/target/debug:$PATH tests/faults/limits.py

- `memory`: `RLIMIT_AS` from 16 MiB upward in steps of 12 %, until the tool succeeds. It fails with an error, or crashes without leaving
  anything.
- `files`: `RLIMIT_NOFILE` from 3 upward, until it succeeds.
- `start`: the N-th fork or thread fails with EAGAIN, and all later ones, as with `RLIMIT_NPROC` (which does not hold for root).
- `map`: the N-th map of a file fails with ENOMEM.
"""

import resource

import harness


def memory(bench, args):
    for tool in bench.tools:
        sizes, size = [], 16 << 20
        while size < 16 << 30:
            sizes.append(size)
            size = int(size * 1.12)
        good = 0
        for size in harness.chosen(sizes, args):
            bench.reset(tool)

            def before(size=size):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

            result = bench.run(tool, before=before)
            # The dynamic loader says 127 where it cannot load libraries. Scratch of what was killed is swept by the next run.
            bench.judge(
                tool, result, f"{size >> 20} MiB of memory", codes=(1, 3, 4, 127), crash=True, scratch=result.code >= 0
            )
            good += result.code == tool.code
            if good == 3:
                break


def files(bench, args):
    for tool in bench.tools:
        good = 0
        for most in harness.chosen(range(3, 80), args):
            bench.reset(tool)
            result = bench.run(tool, before=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            bench.judge(
                tool,
                result,
                f"{most} descriptors",
                codes=(3, 4, 127),
                says="too many open files|unable to open|descriptor|cannot open shared",
            )
            good += result.code == tool.code
            if good == 3:
                break


def calls(kind, error, says):
    def sweep(bench, args):
        for tool in bench.tools:
            bench.reset(tool)
            total = bench.run(tool, f"{kind}:{error}:0").calls
            for n in harness.chosen(range(1, total + 1), args):
                for fault in [f"{kind}:{error}:{n}:on", f"{kind}:{error}:{n}"]:
                    bench.reset(tool)
                    bench.judge(tool, bench.run(tool, fault), fault, says=says)

    return sweep


PARTS = {
    "memory": memory,
    "files": files,
    "start": calls("start", "EAGAIN", "resource temporarily unavailable|thread|process"),
    "map": calls("map", "ENOMEM", "memory|disk I/O"),
}


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--part", choices=PARTS, action="append")
    args = parser.parse_args()
    bench = harness.Bench(args.only)
    for part in args.part or PARTS:
        PARTS[part](bench, args)
    bench.finish("limits", args)


if __name__ == "__main__":
    main()
