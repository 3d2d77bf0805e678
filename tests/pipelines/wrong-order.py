# RUN: %python %s %S/Inputs/mlp.mlir %t
"""Every tool, fed with what every other tool writes: either it is the right order, or a clear error with exit code 1."""

import os
import subprocess
import sys

source, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
wrong = []


def run(command, data=None):
    return subprocess.run(command, input=data, capture_output=True, cwd=folder, check=False)


def good(command, data=None):
    done = run(command, data)
    assert done.returncode == 0, (command, done.stderr.decode())
    return done.stdout


with open(source, "rb") as f:
    model = f.read()
outputs = {
    "the model": model,
    "hal-import --to=input": good(["hal-import", "--to=input"], model),
    "hal-import": good(["hal-import"], model),
}
outputs["hal-translate"] = good(["hal-translate"], outputs["hal-import"])
good(["hal-link", "-o", "p.so"], outputs["hal-translate"])
with open(os.path.join(folder, "p.so"), "rb") as f:
    outputs["hal-link"] = f.read()
outputs["nothing"] = b""
outputs["text"] = b"this is no MLIR\n"
outputs["zeros"] = bytes(4096)
outputs["half"] = outputs["hal-import"][: len(outputs["hal-import"]) // 2]

TOOLS = {"hal-import": ["hal-import"], "hal-translate": ["hal-translate"], "hal-link": ["hal-link", "-o", "out.so"], "hal-opt": ["hal-opt"]}
# Which outputs a tool takes. hal-import and hal-translate may take what is done already and pass it on.
TAKES = {"hal-import": {"the model", "hal-import --to=input"}, "hal-translate": {"hal-import"}, "hal-link": {"hal-translate"},
         "hal-opt": {"the model", "hal-import --to=input", "hal-import", "hal-translate"}}  # fmt: skip
MAY_TAKE = {"hal-import": {"hal-import", "hal-translate"}, "hal-translate": {"hal-translate"}}

for tool, command in TOOLS.items():
    for name, data in outputs.items():
        done = run(command, data)
        error = done.stderr.decode(errors="replace")
        if os.path.exists(os.path.join(folder, "out.so")):
            os.remove(os.path.join(folder, "out.so"))
            wrong += [f"{name} | {tool}: left an output"] if done.returncode else []
        if name in TAKES[tool]:
            if done.returncode:
                wrong.append(f"{name} | {tool}: exit code {done.returncode}: {error}")
            continue
        if name in MAY_TAKE.get(tool, ()) and done.returncode == 0:
            continue
        if done.returncode != 1:
            wrong.append(f"{name} | {tool}: exit code {done.returncode}, not 1: {error[:300]}")
        elif not error.startswith("error") or "panic" in error:
            wrong.append(f"{name} | {tool}: unclear: {error[:300]}")
        elif done.stdout:
            wrong.append(f"{name} | {tool}: wrote {len(done.stdout)} bytes although it failed")
        elif name in ("the model", "hal-import", "hal-import --to=input") and "hal-" not in error:
            wrong.append(f"{name} | {tool}: does not say which tool is missing: {error[:300]}")

# hal-run takes files; everything but a program is refused.
for name, data in outputs.items():
    path = os.path.join(folder, "input")
    with open(path, "wb") as f:
        f.write(data)
    done = run(["hal-run", path, "--list"])
    if name != "hal-link" and (done.returncode != 1 or "error" not in done.stderr.decode(errors="replace")):
        wrong.append(f"hal-run on {name}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")

print("\n".join(wrong) or "all refused clearly")
sys.exit(bool(wrong))
