# RUN: %python %s
"""A translation that crashes, hangs or eats memory is named; nothing is written; a reproducer shows it again; the others
are done with --keep-going; no process and no file stays. Prints a table."""

import glob
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
FOUR = os.path.join(here, "Inputs", "four.mlir")
LIMITS = ["--executable-memory=400M"]
WAYS = {
    # HALYARD_TEST_CRASH: what the error says.
    "segv": "the translation crashed with SIGSEGV (11)",
    "abort": "the translation crashed with SIGABRT (6)",
    "kill": "the translation was killed by SIGKILL (9)",
    "stack": "the translation crashed: the stack overflowed",
    "memory": "the translation ran out of memory (the limit is 419430400 bytes)",
    "hang": "the translation did not finish within 1 s and was ended",
    "panic": "the translation failed with a bug in this tool",
    "exit": "the translation ended with exit code 0 and without a result",
}
wrong = []


def workers():
    """Processes of the tools that are left."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in found.splitlines() if MARK in line and "ps -eo" not in line]


def run(tool, crash, *flags, cwd):
    env = dict(os.environ, HALYARD_TEST_CRASH=crash, TMPDIR=cwd)
    done = subprocess.run([tool, *flags], capture_output=True, text=True, env=env, cwd=cwd, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(what, holds, detail=""):
    if not holds:
        wrong.append(f"{what}: {detail}")
    return holds


def way(how, words, top):
    """One row: hal-translate and the driver, alone and with --keep-going."""
    row = [how]
    limits = [*LIMITS, "--executable-timeout=" + ("1s" if how == "hang" else "1m")]
    for tool, flags in [("hal-translate", []), ("hal-compile", ["-q"])]:
        for keep in [[], ["--keep-going"]]:
            name = f"{how} {tool} {' '.join(keep)}"
            folder = os.path.join(top, name.replace(" ", "_"))
            os.mkdir(folder)
            out = os.path.join(folder, "out.so")
            code, stdout, stderr = run(
                tool,
                f"e_two:{how},e_four:{how}",
                FOUR,
                "-o",
                out,
                "-j2",
                *flags,
                *limits,
                *keep,
                "--reproducers-to=R",
                cwd=folder,
            )
            named = [n for n in ("e_one", "e_two", "e_three", "e_four") if f": executable `@{n}` for" in stderr]
            saved = sorted(os.path.basename(p).split(".")[0] for p in glob.glob(os.path.join(folder, "R", "*")))
            good = expect(name, code == 4, f"exit code {code}: {stderr}")
            good &= expect(name, words in stderr, f"no `{words}` in {stderr}")
            good &= expect(name, not stdout and not os.path.exists(out), "something was written")
            if keep:
                good &= expect(name, named == ["e_two", "e_four"], f"{named} named: {stderr}")
                good &= expect(name, saved == ["e_four", "e_two"], f"{saved} saved")
                good &= expect(name, "more were not translated" not in stderr, stderr)
            else:
                good &= expect(name, named in (["e_two"], ["e_two", "e_four"], ["e_four"]), f"{named} named: {stderr}")
                good &= expect(name, saved == sorted(named), f"{saved} saved")
            # Nothing else is left in the folder of temporary files.
            left = [f for f in os.listdir(folder) if f not in ("R",)]
            good &= expect(name, not left, f"left: {left}")
            row.append("ok" if good else "WRONG")
            if keep and tool == "hal-translate":
                replay = os.path.join(folder, "R", os.listdir(os.path.join(folder, "R"))[0])
                files = sorted(os.listdir(replay))
                expect(
                    name,
                    files == ["executable.mlir", "replay", "said.txt", "versions.txt"],
                    f"reproducer holds {files}",
                )
                executable = os.path.basename(replay).split(".")[0]
                code, _, stderr = run(os.path.join(replay, "replay"), f"{executable}:{how}", cwd=folder)
                row.append(
                    "ok" if expect(name + " replay", code == 4 and words in stderr, f"{code} {stderr}") else "WRONG"
                )
                # Without the crash the script succeeds: it says all that is needed.
                code, _, stderr = run(os.path.join(replay, "replay"), "", cwd=folder)
                expect(name + " replay without crash", code == 0, f"{code} {stderr}")
    return row


def main():
    with tempfile.TemporaryDirectory() as top:
        global MARK
        MARK = top
        start = time.monotonic()
        with ThreadPoolExecutor(4) as pool:
            rows = list(pool.map(lambda item: way(*item, top), WAYS.items()))
        print(f"{'':8}{'translate':>12}{'replayed':>12}{'-k translate':>14}{'compile':>10}{'-k compile':>12}")
        for how, alone, kept, replayed, compiled, compiled_kept in rows:
            print(f"{how:8}{alone:>12}{replayed:>12}{kept:>14}{compiled:>10}{compiled_kept:>12}")
        expect("processes", not workers(), f"left: {workers()}")
        expect("time", time.monotonic() - start < 100, "something waited")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
