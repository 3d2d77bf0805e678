"""Replays programs on both sides, several at once."""

import sys
from concurrent.futures import ThreadPoolExecutor

from kernels import Kernel, imported, translated


def compare_all(programs, old, new, cache, report, jobs, imports):
    """Compares all programs, and tells the report."""
    with ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda p: compare(p, old, new, cache, report, imports), programs)
        for count, program in enumerate(done, 1):
            if sys.stderr.isatty():
                print(f"\r\033[Kreplay: {count} of {len(programs)}: {program.name}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def compare(program, old, new, cache, report, imports):
    """Compares what both sides make of a program."""
    with open(program.path, "rb") as f:
        data = f.read()
    if program.translated:
        text = data.decode()
    else:
        run = lambda side: cache.get(
            side.fingerprint("hal-import"),
            ["import", program.name],
            data,
            lambda: imported(side, program.path, cache.folder()),
        )
        before = run(old)
        if imports:
            report.imported(program, before, run(new))
        # Kernels are compared for the same program; one that the old side does not know has none.
        text = before.get("text")
    for target in program.targets if text is not None else []:
        before, after = (records(side, text, target, cache) for side in (old, new))
        report.translated(program, target, text, before, after)
    return program


def records(side, text, target, cache):
    """What is compared of the kernels of a program for a target: {executable: record}."""
    return cache.get(
        side.fingerprint("hal-translate"),
        ["translate", target],
        text.encode(),
        lambda: {
            name: kernel.record() if isinstance(kernel, Kernel) else {"refused": str(kernel)}
            for name, kernel in translated(side, text, target, cache.folder()).items()
        },
    )
