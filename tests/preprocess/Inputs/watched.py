"""A preprocessor that notes when it runs: `watched.py FILE SECONDS`, an identity that takes a while."""

import fcntl
import os
import sys
import time

path, seconds = sys.argv[1], float(sys.argv[2])


def note(word):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"{word} {os.getpid()}\n")


note("+")
text = sys.stdin.read()
time.sleep(seconds)
sys.stdout.write(text)
sys.stdout.flush()
note("-")
