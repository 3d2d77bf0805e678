# RUN: rm -rf %t && %python %s --count=40 --folder=%t
# REQUIRES: onnx
"""Mutated inputs through every tool: bytes flipped, lines dropped, doubled and swapped, attributes removed, names exchanged
in real programs of every phase. No tool may crash, hang or end with an exit code that means something else.

By hand: `mutated-inputs.py --count=500 --seed=1 --folder=mutated` (inputs that went wrong stay there).
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
MLP = os.path.join(HERE, "..", "pipelines", "Inputs", "mlp.mlir")
SIMPLE = os.path.join(
    os.path.dirname(onnx.__file__), "backend", "test", "data", "pytorch-converted", "test_Conv2d_groups", "model.onnx"
)
# Seconds; a tool takes less than one.
LIMIT = 60
# 0: taken. 1: refused. 3: a file that it names cannot be read. 4: the code generator failed on one executable, and it said which.
ALLOWED = {0, 1, 3, 4}


def tools(kind):
    """The commands that a kind of input goes to; IN and OUT stand for paths."""
    if kind == "linked":
        return [["hal-run", "IN", "--list"], ["hal-run", "IN", "--function=main", "--input=random:1", "--input=random:2"],
                ["hal-benchmark", "IN", "--function=main", "--input=random:1", "--input=random:2", "--min-time=0", "--runs=1"],
                ["hal-opt", "IN"], ["hal-link", "IN", "-o", "OUT.so"]]  # fmt: skip
    return [["hal-import", "IN", "--weights-to=embed", "-o", "OUT"], ["hal-opt", "IN", "-o", "OUT"],
            ["hal-opt", "IN", "--stage=canonicalize,cse", "-o", "OUT"], ["hal-translate", "IN", "-o", "OUT"],
            ["hal-extract", "IN", "--to=OUT.d", "--as=mlir,c", "-o", "OUT"],
            ["hal-substitute", "IN", "--from=EMPTY", "--allow-unmatched", "-o", "OUT"],
            ["hal-link", "IN", "-o", "OUT.so"], ["hal-compile", "IN", "-o", "OUT.so"], ["hal-run", "IN", "--list"]]  # fmt: skip


def seeds(folder):
    """Real inputs by kind."""

    def make(name, *command):
        path = os.path.join(folder, name)
        subprocess.run([*command, "-o", path], check=True, cwd=folder)
        with open(path, "rb") as f:
            return f.read()

    with open(MLP, "rb") as f:
        found = {"model": f.read()}
    with open(SIMPLE, "rb") as f:
        found["onnx"] = f.read()
    found["input"] = make("input.mlir", "hal-import", MLP, "--to=input", "--weights-to=embed")
    found["executables"] = make("executables.mlir", "hal-import", MLP, "--weights-to=embed")
    found["convolution"] = make("convolution.mlir", "hal-import", SIMPLE, "--weights-to=embed")
    found["bytecode"] = make("executables.mlirbc", "hal-import", MLP, "--weights-to=embed")
    found["objects"] = make("objects.mlir", "hal-translate", "executables.mlir")
    found["object bytecode"] = make("objects.mlirbc", "hal-translate", "executables.mlir")
    found["linked"] = make("linked.so", "hal-link", "objects.mlir")
    return found


def is_text(data):
    return not (data.startswith(b"ML\xefR") or data.startswith(b"\x7fELF") or b"\0" in data[:200])


def mutate(data, rng):
    """One to three changes; says which."""
    said = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kinds = ["flip", "noise", "cut", "double"]
        if is_text(data):
            kinds += [
                "drop line",
                "double line",
                "swap lines",
                "drop attribute",
                "swap names",
                "number",
                "type",
                "operation",
            ] * 3
        kind = rng.choice(kinds)
        new = change(kind, data, rng)
        if new is not None and new != data:
            data = new
            said.append(kind)
    return data, ", ".join(said)


def change(kind, data, rng):
    if not data:
        return None
    # Blobs of weights are most of a text; changes belong where the program is.
    end = data.find(b"{-#") if is_text(data) and data.find(b"{-#") > 0 else len(data)
    at = rng.randrange(end)
    if kind == "flip":
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if kind == "noise":
        return data[:at] + rng.randbytes(rng.randint(1, 16)) + data[at + rng.randint(0, 16) :]
    if kind == "cut":
        return data[:at] if rng.random() < 0.3 else data[:at] + data[at + rng.randint(1, 200) :]
    if kind == "double":
        return data[:at] + data[max(0, at - rng.randint(1, 200)) :]
    lines = data.split(b"\n")
    few = max(1, data[:end].count(b"\n"))
    a, b = rng.randrange(few), rng.randrange(few)
    if kind == "drop line":
        del lines[a]
    elif kind == "double line":
        lines.insert(b, lines[a])
    elif kind == "swap lines":
        lines[a], lines[b] = lines[b], lines[a]
    else:
        patterns = {
            "drop attribute": rb"(, )?hal\.[a-z_]+( = (\"[^\"\n]*\"|@[\w:@]+|[\w ]+( : i32)?))?",
            "swap names": rb"[@%][A-Za-z_]\w*",
            "number": rb"\b\d+\b",
            "operation": rb"\b(arith\.(addf|mulf|subf|divf|maximumf|minimumf)|math\.(exp|log|tanh|sqrt)|linalg\.(fill|matmul|generic|softmax|add))\b",
            "type": rb"\b(f32|f64|f16|bf16|i1|i8|i32|i64|index)\b",
        }
        found = [m for m in re.finditer(patterns[kind], data[:end])]
        if not found:
            return None
        m = rng.choice(found)
        new = {"drop attribute": b"", "swap names": rng.choice(found).group(), "operation": rng.choice(found).group(), "number": rng.choice([b"0", b"1", b"7", b"-1", b"9223372036854775807", b"4294967296"]),
               "type": rng.choice([b"f32", b"f64", b"f16", b"i1", b"i64", b"index", b"i7", b"tensor<2xf32>", b"none"])}[kind]  # fmt: skip
        return data[: m.start()] + new + data[m.end() :]
    return b"\n".join(lines)


def attempt(command, place):
    """What is wrong with a run, or nothing; and its exit code."""
    begun = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=place,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"hangs (more than {LIMIT} s)", None
    err = err.decode(errors="replace")
    code = process.returncode
    if code not in ALLOWED:
        return f"exit code {code} after {time.monotonic() - begun:.1f} s: {err[-700:]}", code
    if code and not re.search(r"(?m)^error", err):
        return f"exit code {code} without an error: {err[-300:]}", code
    if "panicked" in err:
        return f"panic: {err[-700:]}", code
    return None, code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(os.path.join(args.folder, "empty"), exist_ok=True)
    given = list(seeds(args.folder).items())
    codes = {}

    def work(i):
        rng = random.Random(f"{args.seed} {i}")
        kind, data = given[i % len(given)]
        data, said = mutate(data, rng)
        place = os.path.join(args.folder, f"{args.seed}-{i}")
        os.makedirs(place)
        path = os.path.join(place, "in")
        with open(path, "wb") as f:
            f.write(data)
        wrong = []
        for command in tools(kind):
            words = [w.replace("EMPTY", os.path.join(args.folder, "empty")) for w in command]
            words = [path if w == "IN" else w.replace("OUT", os.path.join(place, "out")) for w in words]
            what, code = attempt(words, place)
            codes[code] = codes.get(code, 0) + 1
            if what:
                wrong.append(f"{' '.join(words)}\n  ({kind}: {said})\n  {what}")
        if not wrong:
            shutil.rmtree(place)
        return wrong

    with ThreadPoolExecutor(args.jobs) as pool:
        wrong = [w for list_ in pool.map(work, range(args.count)) for w in list_]
    print(
        f"{args.count} mutated inputs, exit codes:", ", ".join(f"{c}: {n}" for c, n in sorted(codes.items(), key=str))
    )
    print("\n".join(wrong) or "no crash, no hang, no wrong exit code")
    sys.exit(bool(wrong))


main()
