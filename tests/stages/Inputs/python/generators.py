"""Schedules made in Python."""

import sys

from .shared import schedule


class Made:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


def create_schedule(tile: int = 8, label="tiled", *, scale=1.0, sizes=(), deep=False, nothing=1):
    """Tiles by one size and labels the result."""
    print("tile", repr(tile), repr(label), repr(scale), repr(sizes), repr(deep), repr(nothing))
    return schedule(tile, label)


def as_object(tile):
    """The same as an object."""
    return Made(schedule(tile, "object"))


def as_bytes():
    return schedule(4, "bytes").encode()


def from_file(path):
    """Whatever a file holds, bytecode as well."""
    with open(path, "rb") as file:
        return file.read()


def nested(depth=3):
    if depth == 0:
        raise ValueError("too deep")
    return nested(depth - 1)


def nothing():
    pass


def garbage():
    return "no mlir\nat all"


def leaves():
    sys.exit(7)


def dies():
    import os

    os.abort()


def sleeps():
    import time

    time.sleep(100)


def starts(log):
    """Counts how often an interpreter is started."""
    if not hasattr(sys, "halyard_seen"):
        sys.halyard_seen = True
        with open(log, "a") as file:
            file.write("started\n")
    return schedule(8, "counted")


def _private():
    pass
