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
    "plain": "echo x >>{log}; cat; sleep 600.2",
    "grandchildren": "echo x >>{log}; (sleep 600.2 & sleep 600.2 & wait)",
    "ignoring SIGTERM": "trap '' TERM INT HUP; echo x >>{log}; sleep 600.2; sleep 600.2",
    "a daemon": "setsid -f sleep 600.2; echo x >>{log}; sleep 600.2",
    "a daemon without streams": "setsid -f sleep 600.2 >/dev/null 2>&1 </dev/null; echo x >>{log}; sleep 600.2",
    "a tool that has tools": "echo x >>{log}; hal-opt {program} '--preprocess-executables-with=sleep 600.2'",
}


def marked(word):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = open(f"/proc/{pid}/environ", "rb").read()
            state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if f"SIGNALS={word}".encode() in environment and state != "Z":
            found.append((int(pid), open(f"/proc/{pid}/cmdline").read().replace("\0", " ")))
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
    environment = dict(os.environ, TMPDIR=scratch, SIGNALS=mark)
    line = line.format(log=log, program=os.path.join(here, "two.mlir"))
    output = os.path.join(top, "out.mlir")
    tool = subprocess.Popen([*words, f"--preprocess-executables-with={line}", "-j2", "-o", output], env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed)
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
    # Nothing ends the daemons of a tool that is killed outright; but its children go.
    wait_until(lambda: not marked(mark), 1 if number != signal.SIGKILL else 3)
    problems = []
    if not started:
        problems.append(f"did not start: {said}")
    if tool.returncode != -number:
        problems.append(f"ended with {tool.returncode}: {said}")
    if left := marked(mark):
        problems.append(f"processes stay: {left}")
    if number != signal.SIGKILL and os.listdir(scratch):
        problems.append(f"files stay: {os.listdir(scratch)}")
    if os.path.exists(output):
        problems.append("there is an output")
    if said.strip() and number != signal.SIGKILL:
        problems.append(f"says {said}")
    if seconds > 10:
        problems.append(f"took {seconds:.1f} s")
    for pid, _ in marked(mark):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(top, ignore_errors=True)
    print(f"{signal.Signals(number).name:8} {name:28} {'ok' if not problems else 'WRONG: ' + '; '.join(problems)}")
    return not problems


def main():
    os.environ.pop("HALYARD_CALL", None)
    opt = ["hal-opt", os.path.join(here, "two.mlir")]
    results = [case(name, line, signal.SIGTERM, opt) for name, line in CHILDREN.items()]
    results += [case(name, CHILDREN[name], number, opt) for name in ["plain", "a daemon"] for number in [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]]
    results.append(case("plain", "echo x >>{log}; exec sleep 600.2", signal.SIGKILL, opt))
    if shutil.which("hal-compile"):
        results.append(case("plain, in hal-compile", CHILDREN["plain"], signal.SIGINT, ["hal-compile", os.path.join(here, "two.mlir")]))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
