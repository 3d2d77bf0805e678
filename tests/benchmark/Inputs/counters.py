"""What `--perf` said, whatever this machine can count: text and JSON agree, and a refusal has its reason."""
import json
import sys

text = open(sys.argv[1]).read()
if "error[no-counters]" in text:
    assert "kernel.perf_event_paranoid" in text or "perf_event_open" in text
    print("counted by nobody")
    sys.exit()
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
