#!/usr/bin/env python3
"""How the tools grow with the size of a program, and what an edit of one executable costs.

`modules`: hal-import of modules of so many operations. `executables`: hal-compile of programs of so many different executables,
with a new cache. `link`: hal-link of these programs, twice. `edit`: one executable of --edited is edited and compiled again, by
hal-compile with its cache and by ninja. Programs are those of `programs.py`. Seconds are of CPU, of all processes together, since
other work on the machine changes wall time more; memory is that of the largest process.

usage: scale.py [--tools target/release] [--parts modules,executables,link,edit] [--operations 10000,100000]
                [--executables 1000,5000] [--kinds maps,math,products,widths] [--edited 500] [--runs 1] [--record FILE.json] [--note TEXT]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import programs

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Bench:
    def __init__(self, args):
        self.args, self.rows = args, []
        self.folder = tempfile.mkdtemp(prefix="scale-")
        self.env = dict(os.environ, HALYARD_CACHE="off", PATH=f"{os.path.abspath(args.tools)}:{os.environ['PATH']}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, lines):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        return self.path(name)

    def once(self, command, cache):
        """Seconds of CPU and wall, and bytes, of a command and its children."""
        start = time.monotonic()
        env = dict(self.env, HALYARD_CACHE=cache)
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env, cwd=self.folder)
        _, status, used = os.wait4(child.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(command)}: status {status}")
        return {
            "user": round(used.ru_utime, 3),
            "system": round(used.ru_stime, 3),
            "wall": round(time.monotonic() - start, 3),
            "resident": used.ru_maxrss * 1024,
        }

    def measure(self, what, kind, count, command, cache="off", before=lambda: None, more=dict):
        """The median run by CPU time becomes the row; all are recorded. `before` prepares each."""
        samples = []
        for _ in range(self.args.runs):
            before()
            samples.append(self.once(command, cache))
        median = sorted(samples, key=lambda s: s["user"] + s["system"])[(len(samples) - 1) // 2]
        cpu = median["user"] + median["system"]
        row = {"what": what, "kind": kind, "count": count, "cpu": round(cpu, 3), **median, "samples": samples, **more()}
        self.rows.append(row)
        print(
            f"{what:24}{kind:12}{count:8}{cpu:9.2f}{cpu / count * 1e3:9.3f}{median['wall']:9.2f}"
            f"{median['resident'] / 2**20:9.0f}",
            flush=True,
        )
        return row

    def modules(self):
        for kind, make in programs.MODULES.items():
            for count in self.args.operations:
                source = self.write("module.mlir", make(count))
                self.measure("hal-import", kind, count, ["hal-import", source, "-o", self.path("module.mlirbc")])

    def executables(self):
        for kind in self.args.kinds:
            for count in self.args.executables:
                source, cache = self.write("program.mlir", programs.EXECUTABLES[kind](count)), self.path("cache")
                times = self.path("times.json")
                command = ["hal-compile", "-q", source, "-o", self.path("program.so"), f"--time-json={times}"]

                def steps():
                    with open(times, encoding="utf-8") as f:
                        return {"steps": {s["step"]: round(s["cpu"], 3) for s in json.load(f)["steps"]}}  # noqa: B023

                remove = lambda: shutil.rmtree(cache, ignore_errors=True)  # noqa: B023, E731
                self.measure("hal-compile", kind, count, command, cache, remove, steps)
                self.measure("hal-compile, all cached", kind, count, command, cache, more=steps)
                if "link" in self.args.parts:
                    objects, linked = self.path("objects.mlirbc"), self.path("linked.so")
                    self.once(["hal-compile", "-q", "--to=objects", "--emit=bytecode", source, "-o", objects], cache)
                    for what in ["hal-link", "hal-link again"]:
                        self.measure(what, kind, count, ["hal-link", objects, "-o", linked])
                    os.remove(objects)

    def edit(self):
        count, cache, build = self.args.edited, self.path("edit-cache"), self.path("build")
        for kind in self.args.kinds:
            make = programs.EXECUTABLES[kind]
            shutil.rmtree(cache, ignore_errors=True)
            one = self.write("one.mlir", make(1))
            source = self.write("edited.mlir", make(count))
            compile = ["hal-compile", "-q", source, "-o", self.path("edited.so")]
            self.once(["hal-compile", "-q", one, "-o", self.path("one.so")], cache)
            self.measure("start-up: 1, cached", kind, 1, ["hal-compile", "-q", one, "-o", self.path("one.so")], cache)
            empty = lambda: shutil.rmtree(cache, ignore_errors=True)  # noqa: E731
            cold = self.measure("cold", kind, count, compile, cache, empty)
            self.measure("no edit", kind, count, compile, cache)
            edited = []
            # Another one each time: an edit that was seen before comes from the cache.
            edit = lambda: edited.append(0) or self.write("edited.mlir", make(count, count // 2 + len(edited)))  # noqa: B023, E731
            row = self.measure("1 edited", kind, count, compile, cache, edit)
            row["share"] = round(row["cpu"] / cold["cpu"], 4)
            print(f"{'':24}{row['share']:.1%} of cold")
            shutil.rmtree(build, ignore_errors=True)
            self.write("edited.mlir", make(count))
            self.once(["hal-compile", "-q", source, "--emit=ninja", "-o", "build"], "off")
            ninja = ["ninja", "--quiet", "-f", "build/build.ninja"]
            clean = lambda: self.once([*ninja, "-t", "clean"], "off")  # noqa: B023, E731
            cold = self.measure("ninja: cold", kind, count, ninja, before=clean)

            sources = []

            def edit_source():
                sources.append(0)
                path = f"{build}/sources/main_dispatch_{count // 2 + len(sources)}.mlir"  # noqa: B023
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                others = {"0.75": "0.625", "1.5": "0.75", "arith.mulf": "arith.addf"}
                other = lambda m: others.get(m[0]) or ("math.sin" if m[0] == "math.cos" else "math.cos")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(re.sub(r"0\.75|1\.5|arith\.mulf|math\.\w+", other, text))

            row = self.measure("ninja: 1 edited", kind, count, ninja, before=edit_source)
            row["share"] = round(row["cpu"] / cold["cpu"], 4)
            print(f"{'':24}{row['share']:.1%} of cold")


def main():
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=os.path.join(TOP, "target", "release"))
    parser.add_argument("--parts", type=lambda t: t.split(","), default=["modules", "executables", "link", "edit"])
    parser.add_argument("--operations", type=numbers, default=[10000, 100000])
    parser.add_argument("--executables", type=numbers, default=[1000, 5000])
    parser.add_argument("--kinds", type=lambda t: t.split(","), default=list(programs.EXECUTABLES))
    parser.add_argument("--edited", type=int, default=500)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--record")
    parser.add_argument("--note", help="what the record says of itself")
    args = parser.parse_args()
    bench = Bench(args)
    print(f"{'':24}{'':12}{'':>8}{'cpu s':>9}{'ms each':>9}{'wall s':>9}{'MiB':>9}")
    try:
        for part in args.parts:
            if part != "link":
                getattr(bench, part)()
    finally:
        shutil.rmtree(bench.folder)
        if args.record:
            with open(args.record, "w", encoding="utf-8") as f:
                load = os.getloadavg()[0]
                json.dump({"note": args.note, "cpus": os.cpu_count(), "load": load, "rows": bench.rows}, f, indent=1)
                f.write("\n")


main()
