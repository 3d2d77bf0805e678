"""Random MLIR programs through the tools, beside a reference in numpy: `mlir.py --seed=N --count=N --target=vulkan`. See README.md."""

import argparse
import collections
import json
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import draw
import run
import shrink
import values
from program import Program

KINDS = ["pass", "refused", "wrong", "crash", "hang", "internal", "reference"]
GPU_DTYPES = [d for d in draw.Random.dtypes if d != "bf16"]


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=0, help="of the first program (default %(default)s)")
    p.add_argument("--count", type=int, default=100, help="programs (default %(default)s)")
    p.add_argument("--target", default="cpu", help="as for hal-translate; it must run here (default %(default)s)")
    p.add_argument("--levels", default="0,3", help="optimisation levels (default %(default)s)")
    p.add_argument("--constants", type=float, default=0, metavar="SHARE", help="make so many arguments constants")
    p.add_argument("--minutes", type=float, help="stop after this time")
    p.add_argument("--group", type=int, default=25, help="programs to a module (default %(default)s)")
    p.add_argument("-j", "--jobs", type=int, default=1, help="modules at once (default %(default)s)")
    p.add_argument("--record", metavar="FILE", help="write what came out as JSON")
    p.add_argument("--failures", metavar="DIR", help="write failing programs there")
    p.add_argument("--shrink", metavar="DIR", help="make failing programs small and write them there as tests")
    p.add_argument("--print", action="store_true", help="print the programs instead of running them")
    p.add_argument("--max-refused", type=int, metavar="N", help="fail if more are refused")
    return p.parse_args()


def make(seed, target):
    """The program of a seed, or None where its reference fails."""
    device = target.split(":")[0]
    values.laxity, values.flushes = values.LAXITY.get(device, 4.0), device != "cpu"
    return draw.program(seed, dtypes=None if device == "cpu" else GPU_DTYPES)


def keep(a, program, kind, outcome):
    """Writes a program that did not pass."""
    if a.failures:
        os.makedirs(a.failures, exist_ok=True)
        comment = "".join(f"// {line}\n" for line in outcome.text.split("\n"))
        with open(os.path.join(a.failures, f"{kind}-{program.name}.mlir"), "w", encoding="utf-8") as f:
            f.write(comment + program.text())


def shrunk(a, program, level, outcome, folder):
    """Writes the smallest program that fails in the same way."""
    place = os.path.join(folder, "shrink")

    def fails(candidate):
        found = run.group([candidate], place, a.target, level)[candidate.name]
        return found.kind == outcome.kind

    path = shrink.write(shrink.shrink(program, fails), a.shrink, program.name[1:], a.target, level)
    print(f"shrunk to {path}", flush=True)


class Tally:
    """What came out so far."""

    def __init__(self, a, folder):
        self.a, self.folder, self.start = a, folder, time.time()
        self.counts = {level: collections.Counter() for level in a.levels.split(",")}
        self.refused, self.failures, self.programs, self.compared = collections.Counter(), [], 0, 0

    def add(self, level, program, outcome):
        self.counts[level][outcome.kind] += 1
        self.compared += outcome.compared
        if outcome.kind == "pass":
            return
        seed, kind = int(program.name[1:]), outcome.kind
        keep(self.a, program, kind, outcome)
        if kind == "refused":
            self.refused[re.sub(r"p\d+_|%\w+|\d+", "N", outcome.text.split("\n")[0])[:160]] += 1
            return
        self.failures.append({"seed": seed, "level": level, "kind": kind, "text": outcome.text[:400]})
        print(f"{kind} seed {seed} -O{level}: {outcome.text[:600]}", flush=True)
        if self.a.shrink:
            shrunk(self.a, program, level, outcome, self.folder)

    def record(self):
        """Written after each module, so that a run that is ended counts."""
        if not self.a.record:
            return
        record = {"target": self.a.target, "first_seed": self.a.seed, "programs": self.programs, "levels": {k: dict(v) for k, v in self.counts.items()},
                  "numbers_compared": self.compared, "refused": dict(self.refused.most_common()), "failures": self.failures}  # fmt: skip
        with open(self.a.record, "w", encoding="utf-8") as f:
            json.dump(record, f, indent=1)
            f.write("\n")

    def close(self):
        for text, n in self.refused.most_common(12):
            print(f"refused {n} times: {text}")
        sums = ", ".join(f"-O{k}: " + ", ".join(f"{v[x]} {x}" for x in KINDS if v[x]) for k, v in self.counts.items())
        print(f"{self.programs} programs, {self.compared} numbers compared; {sums}; {time.time() - self.start:.0f} s")
        much = self.a.max_refused is not None and sum(self.refused.values()) > self.a.max_refused
        sys.exit(1 if self.failures or much or not self.programs else 0)


def main():
    a = arguments()
    Program.constants = a.constants
    seeds = range(a.seed, a.seed + a.count)
    if a.print:
        print("".join(make(s, a.target).text() for s in seeds))
        return
    folder = tempfile.mkdtemp(prefix="hal-fuzz-")
    tally = Tally(a, folder)

    def work(chunk):
        if a.minutes and time.time() - tally.start > 60 * a.minutes:
            return [], []
        programs = [make(s, a.target) for s in chunk]
        place = os.path.join(folder, f"g{chunk[0]}")
        found = [(level, run.group(programs, place, a.target, level)) for level in tally.counts]
        shutil.rmtree(place, ignore_errors=True)
        return programs, found

    chunks = [seeds[i : i + a.group] for i in range(0, len(seeds), a.group)]
    try:
        with ThreadPoolExecutor(a.jobs) as pool:
            for programs, found in pool.map(work, chunks):
                tally.programs += len(programs)
                for level, outcomes in found:
                    for program in programs:
                        tally.add(level, program, outcomes[program.name])
                tally.record()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    tally.close()


if __name__ == "__main__":
    main()
