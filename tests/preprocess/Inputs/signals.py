"""A signal that ends a tool ends its children, too, whatever they do, and leaves no temporary file. Prints a line a case."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
# Each note says that a child has started; then all sleep, in every way that makes it hard to end them.
CHILDREN = {
    "plain": "echo x >>{log}; cat; sleep {time}",
    "grandchildren": "echo x >>{log}; (sleep {time} & sleep {time} & wait)",
    "ignoring SIGTERM": "trap '' TERM INT HUP; echo x >>{log}; sleep {time}; sleep {time}",
    "a daemon": "setsid -f sleep {time}; echo x >>{log}; sleep {time}",
    "a daemon without streams": "setsid -f sleep {time} >/dev/null 2>&1 </dev/null; echo x >>{log}; sleep {time}",
    "a daemon without environment": "env -i setsid -f sh -c '(sleep {time} &); sleep {time}' >/dev/null 2>&1 </dev/null; echo x >>{log}; sleep {time}",
    "a tool that has tools": "echo x >>{log}; hal-opt {program} '--preprocess-executables-with=sleep {time}'",
}


def marked(word, seconds):
    """Processes with a word in their environment, or that sleep for so long."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = open(f"/proc/{pid}/environ", "rb").read()
            state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        try:
            line = open(f"/proc/{pid}/cmdline").read().replace("\0", " ")
        except OSError:
            continue
        if (f"SIGNALS={word}".encode() in environment or line == f"sleep {seconds} ") and state != "Z":
            found.append((int(pid), line))
    return found


def heed():
    """Signals end the tool, even where what runs the tests ignores them (a shell does so in the background)."""
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]:
        signal.signal(number, signal.SIG_DFL)


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def case(name, line, number, words):
    top = tempfile.mkdtemp(prefix="signals-")
    scratch, log = os.path.join(top, "tmp"), os.path.join(top, "log")
    os.mkdir(scratch)
    open(log, "w").close()
    mark = f"{os.getpid()}-{name}-{number}"
    sleep = f"6{abs(hash(mark)) % 1000000}.2"
    environment = dict(os.environ, TMPDIR=scratch, SIGNALS=mark)
    line = line.format(log=log, program=os.path.join(here, "two.mlir"), time=sleep)
    output = os.path.join(top, "out.mlir")
    tool = subprocess.Popen(
        [*words, f"--preprocess-executables-with={line}", "-j2", "-o", output],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed,
    )
    started = wait_until(lambda: len(open(log).read()) >= 4, 30)
    time.sleep(0.05)
    start = time.monotonic()
    tool.send_signal(number)
    try:
        said = tool.communicate(timeout=30)[1]
    except subprocess.TimeoutExpired:
        tool.kill()
        said = "does not end"
    seconds = time.monotonic() - start
    wait_until(lambda: not marked(mark, sleep), 1 if number != signal.SIGKILL else 3)
    problems = []
    if not started:
        problems.append(f"did not start: {said}")
    if tool.returncode != -number:
        problems.append(f"ended with {tool.returncode}: {said}")
    if left := marked(mark, sleep):
        problems.append(f"processes stay: {left}")
    if number != signal.SIGKILL and os.listdir(scratch):
        problems.append(f"files stay: {os.listdir(scratch)}")
    if os.path.exists(output):
        problems.append("there is an output")
    if said.strip() and number != signal.SIGKILL:
        problems.append(f"says {said}")
    if seconds > 10:
        problems.append(f"took {seconds:.1f} s")
    for pid, _ in marked(mark, sleep):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(top, ignore_errors=True)
    print(f"{signal.Signals(number).name:8} {name:28} {'ok' if not problems else 'WRONG: ' + '; '.join(problems)}")
    return not problems


def main():
    opt = ["hal-opt", os.path.join(here, "two.mlir")]
    results = [case(name, line, signal.SIGTERM, opt) for name, line in CHILDREN.items()]
    results += [
        case(name, CHILDREN[name], number, opt)
        for name in ["plain", "a daemon"]
        for number in [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]
    ]
    results += [case(name, line, signal.SIGKILL, opt) for name, line in CHILDREN.items()]
    if shutil.which("hal-compile"):
        results.append(
            case(
                "plain, in hal-compile",
                CHILDREN["plain"],
                signal.SIGINT,
                ["hal-compile", os.path.join(here, "two.mlir")],
            )
        )
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
