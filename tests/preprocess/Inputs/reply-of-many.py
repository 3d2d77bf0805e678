"""Replies with 50,000 executables, whatever is asked."""

import sys

sys.stdin.read()
for i in range(50_000):
    print(f"module @extra_{i} attributes {{hal.executable}} {{}}")
