# RUN: %python %s
"""Signals, closed pipes and a killed parent leave no worker and no temporary file; slots are kept, also those of make."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
FOUR = os.path.join(here, "Inputs", "four.mlir")
wrong = []


def expect(what, holds, detail=""):
    if not holds:
        wrong.append(f"{what}: {detail}")


def left(mark):
    """Processes whose command line holds a mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read()
        except OSError:
            continue
        if mark.encode() in line and int(pid) != os.getpid():
            found.append((pid, line))
    return found


def gone(mark):
    for _ in range(100):
        if not left(mark):
            return True
        time.sleep(0.05)
    return False


def environment(crash, folder):
    return dict(os.environ, HALYARD_TEST_CRASH=crash, TMPDIR=folder)


def signals(folder):
    for tool in ["hal-translate", "hal-compile"]:
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]:
            out = os.path.join(folder, "signal.so")
            child = subprocess.Popen(
                [tool, FOUR, "-j2", "-o", out, "--executable-timeout=30s"],
                env=environment("*:hang", folder),
                stderr=subprocess.PIPE,
                start_new_session=True,
                # A shell starts what runs in the background with Ctrl-C ignored.
                preexec_fn=lambda: [
                    signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
                ],
            )
            # The parent and its two workers, twice: what becomes the linker has the command line of its parent for a moment.
            seen = 0
            for _ in range(1500):
                seen = seen + 1 if len(left(out)) >= 3 else 0
                if seen == 2:
                    break
                time.sleep(0.02)
            expect(f"{tool} {number.name}", seen == 2, "no workers")
            # To the parent alone; then, as a terminal does it, to all of the group.
            (os.killpg if number == signal.SIGINT else os.kill)(child.pid, number)
            try:
                _, said = child.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                _, said = child.communicate()
            expect(f"{tool} {number.name}", child.returncode == -number, f"exit code {child.returncode}")
            expect(f"{tool} {number.name}", not said, said)
            expect(f"{tool} {number.name}", gone(out), f"left: {left(out)}")
            files = [f for f in os.listdir(folder) if number != signal.SIGKILL]
            expect(f"{tool} {number.name}", not files, f"left: {files}")
            for f in os.listdir(folder):
                subprocess.run(["rm", "-r", os.path.join(folder, f)], check=True)


def closed_pipe(folder):
    mark = f"--reproducers-to={folder}/closed"
    done = subprocess.run(
        ["sh", "-c", f"hal-translate {FOUR} {mark}; echo $? >&2"], stdout=closed(), stderr=subprocess.PIPE, check=False
    )
    expect("closed pipe", done.stderr == b"0\n", done.stderr)
    expect("closed pipe", gone(mark), left(mark))


def closed():
    read, write = os.pipe()
    os.close(read)
    return write


def most(text):
    """How many were busy at once, of what `slow` said."""
    spans = [tuple(map(int, m)) for m in re.findall(r"busy from (\d+) to (\d+)", text)]
    events = sorted([(a, 1) for a, _ in spans] + [(b, -1) for _, b in spans])
    now = peak = 0
    for _, step in events:
        now += step
        peak = max(peak, now)
    return len(spans), peak


def slots(folder):
    for jobs in [1, 2, 3]:
        command = ["hal-translate", FOUR, f"-j{jobs}", "-o", "/dev/null"]
        done = subprocess.run(command, env=environment("*:slow", folder), capture_output=True, text=True, check=True)
        expect(f"-j{jobs}", most(done.stderr) == (4, jobs), f"{most(done.stderr)} {done.stderr}")
    makefile = os.path.join(folder, "Makefile")
    with open(makefile, "w", encoding="utf-8") as f:
        f.write(f"all: a b\na b:\n\t+hal-translate {FOUR} -o /dev/null\nhidden:\n\thal-translate {FOUR} -o /dev/null\n")
    env = environment("*:slow", folder)
    env.pop("MAKEFLAGS", None)
    done = subprocess.run(["make", "-j3", "-f", makefile, "all"], env=env, capture_output=True, text=True, check=True)
    count, peak = most(done.stderr)
    expect("make -j3", count == 8 and 2 <= peak <= 3, f"{count} executables, {peak} at once")
    done = subprocess.run(
        ["make", "-j3", "-f", makefile, "hidden"], env=env, capture_output=True, text=True, check=True
    )
    expect("make without +", most(done.stderr) == (4, 1), f"{most(done.stderr)}")
    os.remove(makefile)


def chatter(folder):
    done = subprocess.run(
        ["hal-translate", FOUR], env=environment("e_two:chatter", folder), capture_output=True, text=True, check=True
    )
    plain = subprocess.run(["hal-translate", FOUR], capture_output=True, text=True, check=True)
    expect("chatter", done.stdout == plain.stdout, "it went into the output")
    words = "executable `@e_two` for "
    expect("chatter", words in done.stderr and "to standard output\nto standard error" in done.stderr, done.stderr)


def no_process(_):
    """A system that gives no process: an error of the environment."""
    # Limits do not bind root.
    other = ["setpriv", "--reuid=65534", "--clear-groups"] if os.getuid() == 0 else []
    command = [*other, "prlimit", "--nproc=0:0", shutil.which("hal-translate")]
    if (
        not all(map(shutil.which, [command[0], "prlimit"]))
        or subprocess.run([*other, "test", "-r", FOUR], check=False).returncode != 0
    ):
        print("nothing takes processes away here")
        return
    done = subprocess.run([*command, FOUR], capture_output=True, text=True, cwd="/", check=False)
    expect(
        "no process",
        done.returncode == 3 and "no worker process could be started" in done.stderr,
        f"{done.returncode} {done.stderr}",
    )


def main():
    for test in [signals, closed_pipe, slots, chatter, no_process]:
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    print("\n".join(wrong) or "nothing is left")
    sys.exit(bool(wrong))


main()
