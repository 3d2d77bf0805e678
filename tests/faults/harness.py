"""What all harnesses of faults share: the tools that are run, and how what they leave is judged.

A harness makes a `Bench`, breaks something in each attempt, and lets the bench judge what is left:

- each output is absent, what it was before, or whole; after success all are whole;
- the exit code is one of those that the fault may have, and never a panic;
- a failure says why on standard error;
- no process stays, no file in `TMPDIR`, and none beside the outputs;
- the next run, with the cache that is left, gives the right bytes.
"""

import argparse
import collections
import dataclasses
import datetime
import json
import os
import platform
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from cases import TOOLS, Tool, model

__all__ = ["Bench", "Tool", "model"]

HERE = os.path.dirname(os.path.abspath(__file__))
CLANG = os.path.join(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"), "bin", "clang")
# That of the start: more may follow while a harness runs.
COMMIT = subprocess.run(
    ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True
).stdout.strip()
# A run that takes longer hangs.
PATIENCE = 120


@dataclasses.dataclass
class Result:
    code: int
    text: str
    seconds: float
    # How often what should fail was called; None where nobody counts.
    calls: int = 0
    hangs: bool = False


def contents(path):
    """The bytes of a file, or of all files in a folder; None where there is nothing."""
    if os.path.isdir(path):
        return {f: contents(os.path.join(path, f)) for f in sorted(os.listdir(path))}
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def processes(mark):
    """The processes whose environment holds a mark, but for zombies."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                marked = mark.encode() in f.read()
            with open(f"/proc/{pid}/stat") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if marked and state != "Z":
            found.append(int(pid))
    return found


def kill_one(child, mark, rng, own):
    """Kills a process with that probability, else one below it, if there is one; returns whether it was the process itself."""
    below = [pid for pid in processes(mark) if pid != child.pid]
    first = not below or rng.random() < own
    try:
        os.kill(child.pid if first else rng.choice(below), signal.SIGKILL)
    except ProcessLookupError:
        pass
    return first


def environment(folder):
    """The variables of tools that keep everything below a folder."""
    ours = ("HALYARD", "FAULT", "XDG", "MAKEFLAGS", "RUST_")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    tmp, home, cache = (os.path.join(folder, name) for name in ("tmp", "home", "cache"))
    return dict(clean, TMPDIR=tmp, HOME=home, HALYARD_CACHE=cache, NO_COLOR="1")


class Bench:
    """A folder with inputs, and the right outputs of all tools."""

    def __init__(self, only="", folder=None):
        self.folder = tempfile.mkdtemp(prefix="faults", dir=folder)
        self.counts, self.wrong, self.rounds = collections.Counter(), [], 0
        for name in ["in", "out", "tmp", "home"]:
            os.mkdir(self.at(name))
        self.faults = self.at("faults.so")
        # Rust calls statx with null pointers, which its declaration rules out.
        flags = ["-O1", "-shared", "-fPIC", "-fno-delete-null-pointer-checks"]
        subprocess.run([CLANG, *flags, os.path.join(HERE, "faults.c"), "-o", self.faults], check=True)
        with open(self.at("count"), "wb") as f:
            f.write(bytes(8))
        with open(self.at("in", "m.mlir"), "w") as f:
            f.write(model())
        self.env = environment(self.folder)
        for words in [
            ["hal-import", "m.mlir", "-o", "p"],
            ["hal-translate", "p", "--cache=off", "-o", "t"],
            ["hal-link", "t", "-o", "n.so"],
            ["hal-extract", "p", "main_dispatch_0", "--to=.", "-o", "/dev/null"],
        ]:
            subprocess.run(words, cwd=self.at("in"), env=self.env, check=True, stderr=subprocess.DEVNULL)
        subprocess.run(
            ["hal-translate", "p", "--cache=kept", "-o", "/dev/null"], cwd=self.at("in"), env=self.env, check=True
        )
        os.rename(self.at("in", "main_dispatch_0.mlir"), self.at("in", "edited.mlir"))
        self.tools = [tool for tool in TOOLS if re.search(only, tool.name)]
        self.right = {}
        for tool in self.tools:
            self.reset(tool)
            result = self.run(tool)
            if result.code != tool.code:
                raise SystemExit(f"{tool.name} fails without a fault: {result.text}")
            self.right[tool.name] = {out: contents(self.output(out)) for out in tool.outputs}
            if bad := self.unsound(tool, success=True) + self.left(tool):
                raise SystemExit(f"{tool.name} is wrong without a fault: {bad}")

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def output(self, name):
        return self.at("stdout") if name == "<stdout>" else self.at("out", name)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def reset(self, tool):
        """Empties the folders of outputs and scratch; the cache is that which a tool begins with."""
        for name in ["out", "tmp", "home", "cache"]:
            shutil.rmtree(self.at(name), ignore_errors=True)
        if tool.warm:
            shutil.copytree(self.at("in", "kept"), self.at("cache"))
        for name in ["out", "tmp", "home"]:
            os.makedirs(self.at(name), exist_ok=True)

    def run(self, tool, fault="", env=None, before=None, stdin=None, stdout=None, during=None, words=None):
        """Runs a tool in `out`. `before` is called in the child, `during` with the process in the parent."""
        self.rounds += 1
        mark = f"{os.getpid()}-{self.rounds}-"
        self.mark = f"FAULT_ROUND={mark}"
        env = dict(self.env, FAULT_ROUND=mark, **(env or {}))
        env = {k: v for k, v in env.items() if v is not None}
        if fault:
            env |= {"FAULT": fault, "FAULT_COUNT": self.at("count"), "LD_PRELOAD": self.faults}
            with open(self.at("count"), "r+b") as f:
                f.write(bytes(8))
        start = time.monotonic()
        source = open(self.at("in", tool.stdin)) if tool.stdin else subprocess.DEVNULL
        sink = open(self.output("<stdout>"), "wb") if "<stdout>" in tool.outputs else subprocess.DEVNULL
        with open(self.at("messages"), "w+b") as messages:
            child = subprocess.Popen(
                words or tool.words,
                cwd=self.at("out"),
                env=env,
                stdin=source if stdin is None else stdin,
                stdout=sink if stdout is None else stdout,
                stderr=messages,
                preexec_fn=before,
            )
            if during:
                during(child)
            hangs = False
            try:
                code = child.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                hangs = True
                for pid in processes(self.mark):
                    os.kill(pid, signal.SIGKILL)
                code = child.wait()
            messages.seek(0)
            text = messages.read().decode(errors="replace")
        with open(self.at("count"), "rb") as f:
            (calls,) = struct.unpack("q", f.read())
        return Result(code, text, time.monotonic() - start, calls, hangs)

    def unsound(self, tool, success):
        """The outputs that are neither absent (which success forbids) nor whole."""
        bad = []
        for out, how in tool.outputs.items():
            got, right = contents(self.output(out)), self.right[tool.name][out]
            if got is None or (out == "<stdout>" and not success):
                bad += [f"`{out}` is missing"] if success else []
            elif how == "bytes" and got != right:
                bad.append(f"`{out}` is not whole: {len(got)} bytes of {len(right)}")
            elif how == "folder" and not success:
                bad += [f"`{out}/{f}` is not whole" for f in got if not within(got[f], right.get(f))]
            elif how == "folder" and not within(right, got):
                bad.append(f"`{out}` lacks files")
            elif how == "some" and not got:
                bad.append(f"`{out}` is empty")
            elif how == "html" and not got.rstrip().endswith(b"</html>"):
                bad.append(f"`{out}` is not whole")
            elif how == "json":
                try:
                    json.loads(got)
                except ValueError:
                    bad.append(f"`{out}` is no JSON")
            elif how in ("mlir", "tuning"):
                check = (
                    ["hal-opt", out, "-o", "/dev/null"] if how == "mlir" else ["hal-tune", f"--tuning={out}", "--list"]
                )
                ran = subprocess.run(check, cwd=self.at("out"), env=self.env, capture_output=True, text=True)
                if ran.returncode:
                    bad.append(f"`{out}` cannot be used: {ran.stderr}")
        return bad

    def left(self, tool, scratch=True, told=()):
        """What should not be there: processes, scratch but for what a message told, half files."""
        bad = []
        for _ in range(150):
            if not (stay := processes(self.mark)):
                break
            time.sleep(0.02)
        if stay:
            bad.append(f"{len(stay)} processes stay")
            for pid in stay:
                os.kill(pid, signal.SIGKILL)
        if scratch and (rest := sorted(set(os.listdir(self.at("tmp"))) - set(told))):
            bad.append(f"scratch stays: {rest}")
        side = {f"{out}{suffix}" for out in tool.outputs for suffix in ("", "-wal", "-shm", "-journal")}
        if rest := sorted(set(os.listdir(self.at("out"))) - side):
            bad.append(f"beside the outputs: {rest}")
        if os.path.isdir(self.at("cache")) and (
            rest := [f for f in os.listdir(self.at("cache")) if not f.startswith("objects.db")]
        ):
            bad.append(f"in the cache's folder: {rest}")
        for out, how in tool.outputs.items():
            if how == "folder" and os.path.isdir(self.at("out", out)):
                hidden = [f for f in os.listdir(self.at("out", out)) if f.startswith((".hal-", ".tmp"))]
                bad += [f"in `{out}`: {hidden}"] if hidden else []
        return bad

    def judge(
        self, tool, result, fault, codes=(3, 4), says="", never="", crash=False, again=True, scratch=True, outcome=""
    ):
        """Notes what is wrong after an attempt. `codes` may be the exit code of a failure; `says` must be in its message, `never` must not.
        `outcome` is what is counted in place of how it ended."""
        bad = []
        if result.hangs:
            bad.append("it hangs")
        elif result.code == tool.code:
            bad += self.unsound(tool, success=True)
        else:
            bad += self.unsound(tool, success=False)
            died = result.code < 0 or result.code >= 128
            if died and not crash:
                bad.append(f"it is ended by signal {-result.code}")
            if not died and result.code not in codes:
                bad.append(f"exit code {result.code}")
            if not died and not result.text.strip():
                bad.append("it fails without a message")
            if says and not died and not re.search(says, result.text, re.I):
                bad.append(f"the message lacks `{says}`")
            if never and re.search(never, result.text, re.I):
                bad.append(f"the message has `{never}`")
        if "this is a bug" in result.text or "panicked" in result.text:
            bad.append("it panics")
        # A worker that dies leaves what reproduces it, and says where.
        told = re.findall(r"/(halyard-reproducers-\w+)/", result.text)
        bad += self.left(tool, scratch=scratch, told=told)
        if again and not result.hangs:
            # Outputs that are left are replaced, whatever they are.
            next_run = self.run(tool)
            if next_run.code != tool.code:
                bad.append(f"the next run fails: {next_run.text}")
            else:
                bad += [
                    f"after the next run: {b}" for b in self.unsound(tool, success=True) + self.left(tool, told=told)
                ]
        ended = "hangs" if result.hangs else "succeeds" if result.code == tool.code else f"exit code {result.code}"
        self.counts[tool.name, outcome or ended] += 1
        if bad:
            self.note(f"{tool.name}, {fault}", bad, result.text)
        return not bad

    def note(self, what, bad, text=""):
        """Notes what is wrong, and shows it at once."""
        self.wrong.append((what, bad))
        print(
            f"{what}: {'; '.join(bad)}",
            *(f"    | {line}" for line in text.splitlines()),
            sep="\n",
            file=sys.stderr,
            flush=True,
        )

    def finish(self, name, args, notes=()):
        """Prints the counts, records them if asked to, and ends the process."""
        lines = [f"{count:6} {tool}: {outcome}" for (tool, outcome), count in sorted(self.counts.items())]
        total = sum(self.counts.values())
        lines += [*notes, f"{total} attempts, seed {args.seed}: {len(self.wrong)} wrong"]
        lines += [f"  {what}: {'; '.join(bad)}" for what, bad in self.wrong]
        print("\n".join(lines))
        if args.record:
            record(name, lines)
        self.close()
        sys.exit(1 if self.wrong else 0)


def record(name, lines):
    """Writes the result of a run to `runs`."""
    words = " ".join([f"tests/faults/{os.path.basename(sys.argv[0])}", *(a for a in sys.argv[1:] if a != "--record")])
    machine = f"commit {COMMIT}, {platform.machine()}, {os.cpu_count()} processors, Linux {platform.release()}"
    day, number = os.path.join(HERE, "runs", f"{datetime.date.today().isoformat()}-{name}"), 1
    # Several runs of a day stand side by side.
    while os.path.exists(path := f"{day}{f'-{number}' if number > 1 else ''}.txt"):
        number += 1
    with open(path, "w") as f:
        f.write("\n".join([words, machine, *lines]) + "\n")


def within(got, right):
    """Whether a file is right, or all files of a folder are."""
    if isinstance(got, dict):
        return isinstance(right, dict) and all(within(got[f], right.get(f)) for f in got)
    return got == right


def parser(doc):
    """The flags that all harnesses have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of what is random")
    parser.add_argument("--only", default="", help="only tools whose name matches this")
    parser.add_argument("--sample", type=int, default=0, help="so many attempts of each tool, at random; 0 is all")
    parser.add_argument("--first", type=int, default=0, help="only the first so many attempts of each tool; 0 is all")
    parser.add_argument("--record", action="store_true", help="write the result to tests/faults/runs")
    return parser


def chosen(numbers, args):
    """All numbers, or a sample of them in order."""
    numbers = list(numbers)
    numbers = numbers[: args.first or len(numbers)]
    if not args.sample or len(numbers) <= args.sample:
        return numbers
    return sorted(random.Random(args.seed).sample(numbers, args.sample))
