"""Runs hal-import and hal-translate, and takes kernels out of what they write."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass

from sides import SideError

# A tool that runs longer than this has failed, in seconds.
TIMEOUT = 600
EXECUTABLE = re.compile(r'^ *module @("[^"]*"|[\w$.-]+)\s+attributes\s*\{[^{}\n]*hal\.executable', re.M)
VARIANT = re.compile(r'^    module @("[^"]*"|[\w$.-]+) attributes \{.*hal\.variant')
RESOURCE = re.compile(r'^      ("[^"]*"|[^\s:]+): "0x([0-9A-Fa-f]*)"')
# The alignment that stands before the bytes of a resource, in hexadecimal digits.
ALIGNMENT = 8


@dataclass
class Kernel:
    """The code of an executable for a target."""

    # What the program says of it: features, grids, sizes of workgroups; not known where others of the program are refused.
    declaration: str | None
    # `elf`, `spirv`, `ptx`.
    format: str
    code: bytes

    def record(self):
        """What is compared, as JSON."""
        digest = lambda data: hashlib.sha256(data).hexdigest()[:32]
        declaration = None if self.declaration is None else digest(self.declaration.encode())
        return {"declaration": declaration, "code": digest(self.code), "bytes": len(self.code)}


class Refused(Exception):
    """A tool ended with an error."""


def run(side, tool, words, folder):
    """Runs a tool; raises what it said if it refuses. What depends on the machine is no result: it ends all."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("HALYARD_") and k != "MAKEFLAGS"}
    env["HALYARD_CACHE"] = "off"
    command = [side.tool(tool), "--message-format=short", "-qq", *words]
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise SideError(f"`{' '.join(command)}` ran longer than {TIMEOUT} s") from None
    if done.returncode == -signal.SIGKILL:
        raise SideError(f"`{' '.join(command)}` was killed: try fewer --jobs")
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        error = next((line for line in lines if "error" in line), lines[0] if lines else "no message")
        raise Refused(f"exit code {done.returncode}: {re.sub(r'^.*?(?=error)', '', error)}")


def imported(side, path, folder):
    """What hal-import makes of a model, with a hash of the weights that it stores beside it; as JSON."""
    try:
        run(side, "hal-import", [path, "-o", "program.mlir"], folder)
        with open(os.path.join(folder, "program.mlir"), encoding="utf-8") as f:
            result = {"text": f.read()}
        weights = os.path.join(folder, "program.safetensors")
        if os.path.exists(weights):
            with open(weights, "rb") as f:
                result["weights"] = hashlib.file_digest(f, "sha256").hexdigest()
        return result
    except Refused as e:
        return {"refused": str(e)}
    finally:
        shutil.rmtree(folder)


def flags(target):
    """What hal-translate is given for a target of the corpus, which may have flags behind its name."""
    name, *more = target.split()
    return [f"--target={name}", *more]


def translated(side, text, target, folder):
    """The kernels of a program for a target, or why there are none: {executable: Kernel or Refused}."""
    source, output = os.path.join(folder, "program.mlir"), os.path.join(folder, "objects.mlir")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    try:
        words = [*flags(target), "-j1", "--strip-source", "-o", output, "program.mlir"]
        run(side, "hal-translate", words, folder)
        with open(output, encoding="utf-8") as f:
            return parsed(f.read())
    except Refused as e:
        names = EXECUTABLE.findall(text) or [""]
        return {name: alone(side, name, target, folder) for name in names} if len(names) > 1 else {names[0]: e}
    finally:
        shutil.rmtree(folder)


def alone(side, name, target, folder):
    """The code of one executable of a program of which others are refused."""
    output = os.path.join(folder, "object")
    executable = name.strip('"')
    words = [*flags(target), "--emit=obj", f"--executable={executable}", "-o", output, "program.mlir"]
    try:
        run(side, "hal-translate", words, folder)
    except Refused as e:
        return e
    with open(output, "rb") as f:
        return Kernel(None, {"cpu": "elf", "vulkan": "spirv", "cuda": "ptx"}[target.split(":")[0]], f.read())


def parsed(text):
    """Takes the variants of all executables out of a program with objects."""
    found, resources = {}, {}
    executable, variant = "", None
    for line in text.splitlines():
        if match := RESOURCE.match(line):
            resources[match[1]] = bytes.fromhex(match[2][ALIGNMENT:])
        elif variant is not None:
            variant.append(line)
            if line == "    }":
                variant = None
        elif match := VARIANT.match(line):
            # Variants that the program brings along count as parts of the kernel.
            variant = found.setdefault(executable, [])
            variant.append(line)
        elif match := EXECUTABLE.match(line):
            executable = match[1]
    return {name: kernel("\n".join(lines), resources) for name, lines in found.items()}


def kernel(declaration, resources):
    """A variant with the bytes of its objects."""
    names = re.findall(r'dense_resource<("[^"]*"|[^>]*)>', declaration)
    form = re.search(r'format = "(\w+)"', declaration)
    # The hash of the code is compared as the code itself.
    declaration = re.sub(r'hash = "\w*"', "hash", declaration)
    return Kernel(declaration, form[1] if form else "", b"".join(resources.get(n, b"") for n in names))
