"""How many preprocessors run at once, under `-j` and under make. Prints a line for each case; fails if one is wrong."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
watched = f"{sys.executable} {here}/watched.py"
failures = []


def most_at_once(log):
    running = most = calls = 0
    for line in open(log):
        running += 1 if line.startswith("+") else -1
        most = max(most, running)
        calls += line.startswith("+")
    return most, calls


def check(name, ok, words):
    print(f"{name:60} {'ok' if ok else 'WRONG'}  {words}")
    if not ok:
        failures.append(name)


def program(folder, count):
    path = os.path.join(folder, f"{count}.mlir")
    with open(path, "w") as file:
        subprocess.run([sys.executable, f"{here}/many.py", str(count)], stdout=file, check=True)
    return path


def run(words, **options):
    environment = dict(os.environ, **options.pop("env", {}))
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, **options)


def jobs(folder):
    log = os.path.join(folder, "jobs.log")
    done = run(
        [
            "hal-opt",
            program(folder, 64),
            f"--preprocess-executables-with={watched} {log} 0.02",
            "-j2",
            "-o",
            "/dev/null",
        ]
    )
    most, calls = most_at_once(log)
    check(
        "64 executables with -j2: at most 2 at once",
        done.returncode == 0 and most == 2 and calls == 64,
        f"{most} at once, {calls} calls {done.stderr}",
    )
    log = os.path.join(folder, "one.log")
    done = run(
        ["hal-opt", program(folder, 6), f"--preprocess-executables-with={watched} {log} 0.01", "-j1", "-o", "/dev/null"]
    )
    most, calls = most_at_once(log)
    check("-j1: one at a time", done.returncode == 0 and (most, calls) == (1, 6), f"{most} at once, {calls} calls")


def sleepers(folder):
    start = time.monotonic()
    done = run(["hal-opt", program(folder, 16), "--preprocess-executables-with=sleep 1; cat", "-j8", "-o", "/dev/null"])
    seconds = time.monotonic() - start
    check("16 sleepers with -j8 take 2 sleeps, not 16", done.returncode == 0 and 2 <= seconds < 8, f"{seconds:.1f} s")


def makefile(folder, text, *flags, log):
    if os.path.exists(log):
        os.remove(log)
    with open(os.path.join(folder, "Makefile"), "w") as file:
        file.write(text)
    done = run(["make", "-C", folder, *flags])
    return done, *most_at_once(log)


def make(folder):
    if not shutil.which("make"):
        return print("make is not installed")
    log = os.path.join(folder, "make.log")
    path = program(folder, 10)
    tool = f"hal-opt {path} --preprocess-executables-with='{watched} {log} 0.05' -o /dev/null"
    # Two targets at once, and a recipe with two tools in a pipe.
    two = f"all: a b\na b:\n\t+{tool}\n"
    pipe = f"all:\n\t+{tool.replace('-o /dev/null', '')} | hal-opt --preprocess-executables-with='{watched} {log} 0.05' -o /dev/null\n"
    done, most, calls = makefile(folder, two, "-j3", log=log)
    check(
        "make -j3, two targets with a tool each: at most 3 at once",
        done.returncode == 0 and most <= 3 and calls == 20,
        f"{most} at once, {calls} calls {done.stderr}",
    )
    check("  and all slots are used", most >= 2, f"{most} at once")
    done, most, calls = makefile(folder, pipe, "-j3", log=log)
    check(
        "make -j3, a recipe with two tools in a pipe: at most 3",
        done.returncode == 0 and most <= 3 and calls == 20,
        f"{most} at once, {calls} calls {done.stderr}",
    )
    # make reserves one slot for a recipe; what a recipe starts at the same time by itself, it does not know of.
    both = f"all:\n\t+{tool} & {tool} && wait $$!\n"
    done, most, calls = makefile(folder, both, "-j3", log=log)
    check(
        "make -j3, a recipe with two tools side by side: at most 4",
        done.returncode == 0 and most <= 4 and calls == 20,
        f"{most} at once, {calls} calls {done.stderr}",
    )
    done, most, calls = makefile(folder, two.replace("+hal", "hal"), "-j3", log=log)
    told = "the job server of `make` cannot be reached" in done.stderr
    check(
        "make -j3 without `+`: one at a time in each, and told why",
        done.returncode == 0 and most <= 2 and told,
        f"{most} at once {done.stderr}",
    )


def fifo(folder):
    """The job server of make 4.4: a named pipe. Two tools have a slot each, and share two tokens."""
    log, pipe = os.path.join(folder, "fifo.log"), os.path.join(folder, "tokens")
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    os.write(held, b"ab")
    words = ["hal-opt", program(folder, 10), f"--preprocess-executables-with={watched} {log} 0.05", "-o", "/dev/null"]
    environment = dict(os.environ, MAKEFLAGS=f" -j4 --jobserver-auth=fifo:{pipe}")
    tools = [subprocess.Popen(words, env=environment) for _ in range(2)]
    codes = [tool.wait(60) for tool in tools]
    most, calls = most_at_once(log)
    check(
        "a job server with a named pipe: at most 4 at once",
        codes == [0, 0] and 3 <= most <= 4 and calls == 20,
        f"{most} at once, {calls} calls",
    )
    tokens = sorted(os.read(held, 9))
    check("  and its tokens are back", tokens == sorted(b"ab"), str(tokens))
    os.write(held, b"ab")
    for line, name in [("exit 1", "a tool that fails"), ("kill -KILL $$", "a tool that is killed")]:
        run(
            [*words[:2], f"--preprocess-executables-with={line}", "-o", "/dev/null"],
            env={"MAKEFLAGS": environment["MAKEFLAGS"]},
        )
        tokens = sorted(os.read(held, 9))
        check(f"  and after {name}", tokens == sorted(b"ab"), str(tokens))
        os.write(held, b"ab")
    tool = subprocess.Popen(
        [*words[:2], "--preprocess-executables-with=echo >&2; sleep 30", "-o", "/dev/null"], env=environment
    )
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and select.select([held], [], [], 0)[0]:
        time.sleep(0.01)
    tool.send_signal(signal.SIGTERM)
    tool.wait(20)
    tokens = sorted(os.read(held, 9))
    check(
        "  and after SIGTERM",
        tokens == sorted(b"ab") and tool.returncode == -signal.SIGTERM,
        f"{tokens} {tool.returncode}",
    )
    os.close(held)


def nested(folder):
    """A tool that is make itself shares our slots."""
    log = os.path.join(folder, "nested.log")
    with open(os.path.join(folder, "inner.mk"), "w") as file:
        targets = " ".join(f"t{i}" for i in range(4))
        file.write(f"all: {targets}\n{targets}:\n\t@{watched} {log} 0.05 </dev/null\n")
    line = f"make -s -f {folder}/inner.mk >&2; cat"
    done = run(["hal-opt", program(folder, 4), f"--preprocess-executables-with={line}", "-j3", "-o", "/dev/null"])
    most, calls = most_at_once(log)
    check(
        "tools that are make below -j3: at most 3 leaves at once",
        done.returncode == 0 and most <= 3 and calls == 16,
        f"{most} at once, {calls} calls {done.stderr}",
    )


def main():
    folder = tempfile.mkdtemp(prefix="slots-")
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CARGO_MAKEFLAGS"]:
        os.environ.pop(name, None)
    try:
        jobs(folder)
        sleepers(folder)
        make(folder)
        fifo(folder)
        if shutil.which("make"):
            nested(folder)
    finally:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
