"""The command of the plugin: a program on standard input, upstream MLIR on standard output."""

import sys

from . import bindings, tm_tensor


def main():
    """Exit code 1 is for a program that cannot be lowered, 3 for a Python without what is needed."""
    data = sys.stdin.buffer.read()
    if b"tm_tensor." in data:
        sys.stdout.write(tm_tensor.lower(data.decode()))
        return 0
    if not any(word in data for word in (b"stablehlo", b"chlo.", b"vhlo", b"StableHLO")):
        sys.stdout.buffer.write(data)  # not for this plugin
        return 0
    problem = bindings.problem()
    if problem:
        print(problem, file=sys.stderr)
        return 3
    from .pipeline import lower

    text, problems = lower(data, locations="--locations" in sys.argv)
    for line in problems:
        print(line, file=sys.stderr)
    if problems:
        return 1
    sys.stdout.write(text)
    return 0


sys.exit(main())
