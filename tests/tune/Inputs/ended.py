"""Ends a session by a signal, in the middle of a request, and says what is left of it."""

import os
import signal
import subprocess
import sys

for which in (signal.SIGTERM, signal.SIGKILL):
    command = ["hal-tune", "--serve", sys.argv[1], "-o", "ended.mlir"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(
        b'{"request": "list"}\n{"request": "search", "executable": "main_dispatch_0", "candidates": 500}\n'
    )
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(which)
    process.stdout.read()
    code = process.wait(timeout=60)
    left = "a file" if os.path.exists("ended.mlir") else "no file"
    print(f"{which.name}: exit code {code}, {left}")
