#!/usr/bin/env python3
"""Random schedules: takes the exports of programs, changes keys of their schedules at random, and compares what the kernels compute
with their sources; and gives each schedule back as it is printed, which must not change a byte.

usage: schedules.py [--target=cpu] [--seed=1] [--count=100] [--verify=1] PROGRAM…

PROGRAMs are in phase `executables`, or a model that hal-import takes. A schedule that the compiler refuses is no failure: it says why. The tools
are those on PATH. The last line counts; the exit code is 1 if there was a wrong kernel, a crash or a changed byte.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile


def run(*command, timeout=600):
    """The exit code, and standard error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        return done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "it does not come to an end"


def value(text):
    """A value as `hal.schedule` has it."""
    return json.dumps(text)


def attribute(nests):
    """The value of `hal.schedule`; nests are dictionaries from keys to values."""
    items = ["{" + ", ".join(f"{key} = {value(v)}" for key, v in nest.items()) + "}" for nest in nests]
    return items[0] if len(items) == 1 else "[" + ", ".join(items) + "]"


class Program:
    """A program in phase `executables`, as text, and the schedules that its exports may have."""

    def __init__(self, path, target, folder):
        self.path, self.target, self.folder = path, target, folder
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        if 'hal.phase = "executables"' not in self.text:
            imported = os.path.join(folder, "imported.mlir")
            code, said = run("hal-import", path, "-o", imported)
            if code != 0:
                sys.exit(said)
            with open(imported, encoding="utf-8") as file:
                self.text = file.read()
        code, said = self.translate({}, "--explain=schedule-space")
        if code != 0:
            sys.exit(said)
        lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        self.space = {(line["executable"], line["export"]): line["nests"] for line in lines if line["nests"]}

    def with_schedules(self, schedules):
        """The text with `hal.schedule` on some exports."""
        executable, lines = None, []
        for line in self.text.splitlines():
            found = re.search(r"^\s*module @(\S+) attributes \{.*hal\.executable", line)
            executable = found.group(1).strip('"') if found else executable
            found = re.search(r"func\.func @(\S+?)\(", line)
            export = found.group(1).strip('"') if found else None
            if (executable, export) in schedules and "hal.export" in line:
                text = f"hal.schedule = {attribute(schedules[(executable, export)])}, hal.export"
                line = line.replace("hal.export", text, 1)
            lines.append(line)
        return "\n".join(lines) + "\n"

    def translate(self, schedules, *flags, output="/dev/null"):
        path = os.path.join(self.folder, "program.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.with_schedules(schedules))
        return run("hal-translate", path, f"--target={self.target}", "-o", output, *flags)

    def round_trip(self):
        """Gives each schedule back as it is. How many kernels changed: all of them are compared at once."""
        before, after = (os.path.join(self.folder, name) for name in ("before.mlir", "after.mlir"))
        given = {name: [{k: c["value"] for k, c in nest.items()} for nest in nests] for name, nests in self.space.items()}
        for schedules, output in [({}, before), (given, after)]:
            code, said = self.translate(schedules, "--strip-source", output=output)
            if code != 0:
                return f"{self.path}: a schedule is not taken back as it is printed\n{said}"
        with open(before, "rb") as a, open(after, "rb") as b:
            if a.read() != b.read():
                return f"{self.path}: a schedule that is given back changes code\n{self.differing(before, given)}"
        return None

    def differing(self, before, given):
        """The exports whose schedule changes the code."""
        found = []
        for name, nests in given.items():
            after = os.path.join(self.folder, "one.mlir")
            self.translate({name: nests}, "--strip-source", output=after)
            with open(before, "rb") as a, open(after, "rb") as b:
                if a.read() != b.read():
                    found.append(f"  @{name[0]}::@{name[1]}: {attribute(nests)}")
        return "\n".join(found)


def draw(rng, nests):
    """A schedule with a few keys changed."""
    wanted = []
    for nest in nests:
        free = {k: c["legal"] for k, c in nest.items() if isinstance(c["legal"], dict) or len(c["legal"]) > 1}
        keys = rng.sample(sorted(free), min(len(free), rng.choice([1, 1, 2, 3, len(free)])))
        chosen = {}
        for key in keys:
            legal = free[key]
            if isinstance(legal, list):
                chosen[key] = rng.choice(legal)
            elif rng.random() < 0.4:
                # One number of the array that was chosen.
                chosen[key] = list(nest[key]["value"])
                at = rng.randrange(len(chosen[key]))
                chosen[key][at] = rng.choice(legal["each"][at])
            else:
                chosen[key] = [rng.choice(numbers) for numbers in legal["each"]]
        # Half of them leave out what is not changed, the others name all keys.
        if rng.random() < 0.3 and "family" not in chosen:
            chosen = {k: chosen.get(k, c["value"]) for k, c in nest.items()}
        wanted.append(chosen)
    return wanted


def trial(program, rng, names, verify):
    """Draws a schedule for each of some exports: how many were tried, how many were refused, and what went wrong."""
    schedules = {name: draw(rng, program.space[name]) for name in names}
    tried, refused = len(schedules), 0
    while schedules:
        code, said = program.translate(schedules, f"--verify={verify}")
        if code == 0:
            return tried, refused, None
        named = set(re.findall(r"`hal\.schedule` of export `@(\S+?)`", said))
        if code != 1 or not named:
            text = "\n".join(f"  @{e}::@{x}: {attribute(s)}" for (e, x), s in schedules.items())
            return tried, refused, f"{program.path}: exit code {code}\n{said}\n{text}"
        before = len(schedules)
        schedules = {name: s for name, s in schedules.items() if name[1] not in named}
        refused += before - len(schedules)
    return tried, refused, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", metavar="PROGRAM", nargs="+")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="schedules to try")
    parser.add_argument("--verify", type=int, default=1, help="runs of each kernel")
    parser.add_argument("--at-once", type=int, default=8, help="exports in a translation")
    parser.add_argument("--only", help="exports whose name contains this")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    failures, tried, refused, exports = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for k, path in enumerate(args.programs):
            own = os.path.join(folder, str(k))
            os.mkdir(own)
            program = Program(path, args.target, own)
            if args.only:
                program.space = {name: nests for name, nests in program.space.items() if args.only in name[1]}
            exports += len(program.space)
            failures += [f for f in [program.round_trip()] if f]
            if program.space:
                programs.append(program)
        while programs and tried < args.count:
            for program in programs:
                names = sorted(program.space)
                names = rng.sample(names, min(len(names), args.at_once, max(1, args.count - tried)))
                made, without, failure = trial(program, rng, names, args.verify)
                tried, refused = tried + made, refused + without
                failures += [failure] if failure else []
    for failure in failures:
        print(failure)
    print(f"{exports} exports, {tried} schedules tried, {refused} refused, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
