"""The most memory that a command and its children take."""

import os
import threading
import time

from common import seconds


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
    looks, ended, watchers = [0], threading.Event(), []

    def watch(pid):
        def look():
            while not ended.is_set():
                looks.append(sum(proportional(p) for p in children(pid) if p != pid))
                time.sleep(0.02)

        watchers.append(threading.Thread(target=look))
        watchers[0].start()

    taken = seconds(command, watch)
    ended.set()
    watchers[0].join()
    return taken.peak, max(looks), looks
