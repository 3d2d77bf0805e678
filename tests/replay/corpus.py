"""The programs that are replayed: models of tests/models and of the onnx wheel, cases of tests/numerics, tests in MLIR."""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zlib
from dataclasses import dataclass

from sides import SideError

# What `--target` of hal-translate is given for each family, one for each machine that kernels have another form for.
TARGETS = {
    "cpu": ["cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:neoverse-n1@aarch64-linux-gnu"],
    "vulkan": ["vulkan"],
    "cuda": ["cuda:sm_80"],
}
# What some programs are translated for beside that: instructions and choices that the others lack.
EXTRA = {
    "cpu": ["cpu:sapphirerapids --fast-math"],
    "vulkan": [],
    "cuda": ["cuda:sm_90 --fast-math=tf32"],
}
# Of so many programs one.
EXTRA_SHARE = 8
# Models of the wheel that stand for all of them.
LIGHT = ["shufflenet", "squeezenet"]


@dataclass
class Program:
    """A model or program in a file, and what it is translated for."""

    name: str
    path: str
    # Each with the flags of hal-translate that belong to it.
    targets: list
    # Whether it has executables already; otherwise hal-import makes them.
    translated: bool


def has_executables(path):
    """Whether a file is a program in phase `executables`."""
    if not path.endswith(".mlir"):
        return False
    with open(path, encoding="utf-8", errors="replace") as f:
        return re.search(r'hal\.phase\s*=\s*"executables"', f.read()) is not None


def program(name, path, families, everywhere):
    """A program for all targets, or for one or two of them: which depends on its name alone, so that all get their share."""
    targets = [t for family in families for t in TARGETS[family]]
    extra = [t for family in families for t in EXTRA[family]]
    if not everywhere:
        number = zlib.crc32(name.encode())
        targets = [targets[number % len(targets)]]
        extra = extra if number // 1000 % EXTRA_SHARE == 0 else []
    return Program(name, path, targets + extra, has_executables(path))


def from_files(paths, families):
    """Programs that the command line names."""
    for path in paths:
        if not os.path.isfile(path):
            raise SideError(f"no file {path}")
    return [program(os.path.basename(p), os.path.abspath(p), families, True) for p in paths]


def programs(top, work, families, full):
    """All programs: small ones for one target each, some larger ones for all of them; with `full` more, and for all."""
    folder = written(top, work, full)
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*", "*"))):
        group, file = path.split(os.sep)[-2:]
        found.append(program(f"{group}/{os.path.splitext(file)[0]}", path, families, full))
    data = glob.glob(os.path.join(top, ".venv/lib/python*/site-packages/onnx/backend/test/data/light/light_*.onnx"))
    for path in sorted(data):
        name = os.path.basename(path).removeprefix("light_").removesuffix(".onnx")
        if full or name in LIGHT:
            found.append(program(f"light/{name}", path, families, True))
    names = subprocess.run(
        ["git", "-C", top, "ls-files", "tests/*.mlir"], stdout=subprocess.PIPE, text=True, check=True
    )
    for name in names.stdout.split():
        path = os.path.join(top, name)
        if os.path.exists(path):
            found.append(program(name, path, families, full))
    return found


def written(top, work, full):
    """The folder with models that scripts of the tree write; they are written again if the scripts change."""
    sources = ["tests/models/*.py", "tests/numerics/*.py", "tests/replay/write_programs.py"]
    files = sorted(f for pattern in sources for f in glob.glob(os.path.join(top, pattern)))
    key = hashlib.sha256(str(full).encode())
    for path in files:
        with open(path, "rb") as f:
            key.update(f.read())
    folder = os.path.join(work, "programs", key.hexdigest()[:20])
    if os.path.isdir(folder):
        return folder
    # Those of other versions of the scripts are large, and quickly written again.
    shutil.rmtree(os.path.dirname(folder), ignore_errors=True)
    python = os.path.join(top, ".venv", "bin", "python")
    if not os.path.exists(python):
        raise SideError("no .venv with numpy and onnx: run scripts/setup")
    print("replay: writing programs", file=sys.stderr)
    command = [python, os.path.join(top, "tests", "replay", "write_programs.py"), folder + ".new", *["--full"] * full]
    if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
        raise SideError("tests/replay/write_programs.py failed")
    os.rename(folder + ".new", folder)
    return folder
