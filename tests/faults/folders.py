#!/usr/bin/env python3
"""Folders that cannot be written, or are gone: of outputs, scratch, the cache, HOME, and the working directory.

    PATH=$PWD/target/debug:$PATH tests/faults/folders.py

Root may write anywhere, so read-only folders are read-only mounts for it; without mounts, calls fail with EROFS and EACCES.
"""

import contextlib
import os
import shutil
import subprocess

import harness

WHY = "no such file|not a directory|read-only|permission denied|cannot"
# What each tool writes to TMPDIR only sometimes, so success is right, too.
GONE = "/nowhere/at/all"


@contextlib.contextmanager
def read_only(folder):
    """A folder that nobody can write to."""
    os.makedirs(folder, exist_ok=True)
    if os.geteuid() != 0:
        os.chmod(folder, 0o555)
        yield True
        os.chmod(folder, 0o755)
        return
    made = subprocess.run(["mount", "--bind", folder, folder], stderr=subprocess.DEVNULL).returncode == 0
    made = made and subprocess.run(["mount", "-o", "remount,bind,ro", folder]).returncode == 0
    try:
        yield made
    finally:
        if made:
            subprocess.run(["umount", folder])


def vanish(bench):
    """Makes the working directory of the child one that is gone."""

    def before():
        os.mkdir(bench.at("gone"))
        os.chdir(bench.at("gone"))
        os.rmdir(bench.at("gone"))

    return before


def main():
    args = harness.parser(__doc__).parse_args()
    bench = harness.Bench(args.only)
    for tool in bench.tools:
        variables = {
            "no HOME": {"HOME": None},
            "a HOME that is gone": {"HOME": GONE},
            "a cache that is gone": {"HALYARD_CACHE": "/proc/nowhere"},
            "a relative TMPDIR that is gone": {"TMPDIR": "nowhere"},
            "a TMPDIR that is gone": {"TMPDIR": GONE},
            "a TMPDIR that is a file": {"TMPDIR": bench.at("in", "m.mlir")},
        }
        for name, env in variables.items():
            bench.reset(tool)
            bench.judge(tool, bench.run(tool, env=env), name, says=WHY)
        for folder in ["out", "tmp", "cache", "home"]:
            bench.reset(tool)
            with read_only(bench.at(folder)) as made:
                if made:
                    bench.judge(tool, bench.run(tool), f"`{folder}` is read-only", says=WHY, again=False)
        for error in ["EROFS", "EACCES"]:
            bench.reset(tool)
            fault = f"write:{error}:1:on"
            bench.judge(tool, bench.run(tool, fault), fault, says=WHY)
        # Paths on the command line are relative, so only those that are absolute can work.
        bench.reset(tool)
        words = [word.replace("../in", bench.at("in")).replace("../cache", bench.at("cache")) for word in tool.words]
        result = bench.run(tool, before=vanish(bench), words=words)
        bench.judge(tool, result, "the working directory is gone", says=WHY, codes=(1, 2, 3, 4))
        # An output folder that goes while the tool works.
        bench.reset(tool)
        result = bench.run(tool, during=lambda _: shutil.rmtree(bench.at("tmp"), ignore_errors=True))
        os.makedirs(bench.at("tmp"), exist_ok=True)
        bench.judge(tool, result, "`TMPDIR` is removed meanwhile", says=WHY)
    bench.finish("folders", args)


if __name__ == "__main__":
    main()
