#!/usr/bin/env python3
"""How many checked trials hal-tune makes in a second, and the CPU time of one.

    PATH=$PWD/target/release:$PATH tests/benchmark/trials.py -o trials.json --tool=before=OTHER/hal-tune

Each kernel, which takes less than a millisecond, is searched in a session (`hal-tune --serve`), from after the present kernel was measured until
the last of `--candidates` schedules was. A trial counts that was measured or rejected: it was translated, compared with the source, and timed. On a
machine that does other things, the CPU time says more than the rate: translations use all cores, the rest one. Several tools are run by turns.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

from tuning import product

SOFTMAX = """func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %r : tensor<256x512xf32>
}
"""
CONVOLUTION = """func.func @main(%x: tensor<1x30x30x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<1x28x28x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x28x28x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x30x30x32xf32>, tensor<3x3x32x32xf32>)
    outs(%f : tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
  return %r : tensor<1x28x28x32xf32>
}
"""
KERNELS = {
    "product 64x128x256": product(64, 128, 256),
    "product 128x256x128": product(128, 256, 128),
    "softmax 256x512": SOFTMAX,
    "convolution 3x3, 28x28, 32 to 32": CONVOLUTION,
}


def cpu_seconds(pid):
    """Of a process and those of its children that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def search(tool, folder, candidates, threads, seed):
    """Searches the one executable of `p.mlir`: checked trials, seconds, CPU seconds, and the time of the present kernel."""
    trials = folder / "trials.jsonl"
    trials.unlink(missing_ok=True)
    words = [tool, "--serve", "-q", "p.mlir", "-o", "none.mlir", f"--trials={trials}", f"--seed={seed}"]
    server = subprocess.Popen(
        [*words, f"--threads={threads}"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )

    def ask(**request):
        server.stdin.write(json.dumps(request) + "\n")
        return json.loads(server.stdout.readline())

    name = ask(request="list")["executables"][0]
    start, before = time.monotonic(), cpu_seconds(server.pid)
    ask(request="search", executable=name["executable"], candidates=candidates)
    # Workers that have ended are waited for a moment later.
    took = time.monotonic() - start
    time.sleep(0.5)
    used = cpu_seconds(server.pid) - before
    ask(request="end")
    server.wait()
    outcomes = [json.loads(line)["outcome"] for line in trials.read_text().splitlines()]
    checked = sum(outcome in ("measured", "rejected") for outcome in outcomes)
    return {"checked": checked, "tried": len(outcomes), "seconds": took, "cpu": used, "present": name["seconds"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the file for all numbers")
    parser.add_argument("--tool", action="append", default=[], help="NAME=PATH of a further hal-tune; repeatable")
    parser.add_argument("--candidates", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--note", default="", help="the profile of the tools, and what else ran on the machine")
    args = parser.parse_args()
    tools = {"now": "hal-tune", **dict(tool.split("=", 1) for tool in args.tool)}
    tools = {name: os.path.abspath(path) if "/" in path else path for name, path in tools.items()}
    runs = []
    print(f"{'':34} {'tool':8} {'µs':>6} {'trials/s':>9} {'CPU ms/trial':>13}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kernel, text in KERNELS.items():
            (folder / "m.mlir").write_text(text)
            subprocess.run(["hal-import", "m.mlir", "-o", "p.mlir"], cwd=folder, check=True)
            for seed in range(args.rounds):
                for tool, path in tools.items():
                    found = search(path, folder, args.candidates, args.threads, seed)
                    runs.append({"kernel": kernel, "tool": tool, "seed": seed, **found})
                    rate, each = found["checked"] / found["seconds"], 1e3 * found["cpu"] / max(1, found["checked"])
                    print(f"{kernel:34} {tool:8} {1e6 * found['present']:6.0f} {rate:9.1f} {each:13.1f}", flush=True)
    if args.output:
        head = {"note": args.note, "load": os.getloadavg(), "cores": os.cpu_count()}
        args.output.write_text(json.dumps({**head, "runs": runs}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
