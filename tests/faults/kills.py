#!/usr/bin/env python3
"""Kills tools at random moments, and checks what they leave.

    PATH=$PWD/target/debug:$PATH .venv/bin/python tests/faults/kills.py --count=1000 --seed=1

Each round starts a tool, kills its first process, a process below it, or the server that it uses, with SIGKILL at a random moment, and
checks: each output is absent or whole; soon no process of it is left; the next run gives the right bytes, and leaves no scratch folder.
Beside the tools there are shared stores in a folder and over HTTP, a server of the Remote Execution API (where Python has grpc), and a
build by ninja. A server that is killed costs no result; it is there again afterwards, and what a store has then is sound.
"""

import dataclasses
import importlib.util
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness
from cases import Tool
from services import Service

TRANSLATE = ["hal-translate", "../in/p", "-j2", "-o", "o"]
IN_FOLDER, HTTP, GRPC, NINJA = (
    Tool(
        "hal-translate, store in a folder", [*TRANSLATE, "--cache=../cache", "--cache-remote=@STORE@"], {"o": "bytes"}
    ),
    Tool(
        "hal-compile, store over HTTP",
        ["hal-compile", "../in/m.mlir", "-q", "--cache=../cache", "--cache-remote=@SERVER@", "-o", "o"],
        {"o": "bytes"},
    ),
    Tool("hal-translate, execution server", [*TRANSLATE, "--cache=off", "--launcher=@SERVER@"], {"o": "bytes"}),
    # It tells what failed on standard output.
    Tool("ninja", ["sh", "-c", "exec ninja -C ../graph -f build/build.ninja >&2"], {"../graph/build/m.so": "bytes"}),
)


class Kills:
    def __init__(self, args):
        self.rng, self.bench = random.Random(args.seed), harness.Bench(args.only)
        more = [IN_FOLDER, HTTP, NINJA] + [GRPC] * (importlib.util.find_spec("grpc") is not None)
        self.tools = self.bench.tools + [tool for tool in more if re.search(args.only, tool.name)]
        self.services, self.took = {}, {}
        graph = ["hal-compile", "../m.mlir", "--emit=ninja", "-o", "build"]
        os.mkdir(self.at("in", "graph"))
        subprocess.run(graph, cwd=self.at("in", "graph"), env=self.bench.env, check=True, capture_output=True)
        if HTTP in self.tools:
            words = ["cache/Inputs/with-store.py", "plain", self.at("http-files")]
            self.services[HTTP.name] = Service(self.at("http"), *words)
        if GRPC in self.tools:
            self.services[GRPC.name] = Service(self.at("grpc"), "farm/Inputs/executing.py", self.at("grpc-files"))
        for tool in self.tools:
            # The first run may find nothing in the system's caches, and sends a server what it keeps.
            for _ in range(2):
                self.prepare(tool)
                result = self.bench.run(self.with_address(tool))
                if result.code != tool.code:
                    raise SystemExit(f"{tool.name} fails without a kill: {result.text}")
                self.took[tool.name] = result.seconds
            right = {out: harness.contents(self.bench.output(out)) for out in tool.outputs}
            self.bench.right.setdefault(tool.name, right)

    def at(self, *names):
        return self.bench.at(*names)

    def prepare(self, tool):
        self.bench.reset(tool)
        for folder in ["store", "http-files", "graph"]:
            shutil.rmtree(self.at(folder), ignore_errors=True)
        os.mkdir(self.at("store"))
        if tool is NINJA:
            shutil.copytree(self.at("in", "graph"), self.at("graph"))
            # It begins with `../m.mlir`.
            shutil.copy(self.at("in", "m.mlir"), self.at("m.mlir"))

    def with_address(self, tool):
        """The tool with the address of its server, which is started again if it is dead."""
        service = self.services.get(tool.name)
        address = service.ready() if service else ""
        words = [w.replace("@SERVER@", address).replace("@STORE@", f"file://{self.at('store')}") for w in tool.words]
        return dataclasses.replace(tool, words=words)

    def round(self, tool):
        self.prepare(tool)
        service, killed = self.services.get(tool.name), []

        def during(child):
            time.sleep(self.rng.random() * self.took[tool.name] * 1.1)
            if service and self.rng.random() < 0.5:
                pid = self.rng.choice(service.victims())
                killed.append("the server" if pid == service.process.pid else "a worker of the server")
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                if pid == service.process.pid:
                    service.process.wait()
            else:
                first = harness.kill_one(child, self.bench.mark, self.rng, 0.5)
                killed.append("itself" if first else "a process below")

        result = self.bench.run(self.with_address(tool), during=during)
        (who,) = killed
        wrote = all(harness.contents(self.bench.output(out)) is not None for out in tool.outputs)
        self.bench.judge(
            self.with_address(tool),
            result,
            f"killed {who}",
            # A process below may be one that a tool cannot do without. A store never is, a server that executes only before its
            # first reply: then its address may be wrong.
            codes=(1, 3, 4) if who == "a process below" else (4,) if tool is GRPC else (),
            crash=who == "itself",
            # Below ninja are tools: the next one sweeps what they leave.
            scratch=who != "itself" and tool is not NINJA,
            outcome=f"killed {who}, {'wrote' if wrote else 'wrote nothing'}",
        )
        if tool in (IN_FOLDER, HTTP):
            shutil.rmtree(self.at("cache"))
            again = self.bench.run(self.with_address(tool))
            if again.code or again.text or self.bench.unsound(tool, success=True):
                self.bench.note(f"{tool.name}, killed {who}", ["the store is not sound"], again.text)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--count", type=int, default=100, help="kills")
    args = parser.parse_args()
    kills = Kills(args)
    for _ in range(args.count):
        kills.round(kills.rng.choice(kills.tools))
    for service in kills.services.values():
        service.stop()
    kills.bench.finish("kills", args)


if __name__ == "__main__":
    main()
