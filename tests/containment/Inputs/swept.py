"""Kills tools that have a scratch folder, and looks what the next one sweeps: `swept.py TMPDIR`."""

import os
import signal
import subprocess
import sys
import time

top = sys.argv[1]
# It waits for its input, with a linker at hand.
command = ["hal-link", "-o", os.path.join(top, "x.so"), "-"]


def folders():
    return {f for f in os.listdir(top) if f.startswith("halyard-")}


def start():
    """A tool that has made a folder; both."""
    before = folders()
    tool = subprocess.Popen(command, env=dict(os.environ, TMPDIR=top), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for _ in range(500):
        new = [f for f in folders() - before if os.path.exists(os.path.join(top, f, ".in-use"))]
        if new:
            return tool, new[0]
        time.sleep(0.02)
    sys.exit(f"no folder: {os.listdir(top)}")


os.mkdir(os.path.join(top, "halyard-link-foreign"))
stays = {"halyard-link-foreign"}
living, its = start()
stays.add(its)
for _ in range(3):
    dead, folder = start()
    assert folders() == stays | {folder}, folders()
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    # What was killed stays until somebody comes.
    assert folder in folders(), folders()
last, folder = start()
assert folders() == stays | {folder}, folders()
for tool in [living, last]:
    tool.stdin.close()
    tool.wait()
assert folders() == {"halyard-link-foreign"}, folders()
