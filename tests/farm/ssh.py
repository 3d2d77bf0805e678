#!/usr/bin/env python3
"""Translates a program through ssh, whose connections are killed in the middle.

    PATH=$PWD/target/debug:$PATH tests/farm/ssh.py --executables=200

Starts a server of its own on this machine (Debian: openssh-server; needs root), translates a program here and through `ssh`, and kills
connections meanwhile. Each time the output must be that of this machine, byte for byte, and no worker may be left. Prints a line for each
case; the exit code is 0 if all are right, 77 if there is no sshd.
"""

import argparse
import filecmp
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SSHD = "/usr/sbin/sshd"


def start(folder):
    """A server on a free port with keys of its own, and the command that connects to it."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    for key in ["host", "user"]:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{key}"], check=True)
    os.makedirs("/run/sshd", exist_ok=True)
    options = [f"HostKey={folder}/host", f"AuthorizedKeysFile={folder}/user.pub", "StrictModes=no", "PidFile=none"]
    server = subprocess.Popen([SSHD, "-D", "-f", "/dev/null", "-p", str(port), *(f"-o{o}" for o in options)])
    known = f"-oStrictHostKeyChecking=no -oUserKnownHostsFile={folder}/known"
    command = f"ssh -q -F /dev/null -p {port} -i {folder}/user {known} 127.0.0.1"
    for _ in range(100):
        if subprocess.run(f"{command} true", shell=True, stdin=subprocess.DEVNULL).returncode == 0:
            return server, command
        time.sleep(0.1)
    raise SystemExit("the server does not answer")


def below(pid):
    """A process and all below it."""
    children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [pid, *(p for child in children for p in below(int(child)))]


def is_connection(pid):
    """Whether it is a process of the server, and not what runs in a session."""
    try:
        with open(f"/proc/{pid}/comm") as f:
            return f.read().startswith("sshd")
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executables", type=int, default=200)
    parser.add_argument("--kills", type=int, default=5, help="connections to kill")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if not os.path.exists(SSHD) or os.geteuid() != 0:
        print("skipped: there is no sshd, or this is not root")
        return 77
    rng, wrong = random.Random(args.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        server, command = start(folder)
        try:
            env = dict(os.environ, HALYARD_CACHE="off", TMPDIR=folder)
            source, imported = f"{folder}/m.mlir", f"{folder}/m.mlirbc"
            with open(source, "w") as f:
                subprocess.run([sys.executable, f"{HERE}/Inputs/many.py", str(args.executables)], stdout=f, check=True)
            subprocess.run(["hal-import", "-q", source, "-o", imported], check=True, env=env)
            tool = shutil.which("hal-translate")
            subprocess.run([tool, imported, "-o", f"{folder}/here.mlirbc"], check=True, env=env)
            for kills in [0, args.kills]:
                began, out = time.monotonic(), f"{folder}/there-{kills}.mlirbc"
                run = subprocess.Popen(
                    [tool, imported, f"--launcher={command}", "--launcher-jobs=4", "-o", out],
                    env=env,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                killed = 0
                while killed < kills and run.poll() is None:
                    time.sleep(rng.random() * 0.5)
                    connections = [pid for pid in below(server.pid)[1:] if is_connection(pid)]
                    if connections:
                        try:
                            os.kill(rng.choice(connections), signal.SIGKILL)
                            killed += 1
                        except ProcessLookupError:
                            pass
                said = run.communicate()[1]
                right = run.returncode == 0 and filecmp.cmp(f"{folder}/here.mlirbc", out, shallow=False)
                left = []
                for _ in range(100):
                    left = below(server.pid)[1:]
                    if not left:
                        break
                    time.sleep(0.1)
                right = right and not left
                wrong += not right
                took = time.monotonic() - began
                print(f"{args.executables} executables, {killed} killed: {'right' if right else 'WRONG'}, {took:.1f} s")
                if not right:
                    print(f"exit code {run.returncode}, {len(left)} processes left, {said}")
        finally:
            server.terminate()
            server.wait()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
