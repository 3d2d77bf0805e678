"""The most memory that a command and its children take."""

import os
import subprocess
import sys
import threading
import time


def children(pid):
    """A process and all below it."""
    found = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="utf-8") as f:
                for child in f.read().split():
                    found += children(int(child))
    except OSError:
        pass
    return found


def proportional(pid):
    """The memory of a process in bytes, of shared pages its part."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def of(command):
    """Runs a command. Gives the peak of its largest process, the most that all of them had at once (looked at every 20 ms),
    and the single looks."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    looks, ended = [0], threading.Event()

    def look():
        while not ended.is_set():
            looks.append(sum(proportional(pid) for pid in children(child.pid)))
            time.sleep(0.02)

    watcher = threading.Thread(target=look)
    watcher.start()
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    ended.set()
    watcher.join()
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}\n{said.decode()[-2000:]}")
    return usage.ru_maxrss * 1024, max(looks), looks
