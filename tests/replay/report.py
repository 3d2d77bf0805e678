"""Collects what differs, and says it."""

import difflib
import itertools
import os
import shutil
import subprocess
import tempfile
import threading

from kernels import Kernel, translated
from sides import SideError

LLVM = os.path.join(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"), "bin")
DISASSEMBLERS = {
    "elf": [
        os.path.join(LLVM, "llvm-objdump"),
        "-dr",
        "--no-show-raw-insn",
        "--no-leading-addr",
        "--symbolize-operands",
    ],
    "spirv": ["spirv-dis", "--no-header"],
}
# What shows that data differ, where the instructions are the same.
DATA = {"elf": [os.path.join(LLVM, "llvm-readelf"), "-SWs", "-x.rodata", "-x.data"]}
# Lines of a diff that are printed; all are in the files.
SHOWN = 200


class Report:
    """What both sides made of all programs."""

    def __init__(self, old, new, folder):
        self.old, self.new, self.folder = old, new, folder
        self.lock = threading.Lock()
        self.kernels = self.refused = self.programs = self.imports = 0
        self.targets, self.changed, self.changed_imports = set(), [], []

    def imported(self, program, before, after):
        """Compares what hal-import wrote; messages of refusals may differ."""
        bare = lambda r: {**r, "refused": True} if "refused" in r else r
        with self.lock:
            self.imports += "refused" not in before or "refused" not in after
            if bare(before) != bare(after):
                self.changed_imports.append((program, before, after))

    def translated(self, program, target, text, before, after):
        """Compares kernels; a kernel that one side refuses differs."""
        names = list(dict.fromkeys([*before, *after]))
        missing = {"refused": "not there"}
        with self.lock:
            self.programs += 1
            self.targets.add(target)
            for name in names:
                one, other = before.get(name, missing), after.get(name, missing)
                both_refused = "refused" in one and "refused" in other
                self.refused += both_refused
                self.kernels += not both_refused
                if not both_refused and not same(one, other):
                    self.changed.append((program, target, text, name, one, other))

    def finish(self, everything):
        """Prints all that differs, and the result; returns the exit code."""
        shutil.rmtree(self.folder, ignore_errors=True)
        order = lambda c: (c[0].name, c[1], c[3])
        shown = 0
        for change in sorted(self.changed, key=order):
            program, target, _, name, before, after = change
            print(f"{program.name}: {name or 'the program'} for {target}: {difference(before, after)}")
            if (everything or not shown) and "code" in before and "code" in after:
                try:
                    self.show(shown, change)
                except SideError as e:
                    print(f"    ({e})")
                shown += 1
        for count, change in enumerate(sorted(self.changed_imports, key=lambda c: c[0].name)):
            program, before, after = change
            print(f"{program.name}: hal-import: {import_difference(before, after)}")
            if (everything or count == 0) and "text" in before and "text" in after:
                print(lines_of(diff(before["text"], after["text"], self.old.name, self.new.name)))
        if shown:
            print(f"code of both sides, and its assembly: {os.path.relpath(self.folder)}")
        against = f"{self.new.name} against {self.old.name}"
        refused = f", {self.refused} refused on both sides" if self.refused else ""
        print(
            f"{len(self.changed)} of {self.kernels} kernels changed ({against}; {', '.join(sorted(self.targets))}{refused})"
        )
        if self.imports:
            print(f"{len(self.changed_imports)} of {self.imports} models changed by hal-import")
        if not self.kernels and not self.changed_imports:
            print("nothing was compared: both sides refuse all programs")
        return int(bool(self.changed or self.changed_imports or not self.kernels))

    def show(self, count, change):
        """Prints a diff of the assembly of a kernel, and leaves code and assembly of both sides in files."""
        program, target, text, name, _, _ = change
        folder = os.path.join(self.folder, f"{count:04}")
        os.makedirs(folder)
        kernels = {}
        for key, side in [("old", self.old), ("new", self.new)]:
            made = translated(side, text, target, tempfile.mkdtemp(dir=folder)).get(name)
            if not isinstance(made, Kernel):
                return
            path = os.path.join(folder, key)
            with open(path, "wb") as f:
                f.write(made.code)
            kernels[key] = (made, path)
        (old, old_path), (new, new_path) = kernels["old"], kernels["new"]
        found = []
        if old.declaration is not None and new.declaration is not None:
            found = diff(old.declaration, new.declaration, self.old.name, self.new.name)
        for commands in [DISASSEMBLERS, DATA]:
            if old.code != new.code and not any(line.startswith("@@") for line in found):
                found += diff(
                    disassembled(old, old_path, commands),
                    disassembled(new, new_path, commands),
                    self.old.name,
                    self.new.name,
                )
        print(lines_of(found) if found else "    (instructions and data are the same, other bytes differ)")


def same(before, after):
    """Whether two kernels are the same, as far as both sides know them."""
    known = [k for k in before if k in after and None not in (before[k], after[k])]
    return ("refused" in before) == ("refused" in after) and all(before[k] == after[k] for k in known)


def difference(before, after):
    """What differs between two kernels, in words."""
    for one, side in [(after, "now"), (before, "before")]:
        if "refused" in one:
            return f"refused {side}: {one['refused']}"
    if before["code"] == after["code"]:
        return "the same code with another declaration"
    return f"other code, {before['bytes']} → {after['bytes']} bytes"


def import_difference(before, after):
    """What differs between two imports, in words."""
    for one, side in [(after, "now"), (before, "before")]:
        if "refused" in one:
            return f"refused {side}: {one['refused']}"
    return "another program" if before["text"] != after["text"] else "other weights"


def disassembled(kernel, path, commands):
    """The code of a kernel as text, which is kept beside the code."""
    if kernel.format == "ptx":
        text = kernel.code.decode(errors="replace")
    elif kernel.format in commands:
        try:
            done = subprocess.run(
                [*commands[kernel.format], path], capture_output=True, text=True, errors="replace", check=False
            )
        except FileNotFoundError as e:
            raise SideError(f"no {e.filename} to show what differs") from None
        # The name of the file is another one on each side.
        text = (done.stdout + done.stderr).replace(path, "object")
    else:
        return ""
    with open(path + ".s", "w", encoding="utf-8") as f:
        f.write(text)
    return text


def diff(before, after, old, new):
    """The lines of a unified diff."""
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), old, new, lineterm=""))


def lines_of(found):
    """As much of a diff as one reads, indented."""
    shown = [f"    {line}" for line in itertools.islice(found, SHOWN)]
    if len(found) > SHOWN:
        shown.append(f"    … and {len(found) - SHOWN} lines more")
    return "\n".join(shown)
