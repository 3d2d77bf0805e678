#!/usr/bin/env python3
"""How good a short search is: tunes kernels over all choices of a transform script, then with a twentieth of the trials.

For each kernel, an exhaustive run measures every choice beside the present kernel. Searches with other seeds then get 5 % of the trials.
The fastest of nearly two hundred short measurements is the luckiest of them: so what the searches found, and the five best choices of
the exhaustive run, are measured again in several sessions, and medians are compared. All trials are ratios to the present kernel by
turns, so that other load on the machine matters little. Needs the tools on PATH.
"""

import argparse
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

SAMPLES = pathlib.Path(__file__).resolve().parents[1] / "samples" / "transform-kernels"
# Rows, columns and depth of products.
KERNELS = {"square": (256, 256, 256), "wide": (64, 1024, 64), "deep": (64, 128, 1024)}
KNOBS = {
    "rows": [1, 2, 3, 4, 6, 8, 12, 16],
    "columns": [16, 32, 64, 128],
    "block_rows": [16, 32, 64],
    "block_columns": [64, 128],
}


def product(rows, columns, depth):
    """A matrix product as MLIR."""
    a, b, c = (f"tensor<{m}x{n}xf32>" for m, n in ((rows, depth), (depth, columns), (rows, columns)))
    return f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {c}
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : {c}) -> {c}
  %c = linalg.matmul ins(%a, %b : {a}, {b}) outs(%zeros : {c}) -> {c}
  return %c : {c}
}}
"""


def script():
    """The sample script of a product, with knobs where it has constants."""
    text = (SAMPLES / "matmul-schedule.mlir").read_text()
    for name, default in (("rows", 8), ("columns", 32)):
        constant = f'transform.param.constant {default} : i64 {{name = "{name}"}}'
        assert constant in text
        text = text.replace(constant, f'transform.tune.knob<"{name}"> = {default} from options = {KNOBS[name]}')
    block = "tile_sizes [64, 128] {apply_cleanup, use_forall}\n      : (!transform.any_op)"
    assert block in text
    parameters = "(!transform.any_op, !transform.param<i64>, !transform.param<i64>)"
    text = text.replace(block, f"tile_sizes [%m0, %n0] {{apply_cleanup, use_forall}}\n      : {parameters}")
    knobs = "".join(
        f'    %{value} = transform.tune.knob<"{name}"> options = {KNOBS[name]} -> !transform.param<i64>\n'
        for value, name in (("m0", "block_rows"), ("n0", "block_columns"))
    )
    first = text.index("    %rows = ")
    return text[:first] + knobs + text[first:]


def tune(folder, kernel, trials, seed, threads):
    """Tunes with so many trials: the trials as `hal-tune` writes them, and the seconds that it took."""
    file = folder / f"{kernel}-{trials}-{seed}.jsonl"
    command = ["hal-tune", "-q", f"{kernel}.mlir", "--candidate=main_dispatch_0=script.mlir", f"--budget={trials}"]
    options = [f"--seed={seed}", f"--threads={threads}", f"--trials={file}", "-o", os.devnull]
    start = time.monotonic()
    subprocess.run([*command, *options], cwd=folder, check=True)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return rows, time.monotonic() - start


def again(folder, kernel, choices, sessions, threads):
    """The median ratio of each choice, a script with its values, in so many sessions; and all of them."""
    ratios = {choice: [] for choice in choices}
    for session in range(sessions):
        # Whoever comes first in a session meets another machine than the last one.
        order = sorted(choices, key=lambda choice: hashlib.sha256(f"{session} {choice}".encode()).digest())
        candidates = [{"id": choice, "script": choice} for choice in order]
        request = {"request": "try", "executable": "main_dispatch_0", "candidates": candidates}
        command = ["hal-tune", "-q", "--serve", f"{kernel}.mlir", "-o", os.devnull, f"--threads={threads}"]
        done = subprocess.run(
            command, cwd=folder, check=True, input=json.dumps(request) + "\n", stdout=subprocess.PIPE, text=True
        )
        for trial in json.loads(done.stdout)["trials"]:
            if trial["outcome"] == "measured":
                ratios[trial["id"]].append(trial["ratio"])
    return {choice: statistics.median(found) for choice, found in ratios.items() if found}, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="the file for all trials")
    parser.add_argument("--kernel", choices=KERNELS, action="append", help="only this one; repeatable")
    parser.add_argument("--seeds", type=int, default=5, help="how many short searches")
    parser.add_argument("--sessions", type=int, default=9, help="how often the best ones are measured again")
    parser.add_argument("--share", type=float, default=0.05, help="which part of the trials a short search has")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--note", default="", help="what else ran on the machine")
    args = parser.parse_args()
    size = math.prod(len(values) for values in KNOBS.values())
    short = max(1, round(size * args.share))
    runs = []
    print(f"{size} choices, {short} trials a search")
    print("kernel   trials/s  best  of best: median, worst")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "script.mlir").write_text(script())
        for kernel in args.kernel or KERNELS:
            (folder / "model.mlir").write_text(product(*KERNELS[kernel]))
            subprocess.run(["hal-import", "model.mlir", "-o", f"{kernel}.mlir"], cwd=folder, check=True)
            everything, seconds = tune(folder, kernel, size, 0, args.threads)
            ratio = {row["candidate"]: row["ratio"] for row in everything if row["outcome"] == "measured"}
            # Choices with one code have one time.
            for row in everything:
                if row["outcome"] == "same-code" and row["as"] in ratio:
                    ratio[row["candidate"]] = ratio[row["as"]]
            chosen = {}
            for seed in range(1, args.seeds + 1):
                found, _ = tune(folder, kernel, short, seed, args.threads)
                measured = [row for row in found if row["kind"] == "script" and row["outcome"] == "measured"]
                chosen[seed] = min(measured, key=lambda row: row["ratio"])["candidate"]
                runs.append({"kernel": kernel, "seed": seed, "trials": found})
            first = sorted(ratio, key=ratio.get)[:5]
            medians, samples = again(folder, kernel, sorted({*first, *chosen.values()}), args.sessions, args.threads)
            best = min(medians[choice] for choice in first if choice in medians)
            reached = [best / medians[choice] for choice in chosen.values()]
            runs.append({"kernel": kernel, "chosen": chosen, "first": first, "again": samples, "reached": reached})
            rate = len(everything) / seconds
            runs.append({"kernel": kernel, "seed": None, "seconds": seconds, "trials": everything})
            middle, worst = statistics.median(reached), min(reached)
            print(f"{kernel:8} {rate:8.1f} {best:5.3f} {middle:7.1%} {worst:7.1%}", flush=True)
    head = {"note": args.note, "load": os.getloadavg(), "knobs": KNOBS, "short": short}
    args.output.write_text(json.dumps({**head, "runs": runs}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
