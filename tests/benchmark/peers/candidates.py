"""Whole models, run by Halyard and by its peers: each candidate measures itself when it is its turn.

Peers live in processes of their own, which sleep between turns: their threads disturb nobody then. A turn calls the model
for at least MOMENT seconds after a warm-up, and gives the seconds of each call.
"""

import json
import os
import subprocess
import sys

from common import HERE, WORK, peers, seconds, tool

MOMENT = 0.4
# Its default options, for this machine's CPU (which it does not take by default), and its fastest.
IREE = {
    "iree": ["--iree-llvmcpu-target-cpu=host"],
    "iree O3 dt": ["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-opt-data-tiling"],
}


class Halyard:
    """`hal-compile`, `hal-benchmark`."""

    def __init__(self, name, model, threads):
        self.program = os.path.join(WORK, f"{name}.so")
        self.threads = threads
        if threads == 1 or not os.path.exists(self.program):
            seconds([tool("hal-compile"), "-q", model, "-o", self.program])

    def inputs(self, files):
        # In order: names may hold anything.
        return [f"--input=@{path}" for path in files.values()]

    def outputs(self, files, folder):
        """Runs it once; gives the file of its first output."""
        path = os.path.join(folder, "halyard.npy")
        seconds([tool("hal-run"), self.program, *self.inputs(files), "-o", path])
        return path

    def measure(self, files):
        command = [
            tool("hal-benchmark"),
            self.program,
            f"--threads={self.threads}",
            f"--min-time={MOMENT}",
            "--runs=3",
            "--json=-",
            "-qq",
        ]
        said = subprocess.run([*command, *self.inputs(files)], capture_output=True, text=True, check=True).stdout
        return json.loads(said)["results"][0]["samples"]

    def end(self):
        pass


class Server:
    """A peer from a Python package, in a process of its own; see `server.py`."""

    def __init__(self, kind, model, threads):
        command = [os.path.join(peers(), "python"), os.path.join(HERE, "server.py"), kind, model, str(threads)]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question):
        self.child.stdin.write(json.dumps(question) + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            sys.exit("a peer has ended; see its message above")
        return json.loads(answer)

    def outputs(self, files, folder):
        path = os.path.join(folder, "peer.npy")
        self.ask(run=files, output=path)
        return path

    def measure(self, files):
        return self.ask(measure=files, seconds=MOMENT)

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def iree_import(name, model):
    """The model as IREE imports it (recent opsets only; this upgrades it)."""
    imported = os.path.join(WORK, f"{name}.iree.mlir")
    if not os.path.exists(imported):
        seconds(
            [
                os.path.join(peers(), "iree-import-onnx"),
                "--opset-version=17" if "transformer" not in name else "--opset-version=20",
                model,
                "-o",
                imported,
            ]
        )
    return imported


class Iree:
    """`iree-compile`, `iree-benchmark-module`."""

    def __init__(self, name, model, threads, flags, label):
        imported = iree_import(name, model)
        self.module = os.path.join(WORK, f"{name}.{label.replace(' ', '-')}.vmfb")
        if not os.path.exists(self.module):
            seconds(
                [
                    os.path.join(peers(), "iree-compile"),
                    "--iree-hal-target-backends=llvm-cpu",
                    *flags,
                    imported,
                    "-o",
                    self.module,
                ]
            )
        with open(imported, encoding="utf-8") as f:
            self.function = next(line for line in f if "func.func @" in line).split("@")[1].split("(")[0]
        self.device = (
            ["--device=local-sync"]
            if threads == 1
            else ["--device=local-task", f"--task_topology_group_count={threads}"]
        )

    def measure(self, files):
        inputs = [f"--input=@{path}" for path in files.values()]
        repeat = [f"--benchmark_min_time={MOMENT}s", "--benchmark_format=json"]
        command = [
            os.path.join(peers(), "iree-benchmark-module"),
            f"--module={self.module}",
            f"--function={self.function}",
            *self.device,
            *inputs,
            *repeat,
        ]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        result = json.loads(said)["benchmarks"][0]
        return [result["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[result["time_unit"]]]

    def end(self):
        pass


def candidates(name, model, threads, wanted):
    """All candidates for a model by name, Halyard first."""
    made = {"halyard": Halyard(name, model, threads)}
    for kind in ("openvino", "onnxruntime"):
        if kind in wanted:
            made[kind] = Server(kind, model, threads)
    if "iree" in wanted:
        made |= {label: Iree(name, model, threads, flags, label) for label, flags in IREE.items()}
    return made
