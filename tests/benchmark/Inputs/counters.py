"""What `--perf` says, whatever this machine can count: text and JSON agree, and a refusal has its reason.

usage: counters.py PROGRAM.so OUT.json
"""

import json
import subprocess
import sys

command = ["hal-benchmark", sys.argv[1], "--runs=3", "--min-time=0", "--threads=2", "--perf", f"--json={sys.argv[2]}"]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
text = done.stdout
if "error[no-counters]" in text:
    assert done.returncode != 0
    assert "kernel.perf_event_paranoid" in text or "perf_event_open" in text
    print("counted by nobody")
    sys.exit()
assert done.returncode == 0, text
counts = {c["name"]: c for c in json.load(open(sys.argv[2]))["counters"]}
assert counts and all(c["function"] == "main" and c["calls"] == 3 for c in counts.values())
assert all(name in text for name in counts)
if "instructions" in counts:
    # 64 x 64 x 64 products and sums, 16 at a time at best.
    assert counts["instructions"]["per_call"] > 64**3 / 16
    print("counted by processor")
else:
    assert "no counters of the processor: " in text
    assert counts["time on CPUs"]["per_call"] > 1000
    print("counted by kernel")
