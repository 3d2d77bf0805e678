#!/usr/bin/env python3
"""Clocks that jump, and files of other times.

    PATH=$PWD/target/debug:$PATH tests/faults/clocks.py

- The clock of the day is years ahead or behind, or jumps there and back with each look at it: all tools give their bytes, at once.
- Scratch folders of dead processes from the future and from 1970 are swept; those of living ones stay.
- The cache: entries from the future count as used, and are no reason to fail.
"""

import os
import sqlite3
import time

import harness

YEAR = 365 * 86400


def main():
    args = harness.parser(__doc__).parse_args()
    bench = harness.Bench(args.only)
    for tool in bench.tools:
        for seconds in [10 * YEAR, -10 * YEAR, -60 * YEAR, 200 * YEAR, 3600]:
            fault = f"read:clock:{seconds}"
            bench.reset(tool)
            start = time.monotonic()
            result = bench.run(tool, fault)
            bench.judge(tool, result, fault, codes=())
            if time.monotonic() - start > 60:
                bench.note(f"{tool.name}, {fault}", ["it takes longer than a minute"])

    # What a killed process leaves is a folder with a lock that nobody holds, or an empty one.
    link = next((tool for tool in bench.tools if tool.name == "hal-link"), None)
    for years in [-50, 0, 20] if link else []:
        bench.reset(link)
        at = time.time() + years * YEAR - 120
        for name in ["halyard-link-dead01", "halyard-link-empty1"]:
            os.mkdir(bench.at("tmp", name))
        with open(bench.at("tmp", "halyard-link-dead01", ".in-use"), "w"):
            pass
        for name in ["halyard-link-dead01", "halyard-link-empty1"]:
            os.utime(bench.at("tmp", name), (at, at))
        bench.judge(link, bench.run(link), f"scratch of the dead, {years} years away", codes=())

    translate = next((tool for tool in bench.tools if tool.name == "hal-translate"), None)
    for years in [-50, 20] if translate else []:
        bench.reset(translate)
        bench.run(translate)
        cache = sqlite3.connect(bench.at("cache", "objects.db"))
        cache.execute("UPDATE entry SET used = ?", [int(time.time() + years * YEAR)])
        cache.commit()
        cache.close()
        for suffix in ["-wal", "-shm"]:
            if os.path.exists(bench.at("cache", "objects.db" + suffix)):
                os.remove(bench.at("cache", "objects.db" + suffix))
        os.remove(bench.at("out", "t"))
        bench.judge(translate, bench.run(translate), f"entries that were used {years} years away", codes=())
    bench.finish("clocks", args)


if __name__ == "__main__":
    main()
